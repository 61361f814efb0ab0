package apiserver

import (
	"fmt"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// settle applies the rules of an update to obj, the successor of cur: which parts this request may change, what nobody may
// change, and whether the generation grows. It says whether anything is left that differs.
func (q *request) settle(cur *item, obj runtime.Object, m metav1.Object) (same bool, err error) {
	if err := q.checkVersions(cur, m); err != nil {
		return false, err
	}
	setDefaults(obj)
	q.keepParts(cur.obj, obj)
	keepSystemMeta(cur.meta, m)
	if err := noNewFinalizers(q.res, cur.meta, m); err != nil {
		return false, err
	}
	if q.sub == "" {
		if err := validateChange(q.res, cur.obj, obj, m); err != nil {
			return false, err
		}
	}
	if q.res.is(hasGeneration) && q.sub != "status" && newGeneration(cur.obj, obj) {
		m.SetGeneration(cur.meta.GetGeneration() + 1)
	}
	return equality.Semantic.DeepEqual(cur.obj, obj), nil
}

// newGeneration says whether controllers have something new to act on. Deployments hand their annotations down, so those
// count for them.
func newGeneration(old, obj runtime.Object) bool {
	if d, ok := obj.(*appsv1.Deployment); ok && !equality.Semantic.DeepEqual(d.Annotations, old.(*appsv1.Deployment).Annotations) {
		return true
	}
	return !equality.Semantic.DeepEqual(specOf(old), specOf(obj))
}

func specOf(obj runtime.Object) any {
	spec := part(obj, "Spec")
	if !spec.IsValid() {
		return nil
	}
	return spec.Interface()
}

// keepParts lets a request to the main resource leave the status alone, and one to the status everything else.
func (q *request) keepParts(old, obj runtime.Object) {
	switch q.sub {
	case "":
		if q.res.is(hasStatus) {
			copyPart(obj, old, "Status")
		}
	case "status":
		copyPart(obj, old, "Spec")
		if p, ok := obj.(*corev1.Pod); ok {
			p.OwnerReferences = old.(*corev1.Pod).OwnerReferences
			if p.Status.QOSClass == "" {
				p.Status.QOSClass = old.(*corev1.Pod).Status.QOSClass
			}
		}
	case "approval":
		approved := obj.(*certificatesv1.CertificateSigningRequest).Status.Conditions
		copyPart(obj, old, "Spec")
		copyPart(obj, old, "Status")
		obj.(*certificatesv1.CertificateSigningRequest).Status.Conditions = approved
	case "finalize":
		finalizers := obj.(*corev1.Namespace).Spec.Finalizers
		copyPart(obj, old, "Status")
		obj.(*corev1.Namespace).Spec.Finalizers = finalizers
	}
	if q.sub == "" {
		if ns, ok := obj.(*corev1.Namespace); ok {
			ns.Spec = old.(*corev1.Namespace).Spec
		}
	}
}

// keepSystemMeta restores the metadata that belongs to the server.
func keepSystemMeta(old, m metav1.Object) {
	m.SetUID(old.GetUID())
	m.SetGeneration(old.GetGeneration())
	m.SetCreationTimestamp(old.GetCreationTimestamp())
	m.SetDeletionTimestamp(old.GetDeletionTimestamp())
	m.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	m.SetSelfLink("")
}

func noNewFinalizers(r *resource, old, m metav1.Object) error {
	if old.GetDeletionTimestamp() == nil {
		return nil
	}
	added := sets.List(sets.New(m.GetFinalizers()...).Difference(sets.New(old.GetFinalizers()...)))
	if len(added) == 0 {
		return nil
	}
	return apierrors.NewInvalid(r.gvk.GroupKind(), m.GetName(), field.ErrorList{field.Forbidden(field.NewPath("metadata", "finalizers"),
		fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", added))})
}

// validateChange holds the rules about immutable fields that operators run into; full validation is the real server's.
func validateChange(r *resource, old, obj runtime.Object, m metav1.Object) error {
	p, ok := obj.(*corev1.Pod)
	if !ok {
		return nil
	}
	allowed := old.(*corev1.Pod).Spec.DeepCopy()
	for i := range p.Spec.Containers {
		if i < len(allowed.Containers) {
			allowed.Containers[i].Image = p.Spec.Containers[i].Image
		}
	}
	for i := range p.Spec.InitContainers {
		if i < len(allowed.InitContainers) {
			allowed.InitContainers[i].Image = p.Spec.InitContainers[i].Image
		}
	}
	allowed.ActiveDeadlineSeconds = p.Spec.ActiveDeadlineSeconds
	if extends(p.Spec.Tolerations, allowed.Tolerations) {
		allowed.Tolerations = p.Spec.Tolerations
	}
	if equality.Semantic.DeepEqual(*allowed, p.Spec) {
		return nil
	}
	return apierrors.NewInvalid(r.gvk.GroupKind(), m.GetName(), field.ErrorList{field.Forbidden(field.NewPath("spec"),
		"pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"+
			"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"+
			"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)")})
}

// extends says whether all of old is in list.
func extends(list, old []corev1.Toleration) bool {
	for _, t := range old {
		found := false
		for _, u := range list {
			found = found || reflect.DeepEqual(t, u)
		}
		if !found {
			return false
		}
	}
	return true
}
