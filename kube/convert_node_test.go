package kube

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/model"
)

func TestNodeOS(t *testing.T) {
	tests := []struct {
		name     string
		reported string
		labels   map[string]string
		want     model.OS
	}{
		{"the kubelet's word", "windows", map[string]string{"kubernetes.io/os": "linux"}, model.OSWindows},
		{"the label", "", map[string]string{"kubernetes.io/os": "windows"}, model.OSWindows},
		{"the old label", "", map[string]string{"beta.kubernetes.io/os": "linux"}, model.OSLinux},
		{"the new label before the old", "", map[string]string{"beta.kubernetes.io/os": "linux", "kubernetes.io/os": "windows"}, model.OSWindows},
		{"a capital", "Windows", nil, model.OSWindows},
		{"another system", "plan9", nil, "plan9"},
		{"nothing", "", nil, model.OSUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: tt.labels}}
			n.Status.NodeInfo.OperatingSystem = tt.reported
			if got := (interner{}).node(n).OS; got != tt.want {
				t.Errorf("OS %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNodeWindowsVersion(t *testing.T) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{model.WindowsBuildLabel: "10.0.26100"}}}
	n.Status.NodeInfo.KernelVersion = "10.0.26100.33438"
	if got := (interner{}).node(n).Windows; got != (model.WindowsVersion{}) {
		t.Errorf("a node of an unknown system has the Windows version %+v", got)
	}
	n.Status.NodeInfo.OperatingSystem = "windows"
	want := model.ParseWindowsVersion("10.0.26100", "10.0.26100.33438")
	if got := (interner{}).node(n).Windows; got != want || got.Revision != 33438 {
		t.Errorf("Windows version %+v, want %+v", got, want)
	}
}

func TestNodeFields(t *testing.T) {
	created := time.Date(2026, 11, 3, 8, 0, 0, 0, time.FixedZone("", 3600))
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "win-1", UID: "u-1", CreationTimestamp: metav1.NewTime(created),
			Labels: map[string]string{
				"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/": "", "kubernetes.io/role": "edge",
			},
			Annotations: map[string]string{
				model.MaintenanceAnnotation:                         `{"v":1}`,
				"windowsmachineconfig.openshift.io/version":         "10.18",
				"windowsmachineconfig.openshift.io/pub-key-hash":    "long",
				"volumes.kubernetes.io/controller-managed-attach-d": "true",
			},
		},
		Spec: corev1.NodeSpec{
			Unschedulable: true, ProviderID: "azure:///x",
			Taints: []corev1.Taint{{Key: "os", Value: "Windows", Effect: "NoSchedule"}},
		},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{
				Type: "Ready", Status: "True", Reason: "KubeletReady", Message: "posting ready status",
				LastHeartbeatTime: metav1.NewTime(created.Add(time.Hour)), LastTransitionTime: metav1.NewTime(created),
			}},
			Addresses: []corev1.NodeAddress{{Type: "InternalIP", Address: "192.168.10.25"}},
			Capacity:  corev1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse("8Gi")},
			Allocatable: corev1.ResourceList{
				"cpu": resource.MustParse("3500m"), "memory": resource.MustParse("6Gi"), "pods": resource.MustParse("110"),
			},
		},
	}
	got := (interner{}).node(n)
	want := &model.Node{
		Name: "win-1", UID: "u-1", ProviderID: "azure:///x", Unschedulable: true,
		Roles:       []string{"edge", "worker"},
		Conditions:  []model.Condition{{Type: "Ready", Status: "True", Reason: "KubeletReady", Message: "posting ready status", Since: created.UTC()}},
		Taints:      []model.Taint{{Key: "os", Value: "Windows", Effect: "NoSchedule"}},
		Labels:      n.Labels,
		Annotations: map[string]string{model.MaintenanceAnnotation: `{"v":1}`, "windowsmachineconfig.openshift.io/version": "10.18"},
		Addresses:   []model.Address{{Type: "InternalIP", Addr: "192.168.10.25"}},
		Capacity:    model.Resources{CPU: 4000, Memory: 8 << 30},
		Allocatable: model.Resources{CPU: 3500, Memory: 6 << 30},
		MaxPods:     110,
		Created:     created.UTC(),
	}
	if !same(got, want) {
		t.Errorf("node\n%+v\nwant\n%+v", got, want)
	}

	// A heartbeat that says nothing new is no change; a condition that turns is one.
	n.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(created.Add(2 * time.Hour))
	n.ResourceVersion = "2"
	if again := (interner{}).node(n); !same(got, again) {
		t.Error("a heartbeat changed the node")
	}
	n.Status.Conditions[0].Status = "False"
	if again := (interner{}).node(n); same(got, again) {
		t.Error("a node that is not ready any more looks the same")
	}
}
