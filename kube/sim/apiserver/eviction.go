package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// maxDisruptedPods is how many evictions may wait for the disruption controller to notice them.
const maxDisruptedPods = 2000

var (
	statusKind   = metav1.Unversioned.WithKind("Status")
	evictionKind = policyv1.SchemeGroupVersion.WithKind("Eviction")
)

// evict answers the eviction subresource: the pod is deleted if its disruption budget has room, and the budget is spent.
// Rules, order and words are those of k8s.io/kubernetes v1.37 pkg/registry/core/pod/storage/eviction.go.
func (s *Server) evict(q *request) error {
	obj, err := q.decode(evictionKind)
	if err != nil {
		return err
	}
	e := obj.(*policyv1.Eviction)
	if e.Name != q.name {
		return apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	if err := q.ownNamespace(e); err != nil {
		return err
	}
	if err := s.admitNamespace(q, q.namespace, q.name); err != nil {
		return err
	}
	o, err := q.evictionOptions(e)
	if err != nil {
		return err
	}
	refusal, err := s.evictPod(q, o)
	if err != nil {
		return err
	}
	if refusal != nil {
		return q.send(int(refusal.Code), statusKind, refusal)
	}
	return q.send(http.StatusCreated, statusKind, &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated})
}

// evictionOptions joins the dry run of the query with that of the body; they may not contradict each other.
func (q *request) evictionOptions(e *policyv1.Eviction) (*metav1.DeleteOptions, error) {
	asked := q.query["dryRun"]
	o := e.DeleteOptions
	if o == nil {
		o = &metav1.DeleteOptions{}
	}
	switch {
	case len(o.DryRun) == 0:
		o.DryRun = asked
	case len(asked) > 0 && !slices.Equal(asked, o.DryRun):
		return nil, words("Non-matching dry-run options in request and content: %v and %v", asked, o.DryRun)
	}
	q.dryRun = len(o.DryRun) > 0
	return o, nil
}

// evictPod returns a refusal that has no reason, as the real server gives for a pod with two budgets, apart from errors.
func (s *Server) evictPod(q *request, o *metav1.DeleteOptions) (*metav1.Status, error) {
	pinned := o.Preconditions != nil && o.Preconditions.ResourceVersion != nil
	for {
		cur := s.store.get(q.res, q.key())
		if cur == nil {
			return nil, q.notFound()
		}
		pod := cur.obj.(*corev1.Pod)
		use, budget := o, ""
		if budgetIgnores(pod) {
			if pod.Status.Phase == corev1.PodPending && pod.DeletionTimestamp == nil && !pinned {
				use = withVersion(o, pod.ResourceVersion)
			}
		} else {
			var check budgetCheck
			if check = s.checkBudget(q, pod); check.refusal != nil || check.err != nil {
				return check.refusal, check.err
			}
			if check.unhealthy {
				use, budget = withVersion(o, pod.ResourceVersion), check.name
			}
		}
		err := s.markAndDelete(q, use)
		if err == nil || !apierrors.IsConflict(err) || pinned {
			return nil, err
		}
		if budget != "" {
			return nil, stillProcessed(budget)
		}
		if use == o {
			return nil, err
		}
	}
}

// budgetIgnores: a pod that does no work, or is going already, costs no budget.
func budgetIgnores(p *corev1.Pod) bool {
	switch p.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending:
		return true
	}
	return p.DeletionTimestamp != nil
}

func withVersion(o *metav1.DeleteOptions, version string) *metav1.DeleteOptions {
	o = o.DeepCopy()
	if o.Preconditions == nil {
		o.Preconditions = &metav1.Preconditions{}
	}
	o.Preconditions.ResourceVersion = &version
	return o
}

type budgetCheck struct {
	name      string
	unhealthy bool // the pod is not ready and may go without spending budget, if it is still the same pod
	refusal   *metav1.Status
	err       error
}

// checkBudget finds the pod's budget and spends one disruption of it.
func (s *Server) checkBudget(q *request, pod *corev1.Pod) budgetCheck {
	budgets := s.budgetsOf(pod)
	if len(budgets) > 1 {
		return budgetCheck{refusal: &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}}
	}
	if len(budgets) == 0 {
		return budgetCheck{}
	}
	cur := budgets[0]
	pdb := cur.obj.(*policyv1.PodDisruptionBudget)
	if !podReady(pod) && unhealthyMayGo(pdb) {
		return budgetCheck{name: pdb.Name, unhealthy: true}
	}
	res := s.catalogue.byKind[policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")]
	for {
		spent, err := s.spend(cur.obj.(*policyv1.PodDisruptionBudget), pod.Name)
		if err != nil || q.dryRun {
			return budgetCheck{err: err}
		}
		if _, ok, err := s.store.put(res, cur, spent); err != nil || ok {
			return budgetCheck{err: err}
		}
		if cur = s.store.get(res, cur.key); cur == nil {
			return budgetCheck{err: apierrors.NewNotFound(res.groupResource(), pdb.Name)}
		}
	}
}

// unhealthyMayGo applies unhealthyPodEvictionPolicy to a pod that is not ready.
func unhealthyMayGo(pdb *policyv1.PodDisruptionBudget) bool {
	if ptr.Deref(pdb.Spec.UnhealthyPodEvictionPolicy, policyv1.IfHealthyBudget) == policyv1.AlwaysAllow {
		return true
	}
	return pdb.Status.DesiredHealthy > 0 && pdb.Status.CurrentHealthy >= pdb.Status.DesiredHealthy
}

func (s *Server) budgetsOf(pod *corev1.Pod) []*item {
	res := s.catalogue.byKind[policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")]
	tree, _ := s.store.snapshot(res)
	everything := &matcher{namespace: pod.Namespace, labels: labels.Everything(), fields: fields.Everything()}
	return slices.DeleteFunc(selectFrom(tree, everything), func(it *item) bool {
		selector, err := metav1.LabelSelectorAsSelector(it.obj.(*policyv1.PodDisruptionBudget).Spec.Selector)
		return err != nil || !selector.Matches(labels.Set(pod.Labels))
	})
}

func podReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// spend returns the budget with one disruption less, or why there is none to spend.
func (s *Server) spend(pdb *policyv1.PodDisruptionBudget, pod string) (*policyv1.PodDisruptionBudget, error) {
	switch st := pdb.Status; {
	case st.ObservedGeneration < pdb.Generation:
		return nil, stillProcessed(pdb.Name)
	case st.DisruptionsAllowed < 0:
		return nil, budgetForbids(pdb.Name, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
	case len(st.DisruptedPods) > maxDisruptedPods:
		return nil, budgetForbids(pdb.Name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
			"too many pending evictions not confirmed by PDB controller")
	case st.DisruptionsAllowed == 0:
		return nil, nothingLeft(pdb)
	}
	spent := pdb.DeepCopy()
	spent.Status.DisruptionsAllowed--
	if spent.Status.DisruptionsAllowed == 0 {
		meta.SetStatusCondition(&spent.Status.Conditions, metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
			Reason: policyv1.InsufficientPodsReason, ObservedGeneration: spent.Status.ObservedGeneration,
			LastTransitionTime: metav1.NewTime(s.clock.Now().UTC()),
		})
	}
	if spent.Status.DisruptedPods == nil {
		spent.Status.DisruptedPods = map[string]metav1.Time{}
	}
	spent.Status.DisruptedPods[pod] = metav1.NewTime(s.clock.Now().UTC())
	return spent, nil
}

const wouldViolate = "Cannot evict pod as it would violate the pod's disruption budget."

// stillProcessed is the 429 with a time to wait: the controller has not looked at the budget since it was changed.
func stillProcessed(name string) error {
	err := apierrors.NewTooManyRequests(wouldViolate, 10)
	return becauseOfBudget(err, fmt.Sprintf("The disruption budget %s is still being processed by the server.", name))
}

func budgetForbids(name, reason, cause string) error {
	err := apierrors.NewForbidden(schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}, name, errors.New(reason))
	return becauseOfBudget(err, fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: %s", name, cause))
}

// nothingLeft is the 429 without a time to wait.
func nothingLeft(pdb *policyv1.PodDisruptionBudget) error {
	c := meta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	failed := c != nil && c.Status == metav1.ConditionFalse && c.Message != ""
	cause := fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", pdb.Name)
	switch {
	case failed && c.Reason == policyv1.SyncFailedReason:
		cause += " because it failed sync: " + c.Message
	case pdb.Status.CurrentHealthy <= pdb.Status.DesiredHealthy:
		cause = fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", pdb.Name,
			pdb.Status.DesiredHealthy, pdb.Status.CurrentHealthy)
	case failed:
		cause += fmt.Sprintf(" (%s): %s", c.Reason, c.Message)
	}
	return becauseOfBudget(apierrors.NewTooManyRequests(wouldViolate, 0), cause)
}

func becauseOfBudget(err *apierrors.StatusError, message string) error {
	d := err.ErrStatus.Details
	d.Causes = append(d.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: message})
	return err
}

// markAndDelete writes the condition that says why the pod goes, then deletes it.
func (s *Server) markAndDelete(q *request, o *metav1.DeleteOptions) error {
	if !q.dryRun {
		mark := *q
		mark.verb, mark.sub = "patch", "status"
		it, _, err := s.modify(&mark, func(cur *item) (runtime.Object, error) {
			if err := evictionPreconditions(cur, o.Preconditions); err != nil {
				return nil, err
			}
			return s.markedForEviction(cur.obj.(*corev1.Pod)), nil
		})
		if err != nil {
			return err
		}
		if o.Preconditions != nil && o.Preconditions.ResourceVersion != nil {
			o = withVersion(o, it.meta.GetResourceVersion())
		}
	}
	_, _, err := s.deleteObject(q, q.key(), o)
	return err
}

// evictionPreconditions speak of "Pod" where those of a delete speak of the kind in its group; otherwise they are the same.
func evictionPreconditions(cur *item, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	only := &metav1.Preconditions{}
	if p.UID != nil && *p.UID != "" {
		only.UID = p.UID
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != "" {
		only.ResourceVersion = p.ResourceVersion
	}
	return checkPreconditions(&resource{gvk: gvk("", "v1", "Pod")}, cur, only)
}

func (s *Server) markedForEviction(pod *corev1.Pod) *corev1.Pod {
	p := pod.DeepCopy()
	want := corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
		Message: "Eviction API: evicting", LastTransitionTime: metav1.NewTime(s.clock.Now().UTC())}
	for i, c := range p.Status.Conditions {
		if c.Type == want.Type {
			if c.Status == want.Status {
				want.LastTransitionTime = c.LastTransitionTime
			}
			want.LastProbeTime = c.LastProbeTime
			p.Status.Conditions[i] = want
			return p
		}
	}
	p.Status.Conditions = append(p.Status.Conditions, want)
	return p
}
