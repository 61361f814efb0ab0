package apiserver

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubectl/pkg/util/qos"
)

// idSource makes names and UIDs that look random and are the same in every run that makes the same requests.
type idSource struct{ n atomic.Uint64 }

// nameLetters are those of generated names in Kubernetes: no vowels, so no words.
const nameLetters = "bcdfghjklmnpqrstvwxz2456789"

func (i *idSource) suffix() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "name %d", i.n.Add(1)))
	var b strings.Builder
	for _, c := range sum[:5] {
		b.WriteByte(nameLetters[int(c)%len(nameLetters)])
	}
	return b.String()
}

func (i *idSource) uid(kind, key string) types.UID {
	return uidOf(fmt.Sprintf("%s %s %d", kind, key, i.n.Add(1)))
}

func uidOf(seed string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceOID, []byte("mullion "+seed)).String())
}

// fillNew sets what the server decides about a new object, before admission looks at it.
func (s *Server) fillNew(q *request, obj runtime.Object, m metav1.Object) {
	m.SetUID(s.ids.uid(q.res.gvk.Kind, objectKey(m.GetNamespace(), m.GetName())))
	m.SetCreationTimestamp(metav1.NewTime(s.clock.Now().UTC().Truncate(time.Second)))
	m.SetResourceVersion("")
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetSelfLink("")
	m.SetManagedFields(nil)
	m.SetGeneration(0)
	if q.res.is(hasGeneration) {
		m.SetGeneration(1)
	}
	if q.res.is(hasStatus) && !q.res.is(keepsStatusOnCreate) {
		clearPart(obj, "Status")
	}
	setDefaults(obj)
	switch o := obj.(type) {
	case *corev1.Pod:
		o.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: qos.GetPodQOS(o)}
	case *corev1.Namespace:
		o.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
	case *certificatesv1.CertificateSigningRequest:
		o.Spec.Username, o.Spec.Groups = q.user.name, q.user.groups()
	}
}

// validateNew checks the metadata and the few fields without which nothing works.
func validateNew(r *resource, obj runtime.Object, m metav1.Object) error {
	checkName := validation.NameIsDNSSubdomain
	if strings.HasPrefix(r.gvk.Group, "rbac.") {
		checkName = func(string, bool) []string { return nil }
	}
	if r.gvk.Kind == "Namespace" {
		checkName = validation.ValidateNamespaceName
	}
	errs := validation.ValidateObjectMetaAccessor(m, r.namespaced, checkName, field.NewPath("metadata"))
	if p, ok := obj.(*corev1.Pod); ok && len(p.Spec.Containers) == 0 {
		errs = append(errs, field.Required(field.NewPath("spec", "containers"), ""))
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(r.gvk.GroupKind(), m.GetName(), errs)
	}
	return nil
}

// initialObjects are those of a fresh cluster.
func initialObjects(now time.Time) []runtime.Object {
	var out []runtime.Object
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		out = append(out, &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(now.UTC().Truncate(time.Second))},
			Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
		})
	}
	return out
}
