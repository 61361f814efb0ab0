package placement

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

const gib = 1 << 30

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// stage is a cluster of one Windows node and whatever a case adds, and the pod that is
// asked about.
type stage struct {
	node    *model.Node
	pod     *model.Pod
	objects []model.Object
	what    What
	blind   []model.Kind // kinds that cannot be listed
}

// ready is a case in which nothing speaks against the node.
func ready() *stage {
	return &stage{
		node: &model.Node{
			Name: "w1", OS: model.OSWindows, Windows: model.ParseWindowsVersion("10.0.20348", "10.0.20348.5074"),
			Labels: map[string]string{
				"kubernetes.io/os": "windows", "kubernetes.io/hostname": "w1", model.WindowsBuildLabel: "10.0.20348", "topology.kubernetes.io/zone": "a",
			},
			Taints:      []model.Taint{{Key: "os", Value: "windows", Effect: "NoSchedule"}},
			Allocatable: model.Resources{CPU: 4000, Memory: 8 * gib}, MaxPods: 10,
		},
		pod: &model.Pod{
			Namespace: "shop", Name: "web-1", UID: "u-1", OS: model.OSWindows, Phase: "Pending", Labels: map[string]string{"app": "web"},
			Requests: model.Resources{CPU: 500, Memory: gib},
			Shape: &model.Shape{
				NodeSelector: map[string]string{"kubernetes.io/os": "windows"},
				Tolerations:  []corev1.Toleration{{Key: "os", Operator: corev1.TolerationOpEqual, Value: "windows", Effect: corev1.TaintEffectNoSchedule}},
				Images:       []model.ContainerImage{{Container: "app", Image: "shop/web:1-ltsc2022"}},
			},
		},
	}
}

// other adds a running pod on the node.
func (s *stage) other(name string, edit func(*model.Pod)) {
	p := &model.Pod{Namespace: "shop", Name: name, Node: s.node.Name, Phase: "Running", Labels: map[string]string{"app": "other"}, Shape: &model.Shape{}}
	if edit != nil {
		edit(p)
	}
	s.objects = append(s.objects, p)
}

func (s *stage) board() *Board {
	c := model.NewCluster()
	d := model.Delta{At: now, Objects: append([]model.Object{s.node}, s.objects...)}
	if s.pod.Node != "" {
		d.Objects = append(d.Objects, s.pod)
	}
	for _, k := range model.Kinds {
		f := model.Feed{Kind: k, State: model.FeedSynced, Listed: true}
		if slices.Contains(s.blind, k) {
			f = model.Feed{Kind: k, State: model.FeedForbidden, Error: string(k) + " is forbidden"}
		}
		d.Feeds = append(d.Feeds, f)
	}
	c.Apply(d)
	return New(c.Snapshot(), s.what)
}

// tell writes the reasons as "effect kind: text; detail".
func tell(v Verdict) []string {
	var out []string
	for _, r := range v.Reasons {
		line := r.Effect.String() + " " + r.Kind.String() + ": " + r.Text
		if r.Detail != "" {
			line += "; " + r.Detail
		}
		out = append(out, line)
	}
	return out
}

// check runs cases that each change the stage: one that raises a reason, and one that
// comes near it and raises none.
type verdictCase struct {
	name string
	edit func(s *stage)
	want []string
}

func check(t *testing.T, cases []verdictCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := ready()
			if c.edit != nil {
				c.edit(s)
			}
			v, ok := s.board().Verdict(s.pod, s.node.Name)
			if !ok {
				t.Fatal("no such node")
			}
			if got := tell(v); !slices.Equal(got, c.want) {
				t.Errorf("reasons\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			refuses := slices.ContainsFunc(c.want, func(s string) bool { return strings.HasPrefix(s, "refuses ") })
			if v.Schedulable() == refuses {
				t.Errorf("schedulable: %v", v.Schedulable())
			}
		})
	}
}

func require(terms ...corev1.NodeSelectorTerm) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
}

func expression(key string, op corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}}
}

func TestStanding(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	check(t, []verdictCase{
		{"a node that fits", nil, nil},
		{"a label with another value", func(s *stage) { s.node.Labels["kubernetes.io/os"] = "linux" },
			[]string{"refuses nodeSelector: the node selector asks for kubernetes.io/os=windows; has kubernetes.io/os=linux"}},
		{"two labels that are missing", func(s *stage) {
			s.pod.Shape.NodeSelector = map[string]string{"b": "2", "a": "1", zone: "a"}
		}, []string{"refuses nodeSelector: the node selector asks for a=1, b=2"}},
		{"an empty value is a value", func(s *stage) { s.pod.Shape.NodeSelector = map[string]string{"gpu": ""} },
			[]string{"refuses nodeSelector: the node selector asks for gpu="}},
		{"an empty value that is there", func(s *stage) { s.pod.Shape.NodeSelector = map[string]string{"gpu": ""}; s.node.Labels["gpu"] = "" }, nil},

		{"affinity for another zone", func(s *stage) { s.pod.Shape.Affinity = require(expression(zone, "In", "b", "c")) },
			[]string{"refuses nodeAffinity: the required node affinity asks for " + zone + "=b|c"}},
		{"affinity for this zone", func(s *stage) { s.pod.Shape.Affinity = require(expression(zone, "In", "b", "a")) }, nil},
		{"terms are alternatives", func(s *stage) {
			s.pod.Shape.Affinity = require(expression("gpu", "Exists"), expression("gpu", "DoesNotExist"))
		}, nil},
		{"no terms match nothing", func(s *stage) { s.pod.Shape.Affinity = require() },
			[]string{"refuses nodeAffinity: the required node affinity asks for nothing that a node can have"}},
		{"affinity that cannot be read", func(s *stage) { s.pod.Shape.Affinity = require(expression("n", "Gt", "many")) },
			[]string{"refuses nodeAffinity: the required node affinity asks for n>many"}},
		{"a preference is a note", func(s *stage) {
			s.pod.Shape.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
				{Weight: 30, Preference: expression(zone, "In", "a")}, {Weight: 50, Preference: expression(zone, "In", "b")}}}}
		}, []string{"note preferredAffinity: the pod prefers such a node; weight 30"}},

		{"a taint", func(s *stage) { s.pod.Shape.Tolerations = nil }, []string{"refuses taint: taint os=windows:NoSchedule is not tolerated"}},
		{"tolerations look at case", func(s *stage) { s.node.Taints[0].Value = "Windows" }, []string{"refuses taint: taint os=Windows:NoSchedule is not tolerated"}},
		{"a toleration of another effect", func(s *stage) { s.pod.Shape.Tolerations[0].Effect = "NoExecute" },
			[]string{"refuses taint: taint os=windows:NoSchedule is not tolerated"}},
		{"a toleration of every effect", func(s *stage) { s.pod.Shape.Tolerations[0].Effect = "" }, nil},
		{"a toleration of everything", func(s *stage) { s.pod.Shape.Tolerations = []corev1.Toleration{{Operator: "Exists"}} }, nil},
		{"every taint is named", func(s *stage) {
			s.node.Taints = append(s.node.Taints, model.Taint{Key: "node.kubernetes.io/not-ready", Effect: "NoExecute"}, model.Taint{Key: "x", Value: "y", Effect: "NoSchedule"})
		}, []string{"refuses taint: taint node.kubernetes.io/not-ready:NoExecute is not tolerated", "refuses taint: taint x=y:NoSchedule is not tolerated"}},
		{"a taint that only prefers", func(s *stage) { s.node.Taints[0].Effect = "PreferNoSchedule"; s.pod.Shape.Tolerations = nil }, nil},

		{"a cordoned node", func(s *stage) {
			s.node.Unschedulable = true
			s.node.Taints = append(s.node.Taints, model.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"})
		}, []string{"refuses unschedulable: the node is cordoned"}},
		{"as if it were cordoned", func(s *stage) { s.what.Cordoned = []string{"w1", "nobody"} }, []string{"refuses unschedulable: the node is cordoned"}},
		{"as if another were", func(s *stage) { s.what.Cordoned = []string{"w2"} }, nil},
		{"a pod that tolerates it", func(s *stage) {
			s.node.Unschedulable = true
			s.pod.Shape.Tolerations = []corev1.Toleration{{Operator: "Exists"}}
		}, nil},

		{"a DaemonSet's pod for another node", func(s *stage) { s.pod.Target = "w2" }, []string{"refuses target: its DaemonSet made it for node w2"}},
		{"a DaemonSet's pod for this node", func(s *stage) { s.pod.Target = "w1" }, nil},
		{"a gate", func(s *stage) { s.pod.Shape.Gates = []string{"quota"} }, []string{"refuses schedulingGate: scheduling gate quota holds it back"}},
		{"another scheduler", func(s *stage) { s.pod.Shape.Scheduler = "batch" }, []string{"doubt scheduler: scheduler batch decides, by rules of its own"}},
		{"claims of devices", func(s *stage) { s.pod.Shape.DeviceClaims = true }, []string{"doubt deviceClaim: it claims devices, which are not looked at here"}},
		{"nothing known of the template", func(s *stage) { s.pod.Shape = nil; s.node.Taints = nil }, []string{"doubt template: what the pod asks of a node is not known"}},
	})
}

func TestRoom(t *testing.T) {
	check(t, []verdictCase{
		{"just enough", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests = model.Resources{CPU: 3500, Memory: 7 * gib} })
		}, nil},
		{"one thousandth of a core too little", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests = model.Resources{CPU: 3501, Memory: 7 * gib} })
		}, []string{"refuses cpu: not enough CPU; asks for 500m, 499m of 4 are free"}},
		{"one byte too little", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests = model.Resources{Memory: 7*gib + 1} })
		}, []string{"refuses memory: not enough memory; asks for 1 GiB, 1023 MiB of 8 GiB are free"}},
		{"pods that have ended take nothing", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests, p.Phase = model.Resources{CPU: 4000}, "Succeeded" })
		}, nil},
		{"pods that are going take all of theirs", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests, p.Deleted = model.Resources{CPU: 4000}, now })
		}, []string{"refuses cpu: not enough CPU; asks for 500m, 0 of 4 are free"}},
		{"as if that pod were gone", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests = model.Resources{CPU: 4000} })
			s.what.Gone = map[model.Key]bool{s.objects[0].Key(): true, {Kind: model.KindPod, Name: "nobody"}: true}
		}, nil},
		{"as if a pod were promised", func(s *stage) {
			s.what.Promised = map[string][]*model.Pod{"w1": {{Name: "x", Requests: model.Resources{CPU: 3600}}}, "nowhere": {{Name: "y"}}}
		}, []string{"refuses cpu: not enough CPU; asks for 500m, 400m of 4 are free"}},
		{"a pod is not in its own way", func(s *stage) {
			s.pod.Node, s.pod.Phase, s.node.MaxPods, s.pod.Requests = "w1", "Running", 1, model.Resources{CPU: 4000, Memory: 8 * gib}
		}, nil},
		{"an overcommitted node refuses none that asks for nothing", func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Requests = model.Resources{CPU: 9000, Memory: 9 * gib} })
			s.pod.Requests = model.Resources{}
		}, nil},
		{"no place", func(s *stage) { s.node.MaxPods = 1; s.other("a", nil) }, []string{"refuses podCount: the node has no place for another pod; 1 of 1"}},
		{"the last place", func(s *stage) { s.node.MaxPods = 2; s.other("a", nil) }, nil},
		{"a place that an ended pod had", func(s *stage) {
			s.node.MaxPods = 1
			s.other("a", func(p *model.Pod) { p.Phase = "Failed" })
		}, nil},
		{"a node that never said its size", func(s *stage) { s.node.MaxPods, s.node.Allocatable = 0, model.Resources{} }, []string{
			"refuses podCount: the node has no place for another pod; 0 of 0",
			"refuses cpu: not enough CPU; asks for 500m, 0 of 0 are free",
			"refuses memory: not enough memory; asks for 1 GiB, 0 B of 0 B are free"}},
		{"a device that is there", func(s *stage) {
			s.pod.Shape.Extended, s.node.Extended = map[string]int64{"gpu": 1}, map[string]int64{"gpu": 2}
			s.other("a", func(p *model.Pod) { p.Shape = &model.Shape{Extended: map[string]int64{"gpu": 1}} })
		}, nil},
		{"a device that is taken", func(s *stage) {
			s.pod.Shape.Extended, s.node.Extended = map[string]int64{"gpu": 1}, map[string]int64{"gpu": 1}
			s.other("a", func(p *model.Pod) { p.Shape = &model.Shape{Extended: map[string]int64{"gpu": 1}} })
		}, []string{"refuses extendedResource: not enough gpu; asks for 1, 0 of 1 are free"}},
		{"a device that no node has", func(s *stage) { s.pod.Shape.Extended = map[string]int64{"gpu": 1} },
			[]string{"refuses extendedResource: not enough gpu; asks for 1, 0 of 0 are free"}},
		{"none of a device", func(s *stage) { s.pod.Shape.Extended = map[string]int64{"gpu": 0} }, nil},
	})
}

func TestPorts(t *testing.T) {
	want := func(s *stage, p model.HostPort) { s.pod.Shape.Ports = []model.HostPort{p} }
	taken := func(s *stage, p model.HostPort) {
		s.other("a", func(o *model.Pod) { o.Shape = &model.Shape{Ports: []model.HostPort{p}} })
	}
	clash := []string{"refuses hostPort: host port 80/TCP is taken"}
	check(t, []verdictCase{
		{"the same", func(s *stage) {
			want(s, model.HostPort{Protocol: "TCP", Port: 80})
			taken(s, model.HostPort{Protocol: "TCP", Port: 80})
		}, clash},
		{"another port", func(s *stage) {
			want(s, model.HostPort{Protocol: "TCP", Port: 80})
			taken(s, model.HostPort{Protocol: "TCP", Port: 81})
		}, nil},
		{"another protocol", func(s *stage) {
			want(s, model.HostPort{Protocol: "TCP", Port: 80})
			taken(s, model.HostPort{Protocol: "UDP", Port: 80})
		}, nil},
		{"other addresses", func(s *stage) {
			want(s, model.HostPort{IP: "10.0.0.1", Protocol: "TCP", Port: 80})
			taken(s, model.HostPort{IP: "10.0.0.2", Protocol: "TCP", Port: 80})
		}, nil},
		{"one of all addresses", func(s *stage) {
			want(s, model.HostPort{IP: "10.0.0.1", Protocol: "TCP", Port: 80})
			taken(s, model.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80})
		}, clash},
		{"its own", func(s *stage) {
			want(s, model.HostPort{Protocol: "TCP", Port: 80})
			s.pod.Node, s.pod.Phase = "w1", "Running"
		}, nil},
		{"another one's beside its own", func(s *stage) {
			want(s, model.HostPort{Protocol: "TCP", Port: 80})
			taken(s, model.HostPort{Protocol: "TCP", Port: 80})
			s.pod.Node, s.pod.Phase = "w1", "Running"
		}, clash},
	})
}
