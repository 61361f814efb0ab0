package apiserver

import (
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// viewer may look at everything in two namespaces and at nodes, and evict in one.
var viewer = Role{Rules: []Rule{
	{Verbs: readingVerbs, Groups: []string{"", "apps"}, Resources: []string{"*"}, Namespaces: []string{"shop", "bank"}},
	{Verbs: readingVerbs, Groups: []string{""}, Resources: []string{"nodes"}},
	{Verbs: []string{"create"}, Groups: []string{""}, Resources: []string{"pods/eviction"}, Namespaces: []string{"shop"}},
	{Verbs: []string{"patch"}, Groups: []string{""}, Resources: []string{"nodes"}, Names: []string{"mine"}},
	{Verbs: []string{"get"}, Groups: []string{""}, Resources: []string{"*/proxy"}},
}}

func TestRolesDecide(t *testing.T) {
	cases := []struct {
		a    action
		want bool
	}{
		{action{"list", "", "pods", "", "shop", ""}, true},
		{action{"list", "", "pods", "", "", ""}, false},
		{action{"list", "", "pods", "", "else", ""}, false},
		{action{"list", "batch", "jobs", "", "shop", ""}, false},
		{action{"delete", "", "pods", "", "shop", "p"}, false},
		{action{"watch", "", "nodes", "", "", ""}, true},
		{action{"get", "", "pods", "log", "shop", "p"}, true},
		{action{"get", "", "nodes", "proxy", "", "n"}, true},
		{action{"get", "", "nodes", "status", "", "n"}, false},
		{action{"create", "", "pods", "eviction", "shop", "p"}, true},
		{action{"create", "", "pods", "eviction", "bank", "p"}, false},
		{action{"create", "", "pods", "", "shop", "p"}, false},
		{action{"patch", "", "nodes", "", "", "mine"}, true},
		{action{"patch", "", "nodes", "", "", "theirs"}, false},
	}
	s, _ := start(t, Options{Users: map[string]Role{"viewer": viewer, "admin": Everything()}}, "")
	c := client(t, s, "viewer", "")
	for _, x := range cases {
		if got := viewer.allows(x.a); got != x.want {
			t.Errorf("%+v: allowed %v", x.a, got)
		}
		r := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: x.a.verb, Group: x.a.group, Resource: x.a.resource, Subresource: x.a.sub, Namespace: x.a.namespace, Name: x.a.name}}}
		r, err := c.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), r, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status.Allowed != x.want {
			t.Errorf("%+v: the review says %v", x.a, r.Status.Allowed)
		}
	}
	rules, err := c.AuthorizationV1().SelfSubjectRulesReviews().Create(t.Context(),
		&authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "bank"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rules.Status.ResourceRules); n != len(viewer.Rules)-1 {
		t.Errorf("%d rules hold in bank, want all but that of shop", n)
	}
}

func TestRequestsAreAuthorized(t *testing.T) {
	s, _ := start(t, Options{Users: map[string]Role{"viewer": viewer, "admin": Everything()}}, "")
	if err := s.Load(shop(), node("mine"), node("theirs"), pod("shop", "p", "mine")); err != nil {
		t.Fatal(err)
	}
	const patch = `{"spec":{"unschedulable":true}}`
	merge := map[string]string{"Content-Type": "application/merge-patch+json"}
	cases := []struct {
		q       sent
		code    int
		message string
	}{
		{sent{method: "GET", path: "/api/v1/namespaces/shop/pods", user: "viewer"}, 200, ""},
		{sent{method: "GET", path: "/api/v1/pods", user: "viewer"}, 403, `pods is forbidden: User "viewer" cannot list resource "pods" in API group "" at the cluster scope`},
		{sent{method: "GET", path: "/api/v1/pods?watch=true", user: "viewer"}, 403, `User "viewer" cannot watch resource "pods"`},
		{sent{method: "GET", path: "/apis/batch/v1/namespaces/shop/jobs", user: "viewer"}, 403,
			`jobs.batch is forbidden: User "viewer" cannot list resource "jobs" in API group "batch" in the namespace "shop"`},
		{sent{method: "DELETE", path: "/api/v1/namespaces/shop/pods/p", user: "viewer"}, 403,
			`pods "p" is forbidden: User "viewer" cannot delete resource "pods" in API group "" in the namespace "shop"`},
		{sent{method: "DELETE", path: "/api/v1/namespaces/shop/pods", user: "viewer"}, 403, `cannot deletecollection resource "pods"`},
		{sent{method: "PATCH", path: "/api/v1/nodes/mine", user: "viewer", body: patch, header: merge}, 200, ""},
		{sent{method: "PATCH", path: "/api/v1/nodes/theirs", user: "viewer", body: patch, header: merge}, 403, `nodes "theirs" is forbidden`},
		{sent{method: "POST", path: "/api/v1/namespaces/shop/pods/p/binding", user: "viewer", body: "{}"}, 403, `cannot create resource "pods/binding"`},
		{sent{method: "GET", path: "/api/v1/nodes", user: "stranger"}, 401, "Unauthorized"},
		{sent{method: "GET", path: "/api/v1/nodes", user: "-"}, 403, `nodes is forbidden: User "system:anonymous" cannot list resource "nodes"`},
		{sent{method: "GET", path: "/apis", user: "-"}, 403, `forbidden: User "system:anonymous" cannot get path "/apis"`},
		{sent{method: "GET", path: "/version", user: "-"}, 200, ""},
		{sent{method: "GET", path: "/readyz", user: "-"}, 200, ""},
		{sent{method: "GET", path: "/api/v1/pods", header: map[string]string{"Impersonate-User": "viewer"}}, 403, `User "viewer" cannot list`},
		{sent{method: "GET", path: "/api/v1/nodes", header: map[string]string{"Impersonate-User": "viewer"}}, 200, ""},
		{sent{method: "GET", path: "/api/v1/nodes", user: "viewer", header: map[string]string{"Impersonate-User": "admin"}}, 403,
			`users "admin" is forbidden: User "viewer" cannot impersonate resource "users" in API group "" at the cluster scope`},
	}
	for _, c := range cases {
		if r := do(t, s, c.q); r.code != c.code || !strings.Contains(r.message(), c.message) {
			t.Errorf("%s %s as %q: %d %q, want %d %q", c.q.method, c.q.path, c.q.user, r.code, r.message(), c.code, c.message)
		}
	}
}

func TestReadOnlyRefusesEveryWrite(t *testing.T) {
	s, _ := start(t, Options{ReadOnly: true}, "")
	if err := s.Load(shop(), node("n"), pod("shop", "p", "n")); err != nil {
		t.Fatal(err)
	}
	before := s.store.revision()
	const p = "/api/v1/namespaces/shop/pods"
	for _, q := range []sent{
		{method: "POST", path: p, body: `{}`}, {method: "POST", path: p + "?dryRun=All", body: `{}`}, {method: "PUT", path: p + "/p", body: `{}`},
		{method: "PATCH", path: p + "/p", body: `{}`, header: map[string]string{"Content-Type": "application/merge-patch+json"}},
		{method: "DELETE", path: p + "/p"}, {method: "DELETE", path: p}, {method: "POST", path: p + "/p/eviction", body: "{}"},
		{method: "POST", path: p + "/p/binding", body: "{}"}, {method: "PUT", path: p + "/p/status", body: "{}"},
		{method: "POST", path: "/api/v1/nodes/n/proxy/run"},
	} {
		r := do(t, s, q)
		if r.code != http.StatusForbidden || !strings.Contains(r.message(), "looked at offline") {
			t.Errorf("%s %s: %d %s", q.method, q.path, r.code, r.text)
		}
	}
	if now := s.store.revision(); now != before {
		t.Errorf("the revision went from %d to %d", before, now)
	}
	for _, verb := range []string{"list", "delete"} {
		r := do(t, s, sent{method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{"resourceAttributes":{"verb":"` + verb + `","resource":"pods"}}}`})
		if r.code != http.StatusCreated || r.at("status.allowed") != (verb == "list") {
			t.Errorf("may I %s pods: %s", verb, r.text)
		}
	}
}
