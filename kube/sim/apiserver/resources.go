package apiserver

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// resource is one row of the table that drives discovery, routing, scoping and the rules of writes.
type resource struct {
	gvk        schema.GroupVersionKind
	plural     string
	singular   string
	short      []string
	categories []string
	namespaced bool
	traits     trait
	subs       []subresource
	// storedAs is the plural of the core resource whose objects this one shows in another form (events).
	storedAs string
}

// trait is a set of rules in which kinds differ.
type trait uint16

const (
	// hasStatus: status is written through its own subresource only.
	hasStatus trait = 1 << iota
	// keepsStatusOnCreate: a create may bring a status (a kubelet registers its node with one).
	keepsStatusOnCreate
	// hasGeneration: metadata.generation counts changes of the spec.
	hasGeneration
	// createOnUpdate: a PUT of an object that is not there creates it.
	createOnUpdate
	// needsVersion: an update without a resourceVersion is refused.
	needsVersion
	// returnsDeleted: a delete answers with the object and not with a Status.
	returnsDeleted
	// reviewOnly: nothing is stored, a create is a question.
	reviewOnly
	// elsewhere: the resource is served by a handler from outside, see SetMetrics.
	elsewhere
	// diesSlowly: a delete may leave the object in place until a kubelet is done with it.
	diesSlowly
)

// subresource is a named part of a resource with a kind of its own.
type subresource struct {
	name  string
	gvk   schema.GroupVersionKind
	verbs []string
}

func (r *resource) is(t trait) bool { return r.traits&t != 0 }

func (r *resource) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.gvk.Group, Resource: r.plural}
}

// key names the stored table of the resource.
func (r *resource) key() string {
	if r.storedAs != "" {
		return "/" + r.storedAs
	}
	return r.gvk.Group + "/" + r.plural
}

func (r *resource) newObject() (runtime.Object, error) { return scheme.Scheme.New(r.gvk) }

func (r *resource) listKind() schema.GroupVersionKind {
	return r.gvk.GroupVersion().WithKind(r.gvk.Kind + "List")
}

func (r *resource) sub(name string) (subresource, bool) {
	for _, s := range r.subs {
		if s.name == name {
			return s, true
		}
	}
	return subresource{}, false
}

var (
	readWrite = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	getPut    = []string{"get", "patch", "update"}
	createSub = []string{"create"}
	proxied   = []string{"create", "delete", "get", "patch", "update"}
)

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// catalogue finds rows by where they are in a URL and by kind.
type catalogue struct {
	rows   []*resource
	byPath map[string]*resource // group/version/plural
	byKind map[schema.GroupVersionKind]*resource
}

func newCatalogue() *catalogue {
	c := &catalogue{byPath: map[string]*resource{}, byKind: map[schema.GroupVersionKind]*resource{}}
	for i := range table {
		r := table[i]
		if r.is(hasStatus) {
			r.subs = append([]subresource{{name: "status", gvk: r.gvk, verbs: getPut}}, r.subs...)
		}
		c.rows = append(c.rows, &r)
		c.byPath[r.gvk.Group+"/"+r.gvk.Version+"/"+r.plural] = &r
		c.byKind[r.gvk] = &r
	}
	return c
}

func (c *catalogue) lookup(group, version, plural string) *resource {
	return c.byPath[group+"/"+version+"/"+plural]
}

// groupVersions are the versions served, each once, in the order of the table.
func (c *catalogue) groupVersions() []schema.GroupVersion {
	var out []schema.GroupVersion
	seen := map[schema.GroupVersion]bool{}
	for _, r := range c.rows {
		if gv := r.gvk.GroupVersion(); !seen[gv] {
			seen[gv] = true
			out = append(out, gv)
		}
	}
	return out
}

func (c *catalogue) in(gv schema.GroupVersion) []*resource {
	var out []*resource
	for _, r := range c.rows {
		if r.gvk.GroupVersion() == gv {
			out = append(out, r)
		}
	}
	return out
}
