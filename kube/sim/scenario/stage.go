package scenario

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

// stage is a scenario while it is being set up.
type stage struct {
	name     string // salts the UIDs, so that no two clusters share an identity
	now      time.Time
	objects  []runtime.Object
	profiles map[string]fleet.Profile

	namespaces map[string]bool
	accounts   map[types.NamespacedName]bool
	machines   []*Machine
	byName     map[string]*Machine
	nodes      map[string]*corev1.Node
	classes    map[string]*nodev1.RuntimeClass
	budgets    []*policyv1.PodDisruptionBudget
	planned    map[string]int             // pods on a node
	images     map[string]map[string]bool // images on a node
	addresses  map[netip.Addr]bool        // pod addresses in use
	lastIP     map[string]netip.Addr      // by node
	digests    map[string]string          // imageID by image
}

func newStage(name string, now time.Time) *stage {
	s := &stage{
		name: name, now: now.UTC().Truncate(time.Second),
		profiles:   map[string]fleet.Profile{},
		namespaces: map[string]bool{}, byName: map[string]*Machine{}, digests: map[string]string{}, accounts: map[types.NamespacedName]bool{},
		nodes: map[string]*corev1.Node{}, classes: map[string]*nodev1.RuntimeClass{},
		planned: map[string]int{}, images: map[string]map[string]bool{},
		addresses: map[netip.Addr]bool{}, lastIP: map[string]netip.Addr{},
	}
	for _, ns := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		s.namespace(ns, 0, nil)
	}
	return s
}

// ago is the moment that long before the scenario starts.
func (s *stage) ago(d time.Duration) metav1.Time { return metav1.NewTime(s.now.Add(-d)) }

// uid is the same for the same object of the same scenario in every run.
func (s *stage) uid(kind, namespace, name string) types.UID {
	key := s.name + "\x00" + kind + "\x00" + namespace + "\x00" + name
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(key)).String())
}

// add takes an object into the scenario and gives it the identity that an API server would.
func (s *stage) add(kind string, o metav1.Object, age time.Duration) {
	if ns := o.GetNamespace(); ns != "" && !s.namespaces[ns] {
		s.namespace(ns, age, nil)
	}
	if o.GetUID() == "" {
		o.SetUID(s.uid(kind, o.GetNamespace(), o.GetName()))
	}
	if c := o.GetCreationTimestamp(); c.IsZero() {
		o.SetCreationTimestamp(s.ago(age))
	}
	s.objects = append(s.objects, o.(runtime.Object))
}

// namespace adds a namespace. The oldest objects of a cluster are its namespaces: age 0 makes it as old as the first node.
func (s *stage) namespace(name string, age time.Duration, labels map[string]string) {
	if s.namespaces[name] {
		return
	}
	s.namespaces[name] = true
	all := map[string]string{corev1.LabelMetadataName: name}
	for k, v := range labels {
		all[k] = v
	}
	ns := &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: all},
		Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
		Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
	if age == 0 {
		age = 15 * time.Hour
	}
	s.add("Namespace", ns, age)
	s.account(name, "default", age)
}

// account adds a service account once: the API server refuses pods whose account does not exist.
func (s *stage) account(namespace, name string, age time.Duration) {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if s.accounts[key] {
		return
	}
	s.accounts[key] = true
	s.add("ServiceAccount", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, age)
}

// finish completes the nodes with what the pods brought to them.
func (s *stage) finish(title string) *Scenario {
	s.listImages()
	s.countBudgets()
	return &Scenario{Name: s.name, Title: title, Objects: s.objects, Profiles: s.profiles}
}

// nextAddress is the lowest free pod address of the node above those already given, as IPAM does not reuse them at once.
func (s *stage) nextAddress(m *Machine) (netip.Addr, error) {
	block, err := netip.ParsePrefix(m.PodBlock)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("node %s: pod block: %w", m.Name, err)
	}
	addr, ok := s.lastIP[m.Name]
	if !ok {
		// Calico keeps the first addresses of a Windows block: network, gateway, host endpoint.
		addr = block.Addr().Next().Next()
	}
	for addr = addr.Next(); block.Contains(addr); addr = addr.Next() {
		if !s.addresses[addr] {
			s.addresses[addr] = true
			s.lastIP[m.Name] = addr
			return addr, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("node %s: pod block %s is full", m.Name, m.PodBlock)
}
