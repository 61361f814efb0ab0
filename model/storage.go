package model

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Volume is a PersistentVolume.
type Volume struct {
	Name         string
	Kind         string // csi, nfs, local, hostPath, …, as in the API; empty is unknown
	Driver       string // of a csi volume
	Claim        Key    // the claim that it is bound to or kept for; zero is none
	Phase        string // Available, Bound, Released, Failed
	NodeAffinity *corev1.NodeSelector
	Zones        map[string]string // its zone and region labels
}

// Key implements Object.
func (v *Volume) Key() Key { return Key{Kind: KindVolume, Name: v.Name} }

// Claim is a PersistentVolumeClaim.
type Claim struct {
	Namespace string
	Name      string
	Volume    string // spec.volumeName; empty while it is not bound
	Class     string // StorageClass; empty is none
	Phase     string // Pending, Bound, Lost
	OnePod    bool   // ReadWriteOncePod
	Block     bool   // volumeMode Block
	Deleted   bool   // deletion was asked for
}

// Key implements Object.
func (c *Claim) Key() Key { return Key{Kind: KindClaim, Namespace: c.Namespace, Name: c.Name} }

// StorageClass is a storage.k8s.io StorageClass.
type StorageClass struct {
	Name         string
	Provisioner  string
	WaitsForPod  bool // volumeBindingMode WaitForFirstConsumer: the volume is made where the pod goes
	IsDefault    bool
	Topologies   []corev1.TopologySelectorTerm // allowedTopologies; empty is anywhere
	CannotCreate bool                          // the provisioner makes no volumes (kubernetes.io/no-provisioner)
}

// Key implements Object.
func (c *StorageClass) Key() Key { return Key{Kind: KindStorageClass, Name: c.Name} }

// Namespace is what mullion keeps of a Namespace.
type Namespace struct {
	Name        string
	Labels      map[string]string
	Terminating bool
}

// Key implements Object.
func (n *Namespace) Key() Key { return Key{Kind: KindNamespace, Name: n.Name} }

// CertificateRequest is a CertificateSigningRequest of a kubelet for its serving
// certificate (signer kubernetes.io/kubelet-serving); others are not watched.
type CertificateRequest struct {
	Name    string
	User    string // who asked: system:node:NAME
	Created time.Time
	Denied  bool
	Failed  bool
	Granted bool // approved; Issued tells whether the certificate is there too
	Issued  bool
}

// Key implements Object.
func (c *CertificateRequest) Key() Key { return Key{Kind: KindCertificateRequest, Name: c.Name} }

// Pending reports whether nobody has decided yet.
func (c *CertificateRequest) Pending() bool { return !c.Denied && !c.Failed && !c.Granted && !c.Issued }
