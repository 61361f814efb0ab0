package scenario

import (
	"fmt"
	"sort"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

// Machine is a node in the words of somebody who plans a cluster. Node, Lease and CSINode are made from it.
type Machine struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	OS      string `json:"os"`   // linux or windows
	Arch    string `json:"arch"` // amd64 when empty

	Image   string `json:"image"`   // status.nodeInfo.osImage
	Kernel  string `json:"kernel"`  // on Windows the full version with its revision
	Kubelet string `json:"kubelet"` // v1.37.2 when empty
	Runtime string `json:"runtime"` // containerd://2.2.2 when empty

	BootID     string `json:"bootID"`     // derived on Linux when empty
	SystemUUID string `json:"systemUUID"` // derived when empty
	ProviderID string `json:"providerID"`

	CPU      resource.Quantity `json:"cpu"`
	Memory   resource.Quantity `json:"memory"`   // capacity
	Reserved resource.Quantity `json:"reserved"` // memory kept from pods: eviction threshold, systemReserved, kubeReserved
	Disk     resource.Quantity `json:"disk"`
	MaxPods  int               `json:"maxPods"`  // 110 when 0
	PodBlock string            `json:"podBlock"` // addresses for pods, also spec.podCIDR

	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Taints      []corev1.Taint    `json:"taints"`
	CSI         []string          `json:"csi"`    // registered CSI drivers
	Images      []string          `json:"images"` // images on its disk beside those of its pods

	Age    metav1.Duration `json:"age"`
	Booted metav1.Duration `json:"booted"` // how long ago it booted; its age when 0
	// Cordoned is how long ago it was cordoned; 0 = it is not.
	Cordoned metav1.Duration `json:"cordoned"`
	// NotReady is how long the kubelet has said so; Silent how long the kubelet has said nothing. 0 = it is Ready.
	NotReady metav1.Duration `json:"notReady"`
	Silent   metav1.Duration `json:"silent"`
	// Reason is the message of a condition that is not as it should be.
	Reason string `json:"reason"`
	// Pressure lists conditions that are True: MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable.
	Pressure []string `json:"pressure"`
	// Ahead is how far its clock is in front of everybody else's.
	Ahead metav1.Duration `json:"ahead"`
	// Hold makes the fleet and the controllers leave the node as it is.
	Hold bool `json:"hold"`
	// Example names the findings that it is an example of.
	Example string `json:"example"`
}

func (m *Machine) windows() bool { return m.OS == "windows" }

func (m *Machine) booted() time.Duration {
	if m.Booted.Duration != 0 {
		return m.Booted.Duration
	}
	return m.Age.Duration
}

// node adds the machine to the cluster: its Node, its Lease and its CSINode.
func (s *stage) node(m *Machine) *corev1.Node {
	m.complete(s)
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: m.Name, Labels: m.labels(), Annotations: m.annotations()},
		Spec: corev1.NodeSpec{
			PodCIDR: m.PodBlock, PodCIDRs: []string{m.PodBlock}, ProviderID: m.ProviderID,
			Taints: m.taints(s), Unschedulable: m.Cordoned.Duration > 0,
		},
		Status: corev1.NodeStatus{
			Capacity: m.resources(resource.Quantity{}), Allocatable: m.resources(m.Reserved),
			Conditions: m.conditions(s),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: m.Address}, {Type: corev1.NodeHostName, Address: m.Name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: m.machineID(s), SystemUUID: m.SystemUUID, BootID: m.BootID,
				KernelVersion: m.Kernel, OSImage: m.Image, ContainerRuntimeVersion: m.Runtime,
				KubeletVersion: m.Kubelet, OperatingSystem: m.OS, Architecture: m.Arch,
			},
		},
	}
	s.add("Node", n, m.Age.Duration)
	s.machines = append(s.machines, m)
	s.byName[m.Name] = m
	s.nodes[m.Name] = n
	s.profiles[m.Name] = fleet.Profile{Uptime: m.booted(), ClockAhead: m.Ahead.Duration}
	s.lease(m, n)
	s.csiNode(m, n)
	return n
}

// complete fills in what a plan leaves out.
func (m *Machine) complete(s *stage) {
	for field, value := range map[*string]string{
		&m.Arch: "amd64", &m.Kubelet: "v1.37.2", &m.Runtime: "containerd://2.2.2",
	} {
		if *field == "" {
			*field = value
		}
	}
	id := string(s.uid("system", "", m.Name))
	if m.SystemUUID == "" {
		m.SystemUUID = id
		if m.windows() {
			m.SystemUUID = strings.ToUpper(id)
		}
	}
	if m.BootID == "" && !m.windows() {
		m.BootID = string(s.uid("boot", "", m.Name))
	}
	if m.MaxPods == 0 {
		m.MaxPods = 110
	}
	if m.Reserved.IsZero() {
		// The kubelet's default eviction threshold is taken off in any case.
		m.Reserved = resource.MustParse("100Mi")
		if m.windows() {
			m.Reserved = resource.MustParse("500Mi")
		}
	}
}

// machineID is 32 hex digits on Linux; on Windows the kubelet reports the host name.
func (m *Machine) machineID(s *stage) string {
	if m.windows() {
		return m.Name
	}
	return strings.ReplaceAll(string(s.uid("machine", "", m.Name)), "-", "")
}

func (m *Machine) labels() map[string]string {
	labels := map[string]string{
		corev1.LabelHostname: m.Name, corev1.LabelOSStable: m.OS, corev1.LabelArchStable: m.Arch,
		"beta.kubernetes.io/os": m.OS, "beta.kubernetes.io/arch": m.Arch,
	}
	if parts := strings.Split(m.Kernel, "."); m.windows() && len(parts) == 4 {
		labels[corev1.LabelWindowsBuild] = strings.Join(parts[:3], ".")
	}
	for k, v := range m.Labels {
		labels[k] = v
		if v == "-" {
			delete(labels, k)
		}
	}
	return labels
}

func (m *Machine) annotations() map[string]string {
	all := map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
	for k, v := range m.Annotations {
		all[k] = v
	}
	if m.Hold {
		all[fleet.Hold] = "true"
	}
	if m.Example != "" {
		all[Example] = m.Example
	}
	return all
}

// taints adds those that the node lifecycle controller would have set.
func (m *Machine) taints(s *stage) []corev1.Taint {
	taints := append([]corev1.Taint(nil), m.Taints...)
	timed := func(key string, effect corev1.TaintEffect, d time.Duration) {
		taints = append(taints, corev1.Taint{Key: key, Effect: effect, TimeAdded: ptr.To(s.ago(d))})
	}
	if d := m.Cordoned.Duration; d > 0 {
		timed(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule, d)
	}
	if d := m.NotReady.Duration; d > 0 {
		timed(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule, d)
		timed(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute, d)
	}
	if d := m.Silent.Duration; d > 0 {
		timed(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule, d)
		timed(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute, d)
	}
	for _, p := range m.Pressure {
		if key, ok := pressureTaints[p]; ok {
			timed(key, corev1.TaintEffectNoSchedule, 10*time.Minute)
		}
	}
	return taints
}

var pressureTaints = map[string]string{
	"MemoryPressure": corev1.TaintNodeMemoryPressure, "DiskPressure": corev1.TaintNodeDiskPressure,
	"PIDPressure": corev1.TaintNodePIDPressure, "NetworkUnavailable": corev1.TaintNodeNetworkUnavailable,
}

func (m *Machine) resources(reserved resource.Quantity) corev1.ResourceList {
	memory := m.Memory.DeepCopy()
	memory.Sub(reserved)
	list := corev1.ResourceList{
		corev1.ResourceCPU: m.CPU, corev1.ResourceMemory: memory,
		corev1.ResourcePods: *resource.NewQuantity(int64(m.MaxPods), resource.DecimalSI),
	}
	if !m.Disk.IsZero() {
		list[corev1.ResourceEphemeralStorage] = m.Disk
	}
	return list
}

func (s *stage) lease(m *Machine, n *corev1.Node) {
	renewed := 4 * time.Second
	if m.Silent.Duration > 0 {
		renewed = m.Silent.Duration + 40*time.Second // the grace period before the controller noticed
	}
	at := metav1.NewMicroTime(s.now.Add(m.Ahead.Duration - renewed))
	s.add("Lease", &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: corev1.NamespaceNodeLease, Name: m.Name, OwnerReferences: []metav1.OwnerReference{nodeOwner(n, false)},
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(m.Name), LeaseDurationSeconds: ptr.To[int32](40), RenewTime: &at},
	}, m.Age.Duration)
}

func (s *stage) csiNode(m *Machine, n *corev1.Node) {
	c := &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: m.Name, OwnerReferences: []metav1.OwnerReference{nodeOwner(n, false)}},
		Spec:       storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{}},
	}
	drivers := append([]string(nil), m.CSI...)
	sort.Strings(drivers)
	for _, d := range drivers {
		c.Spec.Drivers = append(c.Spec.Drivers, storagev1.CSINodeDriver{Name: d, NodeID: m.Name})
	}
	s.add("CSINode", c, m.Age.Duration)
}

func nodeOwner(n *corev1.Node, controller bool) metav1.OwnerReference {
	o := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: n.Name, UID: n.UID}
	if controller {
		o.Controller = ptr.To(true)
	}
	return o
}

// listImages writes on every node the images that its pods brought, as its kubelet would report them.
func (s *stage) listImages() {
	for _, m := range s.machines {
		names := map[string]bool{}
		for _, i := range m.Images {
			names[i] = true
		}
		for i := range s.images[m.Name] {
			names[i] = true
		}
		var list []corev1.ContainerImage
		for i := range names {
			list = append(list, corev1.ContainerImage{Names: []string{i}, SizeBytes: imageSize(i)})
		}
		sort.Slice(list, func(a, b int) bool {
			if list[a].SizeBytes != list[b].SizeBytes {
				return list[a].SizeBytes > list[b].SizeBytes
			}
			return list[a].Names[0] < list[b].Names[0]
		})
		s.nodes[m.Name].Status.Images = list
	}
}

// imageSizes are the sizes on disk that the articles give; any other image counts as 50 MB.
var imageSizes = map[string]int64{
	"quay.io/calico/node-windows:v3.33.0":                            146560272,
	"quay.io/calico/cni-windows:v3.33.0":                             149137842,
	"mcr.microsoft.com/dotnet/samples:aspnetapp-nanoserver-ltsc2025": 258_000_000,
	"ghcr.io/example/hello:1.3":                                      201_000_000,
	"ghcr.io/example/hello:1.2":                                      7_000_000,
	"ghcr.io/example/alloy-hostprocess:v1.21.3":                      415_000_000,
	"mcr.microsoft.com/windows/nanoserver:ltsc2025":                  194_000_000,
}

func imageSize(name string) int64 {
	if size, ok := imageSizes[name]; ok {
		return size
	}
	return 50_000_000
}

func (s *stage) machine(name string) (*Machine, error) {
	if m, ok := s.byName[name]; ok {
		return m, nil
	}
	return nil, fmt.Errorf("scenario %s has no node %q", s.name, name)
}
