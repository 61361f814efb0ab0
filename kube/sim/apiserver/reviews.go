package apiserver

import (
	"fmt"
	"net/http"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// review answers a user's question about itself.
func (s *Server) review(q *request) error {
	obj, err := q.decode(q.res.gvk)
	if err != nil {
		return err
	}
	switch r := obj.(type) {
	case *authenticationv1.SelfSubjectReview:
		r.Status.UserInfo = authenticationv1.UserInfo{Username: q.user.name, Groups: q.user.groups()}
	case *authorizationv1.SelfSubjectAccessReview:
		if err := s.answerAccess(q, r); err != nil {
			return err
		}
	case *authorizationv1.SelfSubjectRulesReview:
		if r.Spec.Namespace == "" {
			return apierrors.NewBadRequest("no namespace on request")
		}
		r.Status = s.rulesIn(q.user.role, r.Spec.Namespace)
	default:
		return fmt.Errorf("review of %T is not served", obj)
	}
	return q.send(http.StatusCreated, q.res.gvk, obj)
}

func (u user) groups() []string {
	if !u.known {
		return []string{"system:unauthenticated"}
	}
	return []string{"system:authenticated"}
}

var readingVerbs = []string{"get", "list", "watch"}

func (s *Server) answerAccess(q *request, r *authorizationv1.SelfSubjectAccessReview) error {
	a, n := r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes
	if (a == nil) == (n == nil) {
		return apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", field.ErrorList{field.Invalid(field.NewPath("spec"),
			n, "exactly one of nonResourceAttributes or resourceAttributes must be specified")})
	}
	if n != nil {
		r.Status.Allowed = q.user.known
		return nil
	}
	r.Status.Allowed = q.user.role.allows(action{a.Verb, a.Group, a.Resource, a.Subresource, a.Namespace, a.Name})
	if s.readOnly && r.Status.Allowed && !slices.Contains(readingVerbs, a.Verb) {
		r.Status = authorizationv1.SubjectAccessReviewStatus{Reason: errReadOnly.Error()}
	}
	return nil
}

// rulesIn lists what the role allows in one namespace.
func (s *Server) rulesIn(role Role, namespace string) authorizationv1.SubjectRulesReviewStatus {
	out := authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{}, NonResourceRules: []authorizationv1.NonResourceRule{},
	}
	for _, r := range role.Rules {
		if len(r.Namespaces) > 0 && !matchesAny(r.Namespaces, namespace) {
			continue
		}
		verbs := r.Verbs
		if s.readOnly {
			verbs = slices.DeleteFunc(slices.Clone(readingVerbs), func(v string) bool { return !matchesAny(r.Verbs, v) })
		}
		out.ResourceRules = append(out.ResourceRules, authorizationv1.ResourceRule{
			Verbs: verbs, APIGroups: r.Groups, Resources: r.Resources, ResourceNames: r.Names})
	}
	return out
}
