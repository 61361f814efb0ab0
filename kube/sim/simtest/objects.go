package simtest

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Machine is a node that a fleet can register: os is "linux" or "windows".
func Machine(name, os string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{PodCIDR: "10.244." + octet(name) + ".0/24"},
		Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{OperatingSystem: os}}}
}

// octet tells machines apart whose names differ in the last letter.
func octet(name string) string {
	return resource.NewQuantity(int64(name[len(name)-1]), resource.DecimalSI).String()
}

// Template is a pod of one container that asks for little; it goes to nodes of the OS.
func Template(app, os string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{corev1.LabelOSStable: os},
			Containers: []corev1.Container{{Name: "main", Image: "registry.example/" + app + ":1",
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
					Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")}}}}}}
}

// Deployment is one in namespace default, named like its app label.
func Deployment(app, os string, replicas int32) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector(app), Template: Template(app, os)}}
}

// HostDaemonSet is a DaemonSet in kube-system whose pods are on the host network, and HostProcess pods on Windows, as
// kube-proxy and a CNI agent are.
func HostDaemonSet(app, os string) *appsv1.DaemonSet {
	t := Template(app, os)
	t.Spec.HostNetwork = true
	t.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	if os == "windows" {
		t.Spec.SecurityContext = &corev1.PodSecurityContext{WindowsOptions: &corev1.WindowsSecurityContextOptions{
			HostProcess: ptr.To(true), RunAsUserName: ptr.To(`NT AUTHORITY\SYSTEM`)}}
	}
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: app},
		Spec: appsv1.DaemonSetSpec{Selector: selector(app), Template: t}}
}

func selector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}
