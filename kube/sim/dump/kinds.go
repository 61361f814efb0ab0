package dump

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// served lists the kinds that are kept, by the version they are kept in, with the older versions of the same shape.
var served = []struct{ version, older, namespaced, cluster string }{
	{version: "v1",
		namespaced: "Pod Event Service Endpoints ConfigMap Secret ServiceAccount PersistentVolumeClaim ReplicationController ResourceQuota LimitRange",
		cluster:    "Namespace Node PersistentVolume"},
	{version: "apps/v1", older: "apps/v1beta1 apps/v1beta2 extensions/v1beta1",
		namespaced: "Deployment DaemonSet ReplicaSet StatefulSet ControllerRevision"},
	{version: "batch/v1", older: "batch/v1beta1", namespaced: "Job CronJob"},
	{version: "policy/v1", older: "policy/v1beta1", namespaced: "PodDisruptionBudget"},
	{version: "events.k8s.io/v1", older: "events.k8s.io/v1beta1", namespaced: "Event"},
	// RuntimeClass of v1alpha1 has its fields elsewhere and is skipped.
	{version: "node.k8s.io/v1", older: "node.k8s.io/v1beta1", cluster: "RuntimeClass"},
	{version: "scheduling.k8s.io/v1", older: "scheduling.k8s.io/v1beta1 scheduling.k8s.io/v1alpha1", cluster: "PriorityClass"},
	{version: "storage.k8s.io/v1", older: "storage.k8s.io/v1beta1", cluster: "CSINode CSIDriver StorageClass VolumeAttachment"},
	{version: "coordination.k8s.io/v1", older: "coordination.k8s.io/v1beta1", namespaced: "Lease"},
	// EndpointSlice of v1beta1 has other endpoints and is skipped.
	{version: "discovery.k8s.io/v1", namespaced: "EndpointSlice"},
	{version: "certificates.k8s.io/v1", older: "certificates.k8s.io/v1beta1", cluster: "CertificateSigningRequest"},
	{version: "admissionregistration.k8s.io/v1", older: "admissionregistration.k8s.io/v1beta1",
		cluster: "MutatingWebhookConfiguration ValidatingWebhookConfiguration"},
	{version: "rbac.authorization.k8s.io/v1", older: "rbac.authorization.k8s.io/v1beta1",
		namespaced: "Role RoleBinding", cluster: "ClusterRole ClusterRoleBinding"},
}

// kind is how an object is kept.
type kind struct {
	gvk        schema.GroupVersionKind
	namespaced bool
}

// kinds finds the kept form of an apiVersion and kind.
var kinds = func() map[schema.GroupVersionKind]kind {
	all := map[schema.GroupVersionKind]kind{}
	for _, row := range served {
		to := schema.FromAPIVersionAndKind(row.version, "").GroupVersion()
		for _, from := range append(strings.Fields(row.older), row.version) {
			for _, k := range strings.Fields(row.namespaced) {
				all[schema.FromAPIVersionAndKind(from, k)] = kind{gvk: to.WithKind(k), namespaced: true}
			}
			for _, k := range strings.Fields(row.cluster) {
				all[schema.FromAPIVersionAndKind(from, k)] = kind{gvk: to.WithKind(k)}
			}
		}
	}
	return all
}()

// modernize fills in what an older version let out and the present one requires.
func modernize(o runtime.Object) {
	selector := func(s **metav1.LabelSelector, labels map[string]string) {
		if *s == nil {
			*s = &metav1.LabelSelector{MatchLabels: labels}
		}
	}
	switch o := o.(type) {
	case *appsv1.Deployment:
		selector(&o.Spec.Selector, o.Spec.Template.Labels)
	case *appsv1.DaemonSet:
		selector(&o.Spec.Selector, o.Spec.Template.Labels)
	case *appsv1.ReplicaSet:
		selector(&o.Spec.Selector, o.Spec.Template.Labels)
	case *appsv1.StatefulSet:
		selector(&o.Spec.Selector, o.Spec.Template.Labels)
	}
}
