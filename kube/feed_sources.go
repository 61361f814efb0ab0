package kube

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// source is one kind at the API server and its way into the model. It asks with
// client-go's request builder and not with the typed clients, because those retry
// by themselves for up to ten times Retry-After, in which nobody knows what is wrong.
type source struct {
	kind      model.Kind
	api       string // group and version, as in apiVersion
	client    rest.Interface
	namespace string // "" is all of them
	fields    string // field selector; "" is all objects
	newList   func() runtime.Object
	convert   func(interner, runtime.Object) (model.Object, error)
}

// sources lists where each of model.Kinds comes from.
func sources(c kubernetes.Interface) []source {
	const leases = corev1.NamespaceNodeLease
	return []source{
		from[corev1.NodeList](model.KindNode, "v1", c.CoreV1().RESTClient(), "", interner.node),
		from[corev1.PodList](model.KindPod, "v1", c.CoreV1().RESTClient(), "", templates{}.pod),
		from[nodev1.RuntimeClassList](model.KindRuntimeClass, "node.k8s.io/v1", c.NodeV1().RESTClient(), "", interner.runtimeClass),
		from[policyv1.PodDisruptionBudgetList](model.KindBudget, "policy/v1", c.PolicyV1().RESTClient(), "", interner.budget),
		from[appsv1.DaemonSetList](model.KindDaemonSet, "apps/v1", c.AppsV1().RESTClient(), "", interner.daemonSet),
		from[appsv1.ReplicaSetList](model.KindReplicaSet, "apps/v1", c.AppsV1().RESTClient(), "", interner.replicaSet),
		from[appsv1.DeploymentList](model.KindDeployment, "apps/v1", c.AppsV1().RESTClient(), "", interner.deployment),
		from[appsv1.StatefulSetList](model.KindStatefulSet, "apps/v1", c.AppsV1().RESTClient(), "", interner.statefulSet),
		from[batchv1.JobList](model.KindJob, "batch/v1", c.BatchV1().RESTClient(), "", interner.job),
		from[storagev1.CSINodeList](model.KindCSINode, "storage.k8s.io/v1", c.StorageV1().RESTClient(), "", interner.csiNode),
		from[coordinationv1.LeaseList](model.KindLease, "coordination.k8s.io/v1", c.CoordinationV1().RESTClient(), leases, interner.lease),
		from[corev1.NamespaceList](model.KindNamespace, "v1", c.CoreV1().RESTClient(), "", interner.namespace),
		from[corev1.PersistentVolumeList](model.KindVolume, "v1", c.CoreV1().RESTClient(), "", interner.volume),
		from[corev1.PersistentVolumeClaimList](model.KindClaim, "v1", c.CoreV1().RESTClient(), "", interner.claim),
		from[storagev1.StorageClassList](model.KindStorageClass, "storage.k8s.io/v1", c.StorageV1().RESTClient(), "", interner.storageClass),
		servingRequests(c),
	}
}

// servingRequests leaves out what is signed for others: only a kubelet's serving
// certificate decides whether its node can be asked.
func servingRequests(c kubernetes.Interface) source {
	s := from[certificatesv1.CertificateSigningRequestList](model.KindCertificateRequest, "certificates.k8s.io/v1",
		c.CertificatesV1().RESTClient(), "", interner.certificateRequest)
	s.fields = "spec.signerName=" + certificatesv1.KubeletServingSignerName
	return s
}

// from makes a source; L is the API's list type, T the API's type, M the model's.
func from[L, T any, M model.Object, LP interface {
	*L
	runtime.Object
}](kind model.Kind, api string, c rest.Interface, namespace string, convert func(interner, T) M) source {
	return source{
		kind: kind, api: api, client: c, namespace: namespace,
		newList: func() runtime.Object { return LP(new(L)) },
		convert: func(t interner, o runtime.Object) (model.Object, error) {
			typed, ok := o.(T)
			if !ok {
				return nil, fmt.Errorf("the API server sent a %T among %s", o, kind)
			}
			return convert(t, typed), nil
		},
	}
}

func (s source) list(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	out := s.newList()
	return out, s.request(opts).Do(ctx).Into(out)
}

func (s source) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	opts.Watch = true
	return s.request(opts).Watch(ctx)
}

func (s source) request(opts metav1.ListOptions) *rest.Request {
	opts.FieldSelector = s.fields
	return s.client.Get().
		NamespaceIfScoped(s.namespace, s.namespace != "").
		Resource(string(s.kind)).
		VersionedParams(&opts, scheme.ParameterCodec).
		MaxRetries(0)
}
