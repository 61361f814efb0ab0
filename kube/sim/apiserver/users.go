package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Role is what a user may do: whatever one of the rules allows.
type Role struct{ Rules []Rule }

// Rule allows the verbs on the resources, as a rule of RBAC does. "*" matches all. A subresource is named
// "pods/eviction", and "*/eviction" is that of every resource; "pods" alone covers no subresource. Empty Names: every
// name. Empty Namespaces: every namespace and cluster-wide requests; named ones allow requests inside them only.
type Rule struct{ Verbs, Groups, Resources, Names, Namespaces []string }

// Everything is the role of an administrator.
func Everything() Role {
	all := []string{"*"}
	return Role{Rules: []Rule{{Verbs: all, Groups: all, Resources: all}}}
}

// action is what somebody wants to do, as access reviews and authorization see it.
type action struct{ verb, group, resource, sub, namespace, name string }

type user struct {
	name  string
	role  Role
	known bool // authenticated, so that basic questions are allowed
}

const anonymous = "system:anonymous"

var errReadOnly = errors.New("this cluster is a dump that is looked at offline, so nothing can be changed in it")

// identify finds the user by the bearer token, and follows impersonation where that is allowed.
func (s *Server) identify(r *http.Request) (user, error) {
	u := user{name: anonymous}
	if h := r.Header.Get("Authorization"); h != "" {
		token, _ := strings.CutPrefix(h, "Bearer ")
		role, ok := s.users[token]
		if !ok {
			return u, apierrors.NewUnauthorized("Unauthorized")
		}
		u = user{name: token, role: role, known: true}
	}
	as := r.Header.Get("Impersonate-User")
	if as == "" {
		return u, nil
	}
	if a := (action{verb: "impersonate", resource: "users", name: as}); !u.role.allows(a) {
		return u, forbidden(u, a)
	}
	return user{name: as, role: s.users[as], known: true}, nil
}

func (r Role) allows(a action) bool {
	return slices.ContainsFunc(r.Rules, func(rule Rule) bool { return rule.allows(a) })
}

func (r Rule) allows(a action) bool {
	if !matchesAny(r.Verbs, a.verb) || !matchesAny(r.Groups, a.group) || !r.covers(a.resource, a.sub) {
		return false
	}
	if len(r.Names) > 0 && !matchesAny(r.Names, a.name) {
		return false
	}
	return len(r.Namespaces) == 0 || slices.Contains(r.Namespaces, "*") || (a.namespace != "" && slices.Contains(r.Namespaces, a.namespace))
}

func (r Rule) covers(resource, sub string) bool {
	full := resource
	if sub != "" {
		full += "/" + sub
	}
	return matchesAny(r.Resources, full) || (sub != "" && slices.Contains(r.Resources, "*/"+sub))
}

func matchesAny(patterns []string, value string) bool {
	return slices.Contains(patterns, "*") || slices.Contains(patterns, value)
}

func (q *request) action() action {
	return action{q.verb, q.res.gvk.Group, q.res.plural, q.sub, q.namespace, q.name}
}

// authorize lets the role decide. Every user who is known may ask about its own rights, as system:basic-user allows.
func (s *Server) authorize(q *request) error {
	a := q.action()
	if q.user.known && q.res.is(reviewOnly) && q.verb == "create" {
		return nil
	}
	if q.user.role.allows(a) {
		return nil
	}
	return forbidden(q.user, a)
}

// forbidden words the refusal as RBAC does; kubectl and mullion show it.
func forbidden(u user, a action) error {
	resource := a.resource
	if a.sub != "" {
		resource += "/" + a.sub
	}
	where := "at the cluster scope"
	if a.namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.namespace)
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: a.group, Resource: a.resource}, a.name,
		words("User %q cannot %s resource %q in API group %q %s", u.name, a.verb, resource, a.group, where))
}
