package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// discoveryDocs are the discovery answers, made once from the table of resources.
type discoveryDocs struct{ plain, withMetrics discoverySet }

// discoverySet is one set of answers, with or without what is served elsewhere.
type discoverySet struct {
	groups    *metav1.APIGroupList
	resources map[schema.GroupVersion]*metav1.APIResourceList
	core      []byte // aggregated, of /api
	named     []byte // aggregated, of /apis
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func (d *discoveryDocs) build(c *catalogue) {
	d.plain.build(c, false)
	d.withMetrics.build(c, true)
}

// docs is what discovery says at the moment.
func (s *Server) docs() *discoverySet {
	if s.metrics.Load() != nil {
		return &s.discovery.withMetrics
	}
	return &s.discovery.plain
}

func (d *discoverySet) build(c *catalogue, everything bool) {
	d.groups = &metav1.APIGroupList{}
	d.resources = map[schema.GroupVersion]*metav1.APIResourceList{}
	var core, named apidiscoveryv2.APIGroupDiscoveryList
	for _, gv := range c.groupVersions() {
		if !everything && c.in(gv)[0].is(elsewhere) {
			continue
		}
		d.resources[gv] = legacyResources(gv, c.in(gv))
		group := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: gv.Group},
			Versions: []apidiscoveryv2.APIVersionDiscovery{{Version: gv.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent,
				Resources: aggregatedResources(c.in(gv))}}}
		if gv.Group == "" {
			core.Items = append(core.Items, group)
			continue
		}
		named.Items = append(named.Items, group)
		v := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		d.groups.Groups = append(d.groups.Groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
	}
	d.core, d.named = encodeAggregated(core), encodeAggregated(named)
}

func encodeAggregated(list apidiscoveryv2.APIGroupDiscoveryList) []byte {
	list.TypeMeta = metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"}
	b, err := json.Marshal(list)
	if err != nil { // plain structs of strings
		panic(err)
	}
	return append(b, '\n')
}

func (r *resource) verbs() []string {
	switch {
	case r.is(reviewOnly):
		return createSub
	case r.is(elsewhere):
		return []string{"get", "list"}
	}
	return readWrite
}

func legacyResources(gv schema.GroupVersion, rows []*resource) *metav1.APIResourceList {
	out := &metav1.APIResourceList{GroupVersion: gv.String()}
	for _, r := range rows {
		out.APIResources = append(out.APIResources, metav1.APIResource{Name: r.plural, SingularName: r.singular, Namespaced: r.namespaced,
			Kind: r.gvk.Kind, Verbs: r.verbs(), ShortNames: r.short, Categories: r.categories})
		for _, sub := range r.subs {
			row := metav1.APIResource{Name: r.plural + "/" + sub.name, Namespaced: r.namespaced, Kind: sub.gvk.Kind, Verbs: sub.verbs}
			if sub.gvk.GroupVersion() != gv {
				row.Group, row.Version = sub.gvk.Group, sub.gvk.Version
			}
			out.APIResources = append(out.APIResources, row)
		}
	}
	slices.SortFunc(out.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func aggregatedResources(rows []*resource) []apidiscoveryv2.APIResourceDiscovery {
	var out []apidiscoveryv2.APIResourceDiscovery
	for _, r := range rows {
		row := apidiscoveryv2.APIResourceDiscovery{Resource: r.plural, ResponseKind: metaKind(r.gvk), Scope: apidiscoveryv2.ScopeCluster,
			SingularResource: r.singular, Verbs: r.verbs(), ShortNames: r.short, Categories: r.categories}
		if r.namespaced {
			row.Scope = apidiscoveryv2.ScopeNamespace
		}
		for _, sub := range r.subs {
			row.Subresources = append(row.Subresources, apidiscoveryv2.APISubresourceDiscovery{Subresource: sub.name,
				ResponseKind: metaKind(sub.gvk), Verbs: sub.verbs})
		}
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b apidiscoveryv2.APIResourceDiscovery) int { return strings.Compare(a.Resource, b.Resource) })
	return out
}

func metaKind(k schema.GroupVersionKind) *metav1.GroupVersionKind {
	return &metav1.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// servePlain answers the paths that are no resources; false means that the path may be one.
func (s *Server) servePlain(q *request) (bool, error) {
	path := strings.TrimSuffix(q.r.URL.Path, "/")
	switch path {
	case "/healthz", "/livez", "/readyz":
		q.code = http.StatusOK
		_, err := q.w.Write([]byte("ok"))
		return true, err
	case "/version":
		return true, s.sendVersion(q)
	}
	if path != "/api" && path != "/apis" && !s.isGroupPath(path) {
		return false, nil
	}
	if !q.user.known {
		return true, forbiddenPath(q)
	}
	switch {
	case q.out.discovery && path == "/api":
		return true, q.sendAggregated(s.docs().core)
	case q.out.discovery && path == "/apis":
		return true, q.sendAggregated(s.docs().named)
	case path == "/api":
		return true, q.send(http.StatusOK, schema.GroupVersionKind{Kind: "APIVersions"}, &metav1.APIVersions{Versions: []string{"v1"}})
	case path == "/apis":
		return true, q.sendMeta("APIGroupList", s.docs().groups)
	}
	return true, s.sendGroup(q, path)
}

// isGroupPath: /api/v1, /apis/group, /apis/group/version.
func (s *Server) isGroupPath(path string) bool {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	return (parts[0] == "api" && len(parts) == 2) || (parts[0] == "apis" && (len(parts) == 2 || len(parts) == 3))
}

func (s *Server) sendGroup(q *request, path string) error {
	name := strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
	if gv, err := schema.ParseGroupVersion(name); err == nil {
		if list, ok := s.docs().resources[gv]; ok {
			return q.sendMeta("APIResourceList", list)
		}
	}
	groups := s.docs().groups.Groups
	for i := range groups {
		if g := &groups[i]; g.Name == name {
			return q.sendMeta("APIGroup", g)
		}
	}
	return errNoSuchPath
}

func (q *request) sendMeta(kind string, obj runtime.Object) error {
	return q.send(http.StatusOK, schema.GroupVersionKind{Version: "v1", Kind: kind}, obj.DeepCopyObject())
}

func (q *request) sendAggregated(doc []byte) error {
	q.code = http.StatusOK
	q.w.Header().Set("Content-Type", aggregatedType)
	q.w.WriteHeader(http.StatusOK)
	_, err := q.w.Write(doc)
	return err
}

// sendVersion fills the parts of /version from a version like v1.37.2.
func (s *Server) sendVersion(q *request) error {
	major, minor := "", ""
	if parts := strings.Split(strings.TrimPrefix(s.version, "v"), "."); len(parts) >= 2 {
		major, minor = parts[0], parts[1]
	}
	b, err := json.MarshalIndent(version.Info{Major: major, Minor: minor, GitVersion: s.version, GitTreeState: "clean",
		BuildDate: "2026-01-01T00:00:00Z", GoVersion: "go1.26", Compiler: "gc", Platform: "linux/amd64"}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the version: %w", err)
	}
	q.code = http.StatusOK
	q.w.Header().Set("Content-Type", "application/json")
	_, err = q.w.Write(b)
	return err
}

func forbiddenPath(q *request) error {
	return apierrors.NewForbidden(schema.GroupResource{}, "", words("User %q cannot %s path %q", q.user.name, q.verb, q.r.URL.Path))
}
