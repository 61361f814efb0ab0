package apiserver

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// LoadResult says what became of objects that were loaded.
type LoadResult struct {
	Stored int
	// Skipped names the kinds that the server does not serve, sorted, each as "group/version, Kind (count)".
	Skipped []string
}

// Load stores objects as they are: with their status, UID and creationTimestamp, and without admission. Unset fields get
// their defaults, and a UID is made up from the name when there is none. An object that is there already is replaced. Lists
// are taken apart. Objects may be typed or unstructured; a kind that is not served is an error, and nothing after it is
// stored.
func (s *Server) Load(objects ...runtime.Object) error {
	_, err := s.load(objects, false)
	return err
}

// LoadKnown is Load for dumps of unknown origin: kinds that are not served are left out and named in the result.
func (s *Server) LoadKnown(objects ...runtime.Object) (LoadResult, error) {
	return s.load(objects, true)
}

func (s *Server) load(objects []runtime.Object, skip bool) (LoadResult, error) {
	var out LoadResult
	skipped := map[schema.GroupVersionKind]int{}
	for _, given := range objects {
		if meta.IsListType(given) {
			items, err := meta.ExtractList(given)
			if err != nil {
				return out, fmt.Errorf("load a list: %w", err)
			}
			part, err := s.load(items, skip)
			out.Stored += part.Stored
			out.Skipped = append(out.Skipped, part.Skipped...)
			if err != nil {
				return out, err
			}
			continue
		}
		res, obj, err := s.known(given)
		if err != nil {
			return out, err
		}
		if res == nil {
			kind := kindOf(given)
			if !skip {
				return out, fmt.Errorf("load %s: the simulated API server does not serve this kind", kind)
			}
			skipped[kind]++
			continue
		}
		if err := s.place(res, obj); err != nil {
			return out, err
		}
		out.Stored++
	}
	for kind, n := range skipped {
		out.Skipped = append(out.Skipped, fmt.Sprintf("%s, %s (%d)", kind.GroupVersion(), kind.Kind, n))
	}
	sort.Strings(out.Skipped)
	return out, nil
}

func kindOf(obj runtime.Object) schema.GroupVersionKind {
	if kind := obj.GetObjectKind().GroupVersionKind(); kind.Kind != "" {
		return kind
	}
	if kinds, _, err := scheme.Scheme.ObjectKinds(obj); err == nil && len(kinds) > 0 {
		return kinds[0]
	}
	return schema.GroupVersionKind{Kind: strings.TrimPrefix(fmt.Sprintf("%T", obj), "*")}
}

// known returns the resource and a typed copy of the object; no resource when the kind is not served.
func (s *Server) known(given runtime.Object) (*resource, runtime.Object, error) {
	kind := kindOf(given)
	res := s.catalogue.byKind[kind]
	if res == nil || res.is(reviewOnly|elsewhere) {
		return nil, nil, nil
	}
	var obj runtime.Object
	if u, ok := given.(*unstructured.Unstructured); ok {
		typed, err := res.newObject()
		if err != nil {
			return nil, nil, fmt.Errorf("load %s: %w", kind, err)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
			return nil, nil, fmt.Errorf("load %s %s/%s: %w", kind.Kind, u.GetNamespace(), u.GetName(), err)
		}
		obj = typed
	} else {
		obj = given.DeepCopyObject()
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	obj, err := res.store(obj)
	return res, obj, err
}

func (s *Server) place(res *resource, obj runtime.Object) error {
	m, err := meta.Accessor(obj)
	if err != nil {
		return fmt.Errorf("load %s: %w", res.gvk.Kind, err)
	}
	if m.GetName() == "" {
		return fmt.Errorf("load %s: an object has no name", res.gvk.Kind)
	}
	if res.namespaced && m.GetNamespace() == "" {
		m.SetNamespace(corev1.NamespaceDefault)
	}
	if !res.namespaced {
		m.SetNamespace("")
	}
	setDefaults(obj) // what comes out of etcd gets its defaults too
	key := objectKey(m.GetNamespace(), m.GetName())
	if m.GetUID() == "" {
		m.SetUID(uidOf(res.gvk.Kind + " " + key))
	}
	for {
		if _, ok, err := s.store.put(res, s.store.get(res, key), obj); err != nil || ok {
			return err
		}
	}
}
