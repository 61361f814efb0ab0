//go:build linux

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// loadOrder is what has to be there first. A kind that is not named comes last.
var loadOrder = []string{
	"Namespace", "ServiceAccount", "PriorityClass", "RuntimeClass", "Node", "CSINode", "Lease", "PersistentVolume",
	"PersistentVolumeClaim", "Service", "Deployment", "DaemonSet", "StatefulSet", "Job", "ReplicaSet", "Pod",
}

// loadWorkers is how many requests are under way at once: enough to keep two cores
// of an API server busy.
const loadWorkers = 32

// LoadOptions say what of a set of objects is taken and how.
type LoadOptions struct {
	// Keep leaves out the objects for which it is false; nil takes all.
	Keep func(runtime.Object) bool
	// Status writes each object's status too, as its controller or kubelet would.
	// For a cluster whose controllers do not run.
	Status bool
}

// Load creates copies of objects. The API server gives them UIDs of its own, and the
// owner references among them follow; owners that were left out are dropped. What
// is there already (the namespace "default") is left as it is.
func (c *Cluster) Load(ctx context.Context, objects []runtime.Object, o LoadOptions) error {
	config, err := c.Config("loader", AdminGroup)
	if err != nil {
		return err
	}
	l := &loader{config: config, options: o, clients: map[schema.GroupVersion]*rest.RESTClient{}, uids: map[types.UID]types.UID{}}
	waves := map[schema.GroupVersionKind][]runtime.Object{}
	for _, object := range objects {
		if o.Keep != nil && !o.Keep(object) {
			continue
		}
		kinds, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			return fmt.Errorf("load a %T: %w", object, err)
		}
		waves[kinds[0]] = append(waves[kinds[0]], object.DeepCopyObject())
	}
	for _, kind := range slices.SortedFunc(maps.Keys(waves), compareKinds) {
		if err := l.wave(ctx, kind, waves[kind]); err != nil {
			return err
		}
	}
	return nil
}

func compareKinds(a, b schema.GroupVersionKind) int {
	rank := func(k schema.GroupVersionKind) int {
		if i := slices.Index(loadOrder, k.Kind); i >= 0 {
			return i
		}
		return len(loadOrder)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.String(), b.String()))
}

type loader struct {
	config  *rest.Config
	options LoadOptions
	clients map[schema.GroupVersion]*rest.RESTClient

	mu   sync.Mutex
	uids map[types.UID]types.UID // from those of the objects to those of the API server
}

// wave creates all objects of one kind, many at a time.
func (l *loader) wave(ctx context.Context, kind schema.GroupVersionKind, objects []runtime.Object) error {
	client, err := l.client(kind.GroupVersion())
	if err != nil {
		return err
	}
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(loadWorkers)
	for _, object := range objects {
		work.Go(func() error {
			m := object.(metav1.Object)
			if err := l.create(ctx, client, resource.Resource, object); err != nil {
				return fmt.Errorf("load %s %s/%s: %w", resource.Resource, m.GetNamespace(), m.GetName(), err)
			}
			return nil
		})
	}
	return work.Wait()
}

func (l *loader) client(gv schema.GroupVersion) (*rest.RESTClient, error) {
	if client := l.clients[gv]; client != nil {
		return client, nil
	}
	config := rest.CopyConfig(l.config)
	config.GroupVersion = &gv
	config.APIPath = "/apis"
	if gv.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := rest.RESTClientFor(config)
	if err == nil {
		l.clients[gv] = client
	}
	return client, err
}

func (l *loader) create(ctx context.Context, client *rest.RESTClient, resource string, object runtime.Object) error {
	m := object.(metav1.Object)
	was := m.GetUID()
	l.adopt(object)
	made := object.DeepCopyObject()
	err := client.Post().NamespaceIfScoped(m.GetNamespace(), m.GetNamespace() != "").Resource(resource).Body(object).Do(ctx).Into(made)
	if apierrors.IsAlreadyExists(err) {
		return client.Get().NamespaceIfScoped(m.GetNamespace(), m.GetNamespace() != "").Resource(resource).Name(m.GetName()).Do(ctx).Into(made)
	}
	if err != nil {
		return err
	}
	is := made.(metav1.Object)
	l.mu.Lock()
	l.uids[was] = is.GetUID()
	l.mu.Unlock()
	if !l.options.Status || !hasStatus[resource] {
		return nil
	}
	m.SetUID(is.GetUID())
	m.SetResourceVersion(is.GetResourceVersion())
	return client.Put().NamespaceIfScoped(m.GetNamespace(), m.GetNamespace() != "").Resource(resource).Name(m.GetName()).
		SubResource("status").Body(object).Do(ctx).Error()
}

// hasStatus names the resources whose status a create does not take.
var hasStatus = map[string]bool{
	"pods": true, "deployments": true, "replicasets": true, "daemonsets": true, "statefulsets": true, "jobs": true, "poddisruptionbudgets": true,
}

// adopt gives an object the identity of something new, with owners that exist.
func (l *loader) adopt(object runtime.Object) {
	m := object.(metav1.Object)
	m.SetUID("")
	m.SetResourceVersion("")
	l.mu.Lock()
	defer l.mu.Unlock()
	var owners []metav1.OwnerReference
	for _, owner := range m.GetOwnerReferences() {
		if uid, ok := l.uids[owner.UID]; ok {
			owner.UID = uid
			owners = append(owners, owner)
		}
	}
	m.SetOwnerReferences(owners)
	unbind(object)
}

// unbind lets the volume controller bind a claim and its volume anew: one that
// says that it is bound, to a volume that does not know its UID, counts as lost.
func unbind(object runtime.Object) {
	switch o := object.(type) {
	case *corev1.PersistentVolume:
		if o.Spec.ClaimRef != nil {
			o.Spec.ClaimRef.UID, o.Spec.ClaimRef.ResourceVersion = "", ""
		}
	case *corev1.PersistentVolumeClaim:
		delete(o.Annotations, "pv.kubernetes.io/bind-completed")
		delete(o.Annotations, "pv.kubernetes.io/bound-by-controller")
	}
}
