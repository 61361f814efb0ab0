package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"
)

var deleteOptionsKind = metav1.Unversioned.WithKind("DeleteOptions")

// optionCodecs know DeleteOptions under the names that clients have for it: its own group, and that of any resource.
var optionCodecs = func() serializer.CodecFactory {
	s := runtime.NewScheme()
	versions := append(newCatalogue().groupVersions(), metav1.SchemeGroupVersion)
	for _, gv := range versions {
		s.AddKnownTypes(gv, &metav1.DeleteOptions{})
	}
	return serializer.NewCodecFactory(s)
}()

func (s *Server) deleteOne(q *request) error {
	o, err := q.deleteOptions()
	if err != nil {
		return err
	}
	it, kept, err := s.deleteObject(q, q.key(), o)
	if err != nil {
		return err
	}
	if kept || q.res.is(returnsDeleted) {
		return q.sendItem(http.StatusOK, it)
	}
	return q.send(http.StatusOK, statusKind, deletedStatus(q.res, it))
}

func deletedStatus(r *resource, it *item) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name: it.meta.GetName(), Group: r.gvk.Group, Kind: r.plural, UID: it.meta.GetUID()}}
}

// deleteOptions come in the body, or in the query when there is no body.
func (q *request) deleteOptions() (*metav1.DeleteOptions, error) {
	o := &metav1.DeleteOptions{}
	if q.r.ContentLength != 0 {
		_, _, err := q.decodeBy(optionCodecs, deleteOptionsKind, o)
		if bad := (decodeError{}); errors.As(err, &bad) {
			return nil, apierrors.NewBadRequest(bad.Error())
		}
		if err != nil {
			return nil, err
		}
	} else if err := metav1.Convert_url_Values_To_v1_DeleteOptions(&q.query, o, nil); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if errs := validation.ValidateDeleteOptions(o); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs)
	}
	q.dryRun = q.dryRun || len(o.DryRun) > 0
	return o, nil
}

// deleteObject deletes one object, or marks it when somebody has to finish first: a kubelet (grace) or a finalizer.
// kept says that the object is still there. The item is its last state.
func (s *Server) deleteObject(q *request, key string, o *metav1.DeleteOptions) (it *item, kept bool, err error) {
	for {
		cur := s.store.get(q.res, key)
		if cur == nil {
			_, name := splitKey(key)
			return nil, false, apierrors.NewNotFound(q.res.groupResource(), name)
		}
		step, err := s.beforeDelete(q.res, cur, o)
		if err != nil {
			return nil, false, err
		}
		if step.pending {
			return cur, q.res.is(returnsDeleted), nil
		}
		if q.dryRun {
			return step.item, step.kept, nil
		}
		if step.item != cur {
			marked, ok, err := s.store.put(q.res, cur, step.item.obj)
			if err != nil {
				return nil, false, err
			}
			if !ok {
				continue
			}
			if step.kept {
				return marked, true, nil
			}
			cur = marked
		}
		if last, ok := s.store.remove(q.res, cur); ok {
			return last, false, nil
		}
		o = withoutVersion(o) // our own mark moved the version that the precondition named
	}
}

// withoutVersion is for a second look at an object whose precondition has held once.
func withoutVersion(o *metav1.DeleteOptions) *metav1.DeleteOptions {
	if o.Preconditions == nil || o.Preconditions.ResourceVersion == nil {
		return o
	}
	o = o.DeepCopy()
	o.Preconditions.ResourceVersion = nil
	return o
}

func splitKey(key string) (namespace, name string) {
	for i := range key {
		if key[i] == '/' {
			return key[:i], key[i+1:]
		}
	}
	return "", key
}

// deletion is what a delete does to an object.
type deletion struct {
	item    *item // the object as it is to be stored first; the present one when nothing is to be written
	kept    bool  // it stays after that
	pending bool  // it is being deleted already, and this request changes nothing
}

// beforeDelete follows rest.BeforeDelete and the graceful part of the generic registry of kube-apiserver.
func (s *Server) beforeDelete(r *resource, cur *item, o *metav1.DeleteOptions) (deletion, error) {
	if err := checkPreconditions(r, cur, o.Preconditions); err != nil {
		return deletion{}, err
	}
	if ns, ok := cur.obj.(*corev1.Namespace); ok {
		return s.beforeNamespaceDelete(cur, ns)
	}
	obj := shallow(cur.obj)
	m, err := meta.Accessor(obj)
	if err != nil {
		return deletion{}, err
	}
	grace, graceful, pending := int64(0), false, false
	if r.is(diesSlowly) {
		grace, graceful, pending = s.shorten(obj.(*corev1.Pod), o)
	}
	if pending {
		return deletion{item: cur, pending: true}, nil
	}
	finalizers := finalizersFor(m.GetFinalizers(), o)
	m.SetFinalizers(finalizers)
	if !graceful && len(finalizers) == 0 {
		return deletion{item: cur}, nil
	}
	if !graceful {
		s.markDeleting(m)
	}
	it, err := newItem(obj, cur.rev)
	return deletion{item: it, kept: len(finalizers) > 0 || grace > 0}, err
}

// beforeNamespaceDelete leaves the namespace, terminating, until its finalizers are taken away by a controller.
func (s *Server) beforeNamespaceDelete(cur *item, ns *corev1.Namespace) (deletion, error) {
	if len(ns.Spec.Finalizers) == 0 && len(ns.Finalizers) == 0 {
		return deletion{item: cur}, nil
	}
	if ns.DeletionTimestamp != nil {
		return deletion{item: cur, pending: true}, nil
	}
	obj := shallow(ns).(*corev1.Namespace)
	now := metav1.NewTime(s.clock.Now().UTC().Truncate(time.Second))
	obj.DeletionTimestamp = &now
	obj.Status.Phase = corev1.NamespaceTerminating
	it, err := newItem(obj, cur.rev)
	return deletion{item: it, kept: true}, err
}

// shorten sets the grace period of a pod's deletion: the asked one, else the pod's own; none for a pod that no kubelet has
// or that has ended. A period that runs can only be made shorter.
func (s *Server) shorten(p *corev1.Pod, o *metav1.DeleteOptions) (grace int64, graceful, pending bool) {
	if p.DeletionTimestamp != nil {
		return s.shortenAgain(p, o)
	}
	switch {
	case o.GracePeriodSeconds != nil:
		grace = *o.GracePeriodSeconds
	case p.Spec.TerminationGracePeriodSeconds != nil:
		grace = *p.Spec.TerminationGracePeriodSeconds
	}
	if grace < 0 {
		grace = 1
	}
	if p.Spec.NodeName == "" || p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
		grace = 0
	}
	at := metav1.NewTime(s.clock.Now().UTC().Add(time.Duration(grace) * time.Second).Truncate(time.Second))
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, ptr.To(grace)
	if p.Generation > 0 {
		p.Generation++
	}
	return grace, true, false
}

func (s *Server) shortenAgain(p *corev1.Pod, o *metav1.DeleteOptions) (grace int64, graceful, pending bool) {
	running := ptr.Deref(p.DeletionGracePeriodSeconds, 0)
	if running == 0 {
		return 0, false, false
	}
	if o.GracePeriodSeconds == nil {
		return 0, false, true
	}
	grace = *o.GracePeriodSeconds
	if grace < 0 {
		grace = 1
	}
	if grace >= running {
		return 0, false, true
	}
	at := metav1.NewTime(p.DeletionTimestamp.Add(time.Duration(grace-running) * time.Second))
	if now := metav1.NewTime(s.clock.Now().UTC().Truncate(time.Second)); at.Before(&now) {
		at = now
		if grace != 0 {
			grace = 1
		}
	}
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, ptr.To(grace)
	return grace, true, false
}

// markDeleting is for objects that wait for finalizers alone.
func (s *Server) markDeleting(m metav1.Object) {
	now := metav1.NewTime(s.clock.Now().UTC().Truncate(time.Second))
	if m.GetDeletionTimestamp() == nil && m.GetGeneration() > 0 {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	if at := m.GetDeletionTimestamp(); at == nil || at.After(now.Time) {
		m.SetDeletionTimestamp(&now)
	}
	m.SetDeletionGracePeriodSeconds(ptr.To[int64](0))
}

// finalizersFor adds or drops the two finalizers with which a garbage collector is told what to do with dependents.
func finalizersFor(have []string, o *metav1.DeleteOptions) []string {
	policy := ptr.Deref(o.PropagationPolicy, "")
	//lint:ignore SA1019 old clients still send it
	if orphan := o.OrphanDependents; orphan != nil {
		policy = metav1.DeletePropagationBackground
		if *orphan {
			policy = metav1.DeletePropagationOrphan
		}
	}
	if policy == "" {
		return have
	}
	out := slices.DeleteFunc(slices.Clone(have), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	switch policy {
	case metav1.DeletePropagationOrphan:
		out = append(out, metav1.FinalizerOrphanDependents)
	case metav1.DeletePropagationForeground:
		out = append(out, metav1.FinalizerDeleteDependents)
	}
	return out
}

func checkPreconditions(r *resource, cur *item, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	what := schema.GroupResource{Group: r.gvk.Group, Resource: r.gvk.Kind}
	if p.UID != nil && *p.UID != cur.meta.GetUID() {
		return apierrors.NewConflict(what, cur.meta.GetName(), fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). "+
			"The object might have been deleted and then recreated", *p.UID, cur.meta.GetUID()))
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != cur.meta.GetResourceVersion() {
		return apierrors.NewConflict(what, cur.meta.GetName(), fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the "+
			"ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, cur.meta.GetResourceVersion()))
	}
	return nil
}

// deleteCollection deletes all that the selectors match, each as a delete of its own would.
func (s *Server) deleteCollection(q *request) error {
	o, err := q.deleteOptions()
	if err != nil {
		return err
	}
	m, err := q.matcher()
	if err != nil {
		return err
	}
	tree, rev := s.store.snapshot(q.res)
	items := selectFrom(tree, m)
	for _, it := range items {
		if _, _, err := s.deleteObject(q, it.key, o); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return q.sendList(metav1.ListMeta{ResourceVersion: fmt.Sprint(rev)}, items)
}
