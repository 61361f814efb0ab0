package model

import "slices"

// keptKinds are the kinds that a snapshot holds as they came: nothing is derived from them.
var keptKinds = []Kind{KindNamespace, KindVolume, KindClaim, KindStorageClass, KindCertificateRequest}

func isKept(k Kind) bool { return slices.Contains(keptKinds, k) }

func (c *Cluster) keptOf(k Kind) *sorted[Object] {
	l := c.kept[k]
	if l == nil {
		l = &sorted[Object]{}
		c.kept[k] = l
	}
	return l
}

func keptObject[T Object](s *Snapshot, k Key) (T, bool) {
	l := sorted[Object]{items: s.kept[k.Kind]}
	o, ok := l.get(k)
	if !ok {
		var none T
		return none, false
	}
	t, ok := o.(T)
	return t, ok
}

func keptObjects[T Object](s *Snapshot, k Kind) []T {
	out := make([]T, 0, len(s.kept[k]))
	for _, o := range s.kept[k] {
		if t, ok := o.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

// Namespace finds a namespace by name.
func (s *Snapshot) Namespace(name string) (*Namespace, bool) {
	return keptObject[*Namespace](s, Key{Kind: KindNamespace, Name: name})
}

// Claim finds a PersistentVolumeClaim.
func (s *Snapshot) Claim(namespace, name string) (*Claim, bool) {
	return keptObject[*Claim](s, Key{Kind: KindClaim, Namespace: namespace, Name: name})
}

// Volume finds a PersistentVolume by name.
func (s *Snapshot) Volume(name string) (*Volume, bool) {
	return keptObject[*Volume](s, Key{Kind: KindVolume, Name: name})
}

// StorageClass finds a StorageClass by name.
func (s *Snapshot) StorageClass(name string) (*StorageClass, bool) {
	return keptObject[*StorageClass](s, Key{Kind: KindStorageClass, Name: name})
}

// CertificateRequests returns the kubelets' requests for serving certificates, by name.
func (s *Snapshot) CertificateRequests() []*CertificateRequest {
	return keptObjects[*CertificateRequest](s, KindCertificateRequest)
}

// RuntimeClass finds a RuntimeClass by name.
func (s *Snapshot) RuntimeClass(name string) (*RuntimeClass, bool) {
	l := sorted[*RuntimeClass]{items: s.classes}
	return l.get(Key{Kind: KindRuntimeClass, Name: name})
}

// Pod finds a pod on any node of the snapshot, or among those without one. It looks
// through the whole cluster.
func (s *Snapshot) Pod(namespace, name string) (*Pod, bool) {
	k := Key{Kind: KindPod, Namespace: namespace, Name: name}
	if p, ok := (&sorted[*Pod]{items: s.unbound}).get(k); ok {
		return p, true
	}
	for _, v := range s.nodes {
		if p, ok := (&sorted[*Pod]{items: v.Pods}).get(k); ok {
			return p, true
		}
	}
	return nil, false
}
