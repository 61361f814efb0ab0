package kube

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"

	"github.com/mullion-tui/mullion/model"
)

func TestWorkloads(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u"}
	owned := meta
	owned.OwnerReferences = []metav1.OwnerReference{{Kind: "CronJob", Name: "nightly", UID: "c", Controller: ptr.To(true)}}
	tests := []struct {
		name    string
		got     *model.Workload
		kind    model.Kind
		desired int
		ready   int
		owner   model.Owner
	}{
		{"daemon set", interner{}.daemonSet(&appsv1.DaemonSet{ObjectMeta: meta, Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 3, NumberReady: 2}}), model.KindDaemonSet, 3, 2, model.Owner{}},
		{"replica set", interner{}.replicaSet(&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To[int32](0)}}), model.KindReplicaSet, 0, 0, model.Owner{}},
		{"deployment, replicas not said", interner{}.deployment(&appsv1.Deployment{ObjectMeta: meta, Status: appsv1.DeploymentStatus{ReadyReplicas: 1}}), model.KindDeployment, 1, 1, model.Owner{}},
		{"stateful set", interner{}.statefulSet(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](5)}}), model.KindStatefulSet, 5, 0, model.Owner{}},
		{"job with completions", interner{}.job(&batchv1.Job{ObjectMeta: owned, Spec: batchv1.JobSpec{Completions: ptr.To[int32](4), Parallelism: ptr.To[int32](2)}, Status: batchv1.JobStatus{Succeeded: 3}}), model.KindJob, 4, 3, model.Owner{Kind: "CronJob", Name: "nightly", UID: "c"}},
		{"job without", interner{}.job(&batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Parallelism: ptr.To[int32](2)}}), model.KindJob, 2, 0, model.Owner{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := &model.Workload{Kind: tt.kind, Namespace: "shop", Name: "web", UID: "u", Owner: tt.owner, Desired: tt.desired, Ready: tt.ready}
			want.Template = tt.got.Template
			if *tt.got != *want || (want.Template == nil) != (tt.owner.Name != "") {
				t.Errorf("workload\n%+v\nwant\n%+v", tt.got, want)
			}
		})
	}
}

var tolerateWindows = []corev1.Toleration{{Key: "os", Operator: corev1.TolerationOpEqual, Value: "windows", Effect: corev1.TaintEffectNoSchedule}}

func TestSmallKinds(t *testing.T) {
	renewed := time.Date(2026, 12, 1, 10, 0, 0, 5000, time.FixedZone("", 7200))
	tests := []struct {
		name string
		got  model.Object
		want model.Object
	}{
		{"budget", interner{}.budget(&policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u", Generation: 2},
			Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromString("50%")), UnhealthyPodEvictionPolicy: ptr.To(policyv1.AlwaysAllow),
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
			Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: 1, CurrentHealthy: 3, DesiredHealthy: 2, ExpectedPods: 4},
		}), &model.Budget{Namespace: "shop", Name: "web", UID: "u", MinAvailable: "50%", DisruptionsAllowed: 1, CurrentHealthy: 3, DesiredHealthy: 2, ExpectedPods: 4, Stale: true, AlwaysEvictSick: true,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}},
		{"budget by number", interner{}.budget(&policyv1.PodDisruptionBudget{
			Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr.To(intstr.FromInt32(0))},
		}), &model.Budget{MaxUnavailable: "0"}},
		{"RuntimeClass", interner{}.runtimeClass(&nodev1.RuntimeClass{
			ObjectMeta: metav1.ObjectMeta{Name: "windows-2025"}, Handler: "runhcs-wcow-process",
			Scheduling: &nodev1.Scheduling{NodeSelector: map[string]string{"kubernetes.io/os": "windows"}, Tolerations: tolerateWindows},
			Overhead:   &nodev1.Overhead{PodFixed: corev1.ResourceList{"memory": resource.MustParse("64Mi")}},
		}), &model.RuntimeClass{Name: "windows-2025", Handler: "runhcs-wcow-process", NodeSelector: map[string]string{"kubernetes.io/os": "windows"}, Tolerations: tolerateWindows, Overhead: model.Resources{Memory: 64 << 20}}},
		{"RuntimeClass without scheduling", interner{}.runtimeClass(&nodev1.RuntimeClass{Handler: "runc"}), &model.RuntimeClass{Handler: "runc"}},
		{"CSINode", interner{}.csiNode(&storagev1.CSINode{
			ObjectMeta: metav1.ObjectMeta{Name: "win-1"},
			Spec:       storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "smb.csi.k8s.io"}, {Name: "disk.csi.azure.com"}}},
		}), &model.CSINode{Name: "win-1", Drivers: []string{"disk.csi.azure.com", "smb.csi.k8s.io"}}},
		{"lease", interner{}.lease(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: "win-1"}, Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewed}},
		}), &model.Lease{Node: "win-1", Renewed: renewed.UTC()}},
		{"namespace", interner{}.namespace(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "a"}}, Status: corev1.NamespaceStatus{Phase: "Terminating"}}),
			&model.Namespace{Name: "shop", Labels: map[string]string{"team": "a"}, Terminating: true}},
		{"lease that was never renewed", interner{}.lease(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "win-1"}}), &model.Lease{Node: "win-1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !same(tt.got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", tt.got, tt.want)
			}
		})
	}
}

// TestConvertAnything fills objects of every watched kind with whatever their types
// can hold. Converting them must not panic, must be repeatable, must keep the
// object's name, and must keep no text that is longer than a screen needs.
func TestConvertAnything(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources(client) {
		t.Run(string(s.kind), func(t *testing.T) {
			for seed := range int64(300) {
				raw := anyItem(s, seed)
				name := raw.(metav1.Object).GetName()
				one, err := s.convert(interner{}, raw)
				if err != nil {
					t.Fatal(err)
				}
				two, err := s.convert(interner{}, raw.DeepCopyObject())
				if err != nil {
					t.Fatal(err)
				}
				if !same(one, two) || !reflect.DeepEqual(one, two) {
					t.Fatalf("seed %d: the same object gives\n%+v\nand\n%+v", seed, one, two)
				}
				if k := one.Key(); k.Kind != s.kind || k.Name != name {
					t.Fatalf("seed %d: the key is %+v, the object is %s %q", seed, k, s.kind, name)
				}
				switch o := one.(type) {
				case *model.Pod:
					checkLength(t, o.Message, o.State, o.IP, o.Phase)
				case *model.Node:
					checkLength(t, o.OSImage, o.Kernel, o.BootID)
					for _, c := range o.Conditions {
						checkLength(t, c.Message, c.Reason)
					}
				}
			}
		})
	}
}

// anyItem makes an item of the source's list type.
func anyItem(s source, seed int64) runtime.Object {
	items := reflect.ValueOf(s.newList()).Elem().FieldByName("Items")
	item := reflect.New(items.Type().Elem())
	randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 4).MaxDepth(12).Funcs(
		func(s *string, c randfill.Continue) { *s = strings.Repeat(c.String(20), c.Intn(40)) },
	).Fill(item.Interface())
	return item.Interface().(runtime.Object)
}

func checkLength(t *testing.T, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if n := utf8.RuneCountInString(s); n > maxWords {
			t.Fatalf("a text of %d runes was kept: %q", n, s)
		}
	}
}

func TestConvertRefusesAnotherType(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sources(client)[0].convert(interner{}, &corev1.Pod{})
	if err == nil || err.Error() != "the API server sent a *v1.Pod among nodes" {
		t.Errorf("error %v", err)
	}
}

func TestSourcesCoverEveryKind(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []model.Kind
	for _, s := range sources(client) {
		kinds = append(kinds, s.kind)
	}
	if !reflect.DeepEqual(kinds, model.Kinds) {
		t.Errorf("sources for %v, want %v", kinds, model.Kinds)
	}
}

func TestInternerIsBounded(t *testing.T) {
	table := interner{}
	for i := range maxInterned + 10 {
		s := string(rune(i)) + "x"
		if got := table.of(s); got != s {
			t.Fatalf("interned %q became %q", s, got)
		}
	}
	if len(table) > maxInterned {
		t.Errorf("the table holds %d strings", len(table))
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("ж", maxWords+1)
	tests := []struct{ name, in, want string }{
		{"short", "abc", "abc"},
		{"just fits", long[:2*maxWords], long[:2*maxWords]},
		{"too long", long, strings.Repeat("ж", maxWords-1) + "…"},
		{"invalid", strings.Repeat("\xff", maxWords+5), strings.Repeat("\xff", maxWords-1) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cut(tt.in); got != tt.want {
				t.Errorf("cut to %d runes %q", utf8.RuneCountInString(got), got)
			}
		})
	}
}

// What findings look at beside the placement.
func TestWhatFindingsLookAt(t *testing.T) {
	since := metav1.NewTime(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC))
	n := interner{}.node(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "w", Annotations: map[string]string{model.CalicoAddressAnnotation: "192.0.2.1/24", "other": "x"}},
		Spec: corev1.NodeSpec{Unschedulable: true, PodCIDRs: []string{"10.0.0.0/26"}, Taints: []corev1.Taint{
			{Key: "node.kubernetes.io/unreachable", TimeAdded: ptr.To(metav1.Now())}, {Key: corev1.TaintNodeUnschedulable, TimeAdded: &since},
		}},
	})
	if !n.Cordoned.Equal(since.Time) || !reflect.DeepEqual(n.PodBlocks, []string{"10.0.0.0/26"}) || len(n.Annotations) != 1 {
		t.Errorf("node: cordoned %s, blocks %q, annotations %q", n.Cordoned, n.PodBlocks, n.Annotations)
	}
	untimed := interner{}.node(&corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: corev1.TaintNodeUnschedulable}}}})
	if !untimed.Cordoned.IsZero() {
		t.Errorf("a taint without a time: cordoned %s", untimed.Cordoned)
	}

	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{OS: &corev1.PodOS{Name: corev1.Windows}, NodeSelector: map[string]string{"a": "b"}, Containers: []corev1.Container{{Name: "app", Image: "i:ltsc2025"}}},
	}
	d := interner{}.daemonSet(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: appsv1.DaemonSetSpec{Template: template}})
	p := d.Template
	if p.Namespace != "shop" || p.Name != "web" || p.OS != model.OSWindows || p.Shape.NodeSelector["a"] != "b" || p.Labels["app"] != "web" || p.Shape.Images[0].Image != "i:ltsc2025" || p.MemoryNoLimit != 1 || p.Phase != "" {
		t.Errorf("template: %+v", p)
	}
}
