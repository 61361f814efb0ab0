package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func nodeName(n string) types.NodeName { return types.NodeName(n) }

// register creates the nodes that the cluster does not have, as kubelets do; those that exist are taken over as they are.
func (f *Fleet) register(ctx context.Context) error {
	for i, n := range f.o.Register {
		node := f.asRegistered(n, i)
		made, err := f.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("register node %s: %w", n.Name, err)
		}
		made.Status = node.Status
		if _, err := f.client.CoreV1().Nodes().UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil && !apierrors.IsConflict(err) {
			return fmt.Errorf("register node %s: write its status: %w", n.Name, err)
		}
	}
	return nil
}

// asRegistered fills in what a kubelet knows of its machine and the given Node leaves out.
func (f *Fleet) asRegistered(given *corev1.Node, index int) *corev1.Node {
	n := given.DeepCopy()
	n.ResourceVersion, n.UID, n.CreationTimestamp, n.ManagedFields = "", "", metav1.Time{}, nil
	m := newMachine(f, n.Name)
	m.rng = rand.New(rand.NewPCG(m.rng.Uint64(), m.rng.Uint64())) // the machine that lives later must draw other values
	m.info = n.Status.NodeInfo
	m.info.OperatingSystem = osOf(n)
	m.fillInfo()
	n.Status.NodeInfo = m.info
	fillLabels(n)
	if len(n.Status.Addresses) == 0 {
		n.Status.Addresses = []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.%d.%d.%d", 100+index>>16, index>>8&255, index&255)},
			{Type: corev1.NodeHostName, Address: n.Name},
		}
	}
	if n.Status.DaemonEndpoints.KubeletEndpoint.Port == 0 {
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = 10250
	}
	fillResources(&n.Status)
	now := metav1.NewTime(f.clock.Now())
	for _, c := range kubeletConditions() {
		setNodeCondition(&n.Status, c, now)
	}
	return n
}

// fillInfo gives the machine the identity of a current system of its kind.
func (m *machine) fillInfo() {
	i := &m.info
	set := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	set(&i.Architecture, "amd64")
	set(&i.KubeletVersion, "v1.37.2")
	set(&i.ContainerRuntimeVersion, "containerd://2.3.0")
	if m.windows() {
		set(&i.KernelVersion, "10.0.26100.32522")
		set(&i.OSImage, "Windows Server 2025 Datacenter")
		set(&i.BootID, "8")
		set(&i.MachineID, m.name)
		set(&i.SystemUUID, strings.ToUpper(m.uuid()))
		return
	}
	set(&i.KernelVersion, "6.12.0-1-amd64")
	set(&i.OSImage, "Debian GNU/Linux 13 (trixie)")
	set(&i.BootID, m.uuid())
	set(&i.MachineID, m.hexID(16))
	set(&i.SystemUUID, m.uuid())
}

func fillLabels(n *corev1.Node) {
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	set := func(key, value string) {
		if _, ok := n.Labels[key]; !ok {
			n.Labels[key] = value
		}
	}
	info := n.Status.NodeInfo
	set(corev1.LabelHostname, n.Name)
	set(corev1.LabelOSStable, info.OperatingSystem)
	set(corev1.LabelArchStable, info.Architecture)
	set("beta.kubernetes.io/os", info.OperatingSystem)
	set("beta.kubernetes.io/arch", info.Architecture)
	if parts := strings.Split(info.KernelVersion, "."); info.OperatingSystem == "windows" && len(parts) >= 3 {
		set(corev1.LabelWindowsBuild, strings.Join(parts[:3], "."))
	}
}

func fillResources(s *corev1.NodeStatus) {
	if s.Capacity == nil {
		s.Capacity = corev1.ResourceList{}
	}
	for name, quantity := range map[corev1.ResourceName]string{
		corev1.ResourceCPU: "4", corev1.ResourceMemory: "16Gi", corev1.ResourcePods: "110", corev1.ResourceEphemeralStorage: "100Gi",
	} {
		if _, ok := s.Capacity[name]; !ok {
			s.Capacity[name] = resource.MustParse(quantity)
		}
	}
	if s.Allocatable == nil {
		s.Allocatable = s.Capacity.DeepCopy()
	}
}
