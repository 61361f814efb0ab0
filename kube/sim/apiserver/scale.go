package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

// scale shows and sets the replica count of a workload.
func (s *Server) scale(q *request) error {
	if q.verb == "get" {
		it := s.store.get(q.res, q.key())
		if it == nil {
			return q.notFound()
		}
		return q.send(http.StatusOK, scaleKind, scaleOf(it))
	}
	next, err := q.nextScale()
	if err != nil {
		return err
	}
	main := *q
	main.sub = ""
	it, _, err := s.modify(&main, func(cur *item) (runtime.Object, error) {
		want, err := next(scaleOf(cur))
		if err != nil {
			return nil, err
		}
		return scaled(cur.obj, want)
	})
	if err != nil {
		return err
	}
	q.code = main.code
	return q.send(http.StatusOK, scaleKind, scaleOf(it))
}

// nextScale reads the request: the scale that is to come after the present one.
func (q *request) nextScale() (func(*autoscalingv1.Scale) (*autoscalingv1.Scale, error), error) {
	if q.verb == "update" {
		obj, err := q.decode(scaleKind)
		if err != nil {
			return nil, err
		}
		want := obj.(*autoscalingv1.Scale)
		return func(*autoscalingv1.Scale) (*autoscalingv1.Scale, error) { return want, q.sameName(want) }, nil
	}
	kind, body, err := q.readPatch()
	if err != nil {
		return nil, err
	}
	return func(cur *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		cur.SetGroupVersionKind(scaleKind)
		before, err := json.Marshal(cur)
		if err != nil {
			return nil, fmt.Errorf("encode the scale of %s: %w", q.name, err)
		}
		obj, err := applyPatch(before, kind, body, scaleKind)
		if err != nil {
			return nil, err
		}
		want := obj.(*autoscalingv1.Scale)
		return want, q.sameName(want)
	}, nil
}

func scaled(old runtime.Object, want *autoscalingv1.Scale) (runtime.Object, error) {
	obj := old.DeepCopyObject()
	n := ptr.To(want.Spec.Replicas)
	switch o := obj.(type) {
	case *appsv1.Deployment:
		o.Spec.Replicas, o.ResourceVersion = n, want.ResourceVersion
	case *appsv1.ReplicaSet:
		o.Spec.Replicas, o.ResourceVersion = n, want.ResourceVersion
	case *appsv1.StatefulSet:
		o.Spec.Replicas, o.ResourceVersion = n, want.ResourceVersion
	case *corev1.ReplicationController:
		o.Spec.Replicas, o.ResourceVersion = n, want.ResourceVersion
	default:
		return nil, fmt.Errorf("scale a %T: it has no replicas", old)
	}
	return obj, nil
}

func scaleOf(it *item) *autoscalingv1.Scale {
	out := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: it.meta.GetName(), Namespace: it.meta.GetNamespace(), UID: it.meta.GetUID(),
		ResourceVersion: it.meta.GetResourceVersion(), CreationTimestamp: it.meta.GetCreationTimestamp()}}
	var selector *metav1.LabelSelector
	switch o := it.obj.(type) {
	case *appsv1.Deployment:
		out.Spec.Replicas, out.Status.Replicas, selector = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	case *appsv1.ReplicaSet:
		out.Spec.Replicas, out.Status.Replicas, selector = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	case *appsv1.StatefulSet:
		out.Spec.Replicas, out.Status.Replicas, selector = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	case *corev1.ReplicationController:
		out.Spec.Replicas, out.Status.Replicas = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas
		selector = &metav1.LabelSelector{MatchLabels: o.Spec.Selector}
	}
	if parsed, err := metav1.LabelSelectorAsSelector(selector); err == nil {
		out.Status.Selector = parsed.String()
	}
	return out
}
