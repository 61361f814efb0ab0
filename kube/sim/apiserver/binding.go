package apiserver

import (
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// bind puts a pod on a node, as a scheduler asks for it.
func (s *Server) bind(q *request) error {
	obj, err := q.decode(corev1.SchemeGroupVersion.WithKind("Binding"))
	if err != nil {
		return err
	}
	b := obj.(*corev1.Binding)
	if b.Name != q.name {
		return apierrors.NewBadRequest("name in URL does not match name in Binding object")
	}
	place := *q
	place.verb = "patch" // the node name is a part of the spec that no other request may write
	_, _, err = s.modify(&place, func(cur *item) (runtime.Object, error) { return s.bound(cur.obj.(*corev1.Pod), b) })
	if err != nil {
		return err
	}
	return q.send(http.StatusCreated, statusKind, &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated})
}

func (s *Server) bound(pod *corev1.Pod, b *corev1.Binding) (runtime.Object, error) {
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, fmt.Errorf(format, args...))
	}
	switch {
	case b.UID != "" && b.UID != pod.UID:
		return nil, conflict("Precondition failed: UID in precondition: %s, UID in object meta: %s", b.UID, pod.UID)
	case pod.DeletionTimestamp != nil:
		return nil, conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return nil, conflict("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	}
	p := pod.DeepCopy()
	p.Spec.NodeName = b.Target.Name
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(s.clock.Now().UTC())}
	for i, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			p.Status.Conditions[i] = scheduled
			return p, nil
		}
	}
	p.Status.Conditions = append(p.Status.Conditions, scheduled)
	return p, nil
}
