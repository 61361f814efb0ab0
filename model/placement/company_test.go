package placement

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/model"
)

const (
	zoneKey = "topology.kubernetes.io/zone"
	hostKey = "kubernetes.io/hostname"
)

func like(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func near(terms ...corev1.PodAffinityTerm) *corev1.Affinity {
	return &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

func away(terms ...corev1.PodAffinityTerm) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

func term1(key, app string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{TopologyKey: key, LabelSelector: like(app)}
}

// second adds a node like the first in a zone.
func (s *stage) second(name, zone string) {
	n := *s.node
	n.Name = name
	n.Labels = map[string]string{"kubernetes.io/os": "windows", hostKey: name}
	if zone != "" {
		n.Labels[zoneKey] = zone
	}
	s.objects = append(s.objects, &n)
}

// on adds a running pod of an app to a node.
func (s *stage) on(node, name, app string, edit func(*model.Pod)) {
	s.other(name, func(p *model.Pod) {
		p.Node, p.Labels = node, map[string]string{"app": app}
		if edit != nil {
			edit(p)
		}
	})
}

func TestPodAffinity(t *testing.T) {
	lonely := []string{"refuses podAffinity: pod affinity asks for pods with app=db in the same " + zoneKey}
	check(t, []verdictCase{
		{"nobody to be near", func(s *stage) { s.pod.Shape.Affinity = near(term1(zoneKey, "db")) }, lonely},
		{"somebody in the zone", func(s *stage) {
			s.pod.Shape.Affinity = near(term1(zoneKey, "db"))
			s.second("w2", "a")
			s.on("w2", "db", "db", nil)
		}, nil},
		{"somebody in another zone", func(s *stage) {
			s.pod.Shape.Affinity = near(term1(zoneKey, "db"))
			s.second("w2", "b")
			s.on("w2", "db", "db", nil)
		}, lonely},
		{"somebody in another namespace", func(s *stage) {
			s.pod.Shape.Affinity = near(term1(zoneKey, "db"))
			s.on("w1", "db", "db", func(p *model.Pod) { p.Namespace = "data" })
		}, lonely},
		{"that namespace is named", func(s *stage) {
			term := term1(zoneKey, "db")
			term.Namespaces = []string{"data"}
			s.pod.Shape.Affinity = near(term)
			s.on("w1", "db", "db", func(p *model.Pod) { p.Namespace = "data" })
		}, nil},
		{"that namespace is selected", func(s *stage) {
			term := term1(zoneKey, "db")
			term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
			s.pod.Shape.Affinity = near(term)
			s.objects = append(s.objects, &model.Namespace{Name: "data", Labels: map[string]string{"team": "a"}})
			s.on("w1", "db", "db", func(p *model.Pod) { p.Namespace = "data" })
		}, nil},
		{"another namespace is selected", func(s *stage) {
			term := term1(zoneKey, "db")
			term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "b"}}
			s.pod.Shape.Affinity = near(term)
			s.objects = append(s.objects, &model.Namespace{Name: "data", Labels: map[string]string{"team": "a"}})
			s.on("w1", "db", "db", func(p *model.Pod) { p.Namespace = "data" })
		}, lonely},
		{"all namespaces are", func(s *stage) {
			term := term1(zoneKey, "db")
			term.NamespaceSelector = &metav1.LabelSelector{}
			s.pod.Shape.Affinity = near(term)
			s.on("w1", "db", "db", func(p *model.Pod) { p.Namespace = "data" })
		}, nil},
		{"the first of its own kind", func(s *stage) { s.pod.Shape.Affinity = near(term1(zoneKey, "web")) }, nil},
		{"the second of its kind", func(s *stage) {
			s.pod.Shape.Affinity = near(term1(zoneKey, "web"))
			s.second("w2", "b")
			s.on("w2", "web-0", "web", nil)
		}, []string{"refuses podAffinity: pod affinity asks for pods with app=web in the same " + zoneKey}},
		{"the first, on a node without the label", func(s *stage) {
			s.pod.Shape.Affinity = near(term1("rack", "web"))
		}, []string{"refuses podAffinity: pod affinity asks for pods with app=web in the same rack"}},
		{"one pod must match every term", func(s *stage) {
			s.pod.Shape.Affinity = near(term1(zoneKey, "db"), term1(zoneKey, "cache"))
			s.on("w1", "db", "db", nil)
			s.on("w1", "cache", "cache", nil)
		}, lonely},
		{"a selector that is not there matches nobody", func(s *stage) {
			s.pod.Shape.Affinity = near(corev1.PodAffinityTerm{TopologyKey: zoneKey})
			s.on("w1", "db", "db", nil)
		}, []string{"refuses podAffinity: pod affinity asks for none of the pods in the same " + zoneKey}},
	})
}

func TestPodAntiAffinity(t *testing.T) {
	crowded := []string{"refuses podAntiAffinity: pod anti-affinity refuses pods with app=web in the same " + hostKey}
	check(t, []verdictCase{
		{"away from its own kind", func(s *stage) {
			s.pod.Shape.Affinity = away(term1(hostKey, "web"))
			s.on("w1", "web-0", "web", nil)
		}, crowded},
		{"its own kind on another node", func(s *stage) {
			s.pod.Shape.Affinity = away(term1(hostKey, "web"))
			s.second("w2", "a")
			s.on("w2", "web-0", "web", nil)
		}, nil},
		{"its own kind is ending", func(s *stage) {
			s.pod.Shape.Affinity = away(term1(hostKey, "web"))
			s.on("w1", "web-0", "web", func(p *model.Pod) { p.Deleted = now })
		}, crowded},
		{"its own kind has ended", func(s *stage) {
			s.pod.Shape.Affinity = away(term1(hostKey, "web"))
			s.on("w1", "web-0", "web", func(p *model.Pod) { p.Phase = "Failed" })
		}, nil},
		{"its own kind is as good as gone", func(s *stage) {
			s.pod.Shape.Affinity = away(term1(hostKey, "web"))
			s.on("w1", "web-0", "web", nil)
			s.what.Gone = map[model.Key]bool{s.objects[0].Key(): true}
		}, nil},
		{"it is not away from itself", func(s *stage) {
			s.pod.Shape.Affinity = away(term1(hostKey, "web"))
			s.pod.Node, s.pod.Phase = "w1", "Running"
		}, nil},
		{"a node without the label", func(s *stage) {
			s.pod.Shape.Affinity = away(term1("rack", "web"))
			s.on("w1", "web-0", "web", nil)
		}, nil},

		{"a pod there that wants it away", func(s *stage) {
			s.on("w1", "db", "db", func(p *model.Pod) { p.Shape = &model.Shape{Affinity: away(term1(zoneKey, "web"))} })
		}, []string{"refuses otherPodsAntiAffinity: the anti-affinity of a pod in the same " + zoneKey + " refuses it"}},
		{"a pod there that wants others away", func(s *stage) {
			s.on("w1", "db", "db", func(p *model.Pod) { p.Shape = &model.Shape{Affinity: away(term1(zoneKey, "cache"))} })
		}, nil},
		{"a pod of another namespace speaks of its own", func(s *stage) {
			s.on("w1", "db", "db", func(p *model.Pod) {
				p.Namespace, p.Shape = "data", &model.Shape{Affinity: away(term1(zoneKey, "web"))}
			})
		}, nil},
	})
}

// A plan goes on pod by pod: each one finds the pods placed before it.
func TestPlaceAndRemove(t *testing.T) {
	s := ready()
	s.second("w2", "a")
	s.second("w3", "b")
	s.pod.Shape.Affinity = away(term1(hostKey, "web"))
	b := s.board()
	var got []string
	for _, name := range []string{"web-1", "web-2", "web-3", "web-4"} {
		p := *s.pod
		p.Name = name
		nodes := b.Feasible(&p)
		got = append(got, strings.Join(nodes, " "))
		if len(nodes) > 0 {
			b.Place(&p, nodes[0])
		}
	}
	if want := []string{"w1 w2 w3", "w2 w3", "w3", ""}; !slices.Equal(got, want) {
		t.Errorf("feasible one after the other: %q, want %q", got, want)
	}
	b.Place(s.pod, "nowhere")
	b.Remove(s.pod)
	if v, ok := b.Verdict(s.pod, "nowhere"); ok {
		t.Errorf("a verdict on no node: %v", v)
	}
}
