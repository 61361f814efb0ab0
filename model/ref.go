package model

// Kind names a resource as RBAC and kubectl spell it: lower-case plural.
type Kind string

// The kinds that mullion watches.
const (
	KindNode         Kind = "nodes"
	KindPod          Kind = "pods"
	KindRuntimeClass Kind = "runtimeclasses"
	KindBudget       Kind = "poddisruptionbudgets"
	KindDaemonSet    Kind = "daemonsets"
	KindReplicaSet   Kind = "replicasets"
	KindDeployment   Kind = "deployments"
	KindStatefulSet  Kind = "statefulsets"
	KindJob          Kind = "jobs"
	KindCSINode      Kind = "csinodes"
	KindLease        Kind = "leases"

	KindNamespace          Kind = "namespaces"
	KindVolume             Kind = "persistentvolumes"
	KindClaim              Kind = "persistentvolumeclaims"
	KindStorageClass       Kind = "storageclasses"
	KindCertificateRequest Kind = "certificatesigningrequests"

	// KindUsage is no watched kind: it stands for what the kubelets and exporters say.
	KindUsage Kind = "nodes/stats"
)

// Kinds lists every watched kind in the order in which feeds are shown.
var Kinds = []Kind{
	KindNode, KindPod, KindRuntimeClass, KindBudget, KindDaemonSet, KindReplicaSet,
	KindDeployment, KindStatefulSet, KindJob, KindCSINode, KindLease,
	KindNamespace, KindVolume, KindClaim, KindStorageClass, KindCertificateRequest,
}

// Key finds one object of a kind. Namespace is empty for cluster-scoped kinds.
type Key struct {
	Kind      Kind
	Namespace string
	Name      string
}

// Object is anything that a Delta can carry. The set is closed: *Node, *Pod,
// *RuntimeClass, *Budget, *Workload, *CSINode, *Lease, *Usage, *Namespace, *Volume,
// *Claim, *StorageClass, *CertificateRequest.
type Object interface {
	Key() Key
}
