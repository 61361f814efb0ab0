package kube

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/model"
)

func amounts(requestCPU, requestMemory, limitMemory string) corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, a := range []struct {
		into  corev1.ResourceList
		name  corev1.ResourceName
		value string
	}{{r.Requests, "cpu", requestCPU}, {r.Requests, "memory", requestMemory}, {r.Limits, "memory", limitMemory}} {
		if a.value != "" {
			a.into[a.name] = resource.MustParse(a.value)
		}
	}
	return r
}

func TestPodResources(t *testing.T) {
	sidecar := ptr.To(corev1.ContainerRestartPolicyAlways)
	tests := []struct {
		name     string
		spec     corev1.PodSpec
		requests model.Resources
		limits   model.Resources
		noLimit  int
	}{
		{"none", corev1.PodSpec{Containers: make([]corev1.Container, 2)}, model.Resources{}, model.Resources{}, 2},
		{"sum", corev1.PodSpec{Containers: []corev1.Container{{Resources: amounts("100m", "64Mi", "128Mi")}, {Resources: amounts("50m", "64Mi", "")}}},
			model.Resources{CPU: 150, Memory: 128 << 20}, model.Resources{Memory: 128 << 20}, 1},
		{"an init container that asks for more", corev1.PodSpec{
			InitContainers: []corev1.Container{{Resources: amounts("1", "16Mi", "")}},
			Containers:     []corev1.Container{{Resources: amounts("100m", "64Mi", "64Mi")}},
		}, model.Resources{CPU: 1000, Memory: 64 << 20}, model.Resources{Memory: 64 << 20}, 0},
		{"a sidecar counts beside the containers", corev1.PodSpec{
			InitContainers: []corev1.Container{{RestartPolicy: sidecar, Resources: amounts("100m", "16Mi", "")}},
			Containers:     []corev1.Container{{Resources: amounts("100m", "64Mi", "64Mi")}},
		}, model.Resources{CPU: 200, Memory: 80 << 20}, model.Resources{Memory: 64 << 20}, 1},
		{"overhead of the RuntimeClass", corev1.PodSpec{
			Containers: []corev1.Container{{Resources: amounts("100m", "64Mi", "64Mi")}},
			Overhead:   corev1.ResourceList{"cpu": resource.MustParse("250m")},
		}, model.Resources{CPU: 350, Memory: 64 << 20}, model.Resources{Memory: 64 << 20}, 0},
		{"a limit of the whole pod", corev1.PodSpec{
			Containers: make([]corev1.Container, 2),
			Resources:  ptr.To(amounts("", "", "1Gi")),
		}, model.Resources{}, model.Resources{Memory: 1 << 30}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := (interner{}).pod(&corev1.Pod{Spec: tt.spec})
			if got.Requests != tt.requests || got.Limits != tt.limits || got.MemoryNoLimit != tt.noLimit {
				t.Errorf("requests %+v limits %+v without limit %d, want %+v %+v %d",
					got.Requests, got.Limits, got.MemoryNoLimit, tt.requests, tt.limits, tt.noLimit)
			}
		})
	}
}

func TestPodBeingResized(t *testing.T) {
	allocated := amounts("500m", "", "")
	p := &corev1.Pod{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Resources: amounts("100m", "", "")}}},
		Status: corev1.PodStatus{
			Conditions:        []corev1.PodCondition{condition("Ready", "True")},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "web", AllocatedResources: allocated.Requests, Resources: &allocated}},
		},
	}
	if got, _ := amountsOf(p); got.CPU != 100 {
		t.Errorf("at rest the pod counts %d, want 100", got.CPU)
	}
	p.Status.Conditions = append(p.Status.Conditions, condition(corev1.PodResizeInProgress, "True"))
	if got, _ := amountsOf(p); got.CPU != 500 {
		t.Errorf("while it shrinks the pod counts %d, want 500", got.CPU)
	}
}

func TestPodHostProcess(t *testing.T) {
	windows := func(v *bool) *corev1.WindowsSecurityContextOptions {
		return &corev1.WindowsSecurityContextOptions{HostProcess: v}
	}
	ofPod := func(v bool) *corev1.PodSecurityContext {
		return &corev1.PodSecurityContext{WindowsOptions: windows(&v)}
	}
	of := func(v *bool) corev1.Container {
		return corev1.Container{SecurityContext: &corev1.SecurityContext{WindowsOptions: windows(v)}}
	}
	plain := corev1.Container{}
	tests := []struct {
		name string
		spec corev1.PodSpec
		want bool
	}{
		{"nothing said", corev1.PodSpec{Containers: []corev1.Container{plain}}, false},
		{"at the pod", corev1.PodSpec{SecurityContext: ofPod(true), Containers: []corev1.Container{plain, plain}}, true},
		{"at every container", corev1.PodSpec{Containers: []corev1.Container{of(ptr.To(true)), of(ptr.To(true))}}, true},
		{"at one container only", corev1.PodSpec{Containers: []corev1.Container{of(ptr.To(true)), plain}}, false},
		{"at the pod, and one container says no", corev1.PodSpec{SecurityContext: ofPod(true), Containers: []corev1.Container{plain, of(ptr.To(false))}}, false},
		{"at the pod, with empty options", corev1.PodSpec{SecurityContext: ofPod(true), Containers: []corev1.Container{of(nil)}}, true},
		{"refused at the pod", corev1.PodSpec{SecurityContext: ofPod(false), Containers: []corev1.Container{plain}}, false},
		{"no container", corev1.PodSpec{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (interner{}).pod(&corev1.Pod{Spec: tt.spec}).HostProcess; got != tt.want {
				t.Errorf("HostProcess %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPodFields(t *testing.T) {
	created := metav1.NewTime(time.Date(2026, 11, 3, 8, 0, 0, 0, time.UTC))
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web-0", UID: "u-2", CreationTimestamp: created, DeletionTimestamp: &created,
			Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "x"}, Labels: map[string]string{"app": "web"},
			OwnerReferences: []metav1.OwnerReference{
				{Kind: "Other", Name: "not the controller"},
				{Kind: "StatefulSet", Name: "web", UID: "u-1", Controller: ptr.To(true)},
			},
		},
		Spec: corev1.PodSpec{
			NodeName: "win-1", RuntimeClassName: ptr.To("windows-2025"), OS: &corev1.PodOS{Name: "windows"}, HostNetwork: true,
			Affinity: daemonAffinity("win-1", nil),
		},
		Status: corev1.PodStatus{Phase: "Running", PodIP: "10.0.0.7", StartTime: &created, NominatedNodeName: "win-2"},
	}
	want := model.Pod{
		Namespace: "shop", Name: "web-0", UID: "u-2", Node: "win-1", IP: "10.0.0.7",
		Owner:        model.Owner{Kind: "StatefulSet", Name: "web", UID: "u-1"},
		RuntimeClass: "windows-2025", OS: model.OSWindows, Phase: "Running", State: "Terminating",
		Created: created.Time, Started: created.Time, Deleted: created.Time, HostNetwork: true, Mirror: true,
		Containers: []model.Container{}, Labels: map[string]string{"app": "web"},
		Shape: &model.Shape{NotOnWindows: []string{"hostNetwork"}}, Target: "win-1", Nominated: "win-2",
	}
	if got := (interner{}).pod(p); !reflect.DeepEqual(*got, want) {
		t.Errorf("pod\n%+v\nwant\n%+v", *got, want)
	}
}
