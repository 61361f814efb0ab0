package apiserver

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// admit runs the admission plugins of a stock cluster that shape what mullion sees.
func (s *Server) admit(q *request, obj runtime.Object, m metav1.Object) error {
	if err := s.admitNamespace(q, m.GetNamespace(), m.GetName()); err != nil {
		return err
	}
	switch o := obj.(type) {
	case *corev1.Node:
		taintUntilReady(o)
	case *corev1.Pod:
		if o.Spec.ServiceAccountName == "" {
			o.Spec.ServiceAccountName, o.Spec.DeprecatedServiceAccount = "default", "default"
		}
		if err := s.admitPriority(q, o); err != nil {
			return err
		}
		addDefaultTolerations(o)
		return s.admitRuntimeClass(q, o)
	}
	return nil
}

// taintUntilReady keeps pods off a new node until the node lifecycle controller has seen that it is ready.
func taintUntilReady(n *corev1.Node) {
	for _, t := range n.Spec.Taints {
		if t.Key == corev1.TaintNodeNotReady && t.Effect == corev1.TaintEffectNoSchedule {
			return
		}
	}
	n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule})
}

// admitNamespace: nothing is created in a namespace that is not there or that is going.
func (s *Server) admitNamespace(q *request, namespace, name string) error {
	if namespace == "" {
		return nil
	}
	namespaces := s.catalogue.byKind[corev1.SchemeGroupVersion.WithKind("Namespace")]
	it := s.store.get(namespaces, objectKey("", namespace))
	if it == nil {
		return apierrors.NewNotFound(namespaces.groupResource(), namespace)
	}
	if it.obj.(*corev1.Namespace).Status.Phase != corev1.NamespaceTerminating {
		return nil
	}
	err := apierrors.NewForbidden(q.res.groupResource(), name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", namespace), Field: "metadata.namespace"})
	return err
}

// admitRuntimeClass adds the class's overhead, node selector and tolerations to the pod, or refuses a contradiction.
func (s *Server) admitRuntimeClass(q *request, pod *corev1.Pod) error {
	refuse := func(format string, args ...any) error {
		return apierrors.NewForbidden(q.res.groupResource(), pod.Name, fmt.Errorf(format, args...))
	}
	var class nodev1.RuntimeClass
	if name := pod.Spec.RuntimeClassName; name != nil {
		it := s.store.get(s.catalogue.byKind[nodev1.SchemeGroupVersion.WithKind("RuntimeClass")], objectKey("", *name))
		if it == nil {
			return refuse("pod rejected: RuntimeClass %q not found", *name)
		}
		class = *it.obj.(*nodev1.RuntimeClass)
	}
	if class.Overhead == nil {
		if pod.Spec.Overhead != nil {
			return refuse("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
		}
	} else {
		if len(pod.Spec.Overhead) > 0 && !equality.Semantic.DeepEqual(class.Overhead.PodFixed, pod.Spec.Overhead) {
			return refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		}
		pod.Spec.Overhead = class.Overhead.PodFixed.DeepCopy()
	}
	if class.Scheduling == nil {
		return nil
	}
	for k, v := range class.Scheduling.NodeSelector {
		if have, ok := pod.Spec.NodeSelector[k]; ok && have != v {
			return refuse("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", k, v, k, have)
		}
		if pod.Spec.NodeSelector == nil {
			pod.Spec.NodeSelector = map[string]string{}
		}
		pod.Spec.NodeSelector[k] = v
	}
	pod.Spec.Tolerations = mergeTolerations(pod.Spec.Tolerations, class.Scheduling.Tolerations)
	return nil
}

// mergeTolerations joins two lists; one that another covers is left out.
func mergeTolerations(first, second []corev1.Toleration) []corev1.Toleration {
	all := slices.Concat(first, second)
	var merged []corev1.Toleration
	for i, t := range all {
		covered := slices.ContainsFunc(merged, func(o corev1.Toleration) bool { return covers(o, t) }) ||
			slices.ContainsFunc(all[i+1:], func(o corev1.Toleration) bool { return !equality.Semantic.DeepEqual(t, o) && covers(o, t) })
		if !covered {
			merged = append(merged, t)
		}
	}
	return merged
}

// covers says whether whatever t tolerates, wide tolerates too.
func covers(wide, t corev1.Toleration) bool {
	if equality.Semantic.DeepEqual(wide, t) {
		return true
	}
	if t.Key != wide.Key && (wide.Key != "" || wide.Operator != corev1.TolerationOpExists) {
		return false
	}
	if t.Effect != wide.Effect && wide.Effect != "" {
		return false
	}
	if wide.Effect == corev1.TaintEffectNoExecute && wide.TolerationSeconds != nil &&
		(t.TolerationSeconds == nil || *t.TolerationSeconds > *wide.TolerationSeconds) {
		return false
	}
	if wide.Operator == corev1.TolerationOpExists {
		return true
	}
	return (wide.Operator == corev1.TolerationOpEqual || wide.Operator == "") && t.Operator == corev1.TolerationOpEqual && t.Value == wide.Value
}

// systemPriorities are the classes that every cluster has.
var systemPriorities = map[string]int32{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

func (s *Server) admitPriority(q *request, pod *corev1.Pod) error {
	priority, policy := int32(0), ptr.To(corev1.PreemptLowerPriority)
	if name := pod.Spec.PriorityClassName; name != "" {
		if v, ok := systemPriorities[name]; ok {
			priority = v
		} else {
			it := s.store.get(s.catalogue.byKind[schedulingv1.SchemeGroupVersion.WithKind("PriorityClass")], objectKey("", name))
			if it == nil {
				return apierrors.NewForbidden(q.res.groupResource(), pod.Name, fmt.Errorf("no PriorityClass with name %s was found", name))
			}
			class := it.obj.(*schedulingv1.PriorityClass)
			priority = class.Value
			if class.PreemptionPolicy != nil {
				policy = ptr.To(*class.PreemptionPolicy)
			}
		}
	}
	if pod.Spec.Priority != nil && *pod.Spec.Priority != priority {
		return apierrors.NewForbidden(q.res.groupResource(), pod.Name, fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; "+
			"priority admission controller computed %d from the given PriorityClass name", *pod.Spec.Priority, priority))
	}
	pod.Spec.Priority, pod.Spec.PreemptionPolicy = &priority, policy
	return nil
}

// addDefaultTolerations lets a pod stay for five minutes on a node that stops answering.
func addDefaultTolerations(pod *corev1.Pod) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerated := slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		})
		if !tolerated {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)})
		}
	}
}
