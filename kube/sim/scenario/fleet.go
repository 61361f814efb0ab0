package scenario

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

const (
	// noise lets the figures of the generated clusters waver by 2 %.
	noise = 0.02

	day  = 24 * time.Hour
	zone = corev1.LabelTopologyZone
	pool = "agentpool"
)

// windowsTaint keeps Linux pods off the Windows nodes of the generated clusters.
var windowsTaint = corev1.Taint{Key: "os", Value: "windows", Effect: corev1.TaintEffectNoSchedule}

// Windows versions of the generated clusters.
const (
	server2019 = "Windows Server 2019 Datacenter"
	server2022 = "Windows Server 2022 Datacenter"
	server2025 = "Windows Server 2025 Datacenter"
)

// pools is the fleet's inventory, one row for machines that are alike.
var pools = []struct {
	name, pool, os, arch string
	count                int
	image                string
	kernels              []string // dealt out in turn: several are a patch skew
	cpu, memory          string
	kubelet, runtime     string
	subnet               int
	labels               map[string]string
}{
	{name: "cp", pool: "control-plane", os: "linux", count: 3, image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"},
		cpu: "4", memory: "16Gi", subnet: 10, labels: map[string]string{"node-role.kubernetes.io/control-plane": ""}},
	{name: "lin", pool: "general", os: "linux", count: 6, image: "Ubuntu 26.04.1 LTS",
		kernels: []string{"7.0.0-42-generic", "7.0.0-42-generic", "7.0.0-41-generic"}, cpu: "8", memory: "32Gi", subnet: 20},
	{name: "arm", pool: "arm", os: "linux", arch: "arm64", count: 3, image: "Ubuntu 26.04.1 LTS",
		kernels: []string{"7.0.0-42-generic"}, cpu: "8", memory: "32Gi", subnet: 30},
	{name: "w25", pool: "win2025", os: "windows", count: 12, image: server2025,
		kernels: []string{"10.0.26100.33674", "10.0.26100.33674", "10.0.26100.33438", "10.0.26100.32522"},
		cpu:     "8", memory: "32Gi", subnet: 50},
	{name: "w22", pool: "win2022", os: "windows", count: 6, image: server2022,
		kernels: []string{"10.0.20348.5074", "10.0.20348.5074", "10.0.20348.4893"}, cpu: "8", memory: "32Gi", subnet: 60},
	{name: "w19", pool: "win2019", os: "windows", count: 2, image: server2019, kernels: []string{"10.0.17763.8389"},
		cpu: "4", memory: "16Gi", kubelet: "v1.36.4", runtime: "containerd://2.1.6", subnet: 70},
}

// Fleet is a mixed cluster of 32 nodes: Linux on two architectures, three Windows builds with different revisions, several
// pools and zones, with maintenance under way here and there.
func Fleet(now time.Time) (*Scenario, error) {
	s := newStage("fleet", now)
	s.fleetNodes()
	for _, c := range [][2]string{{"windows-2019", "10.0.17763"}, {"windows-2022", "10.0.20348"}, {"windows-2025", "10.0.26100"}} {
		s.runtimeClass(windowsClass(c[0], c[1], "runhcs-wcow-process", windowsTaint), 60*day)
	}
	if err := s.runAll(systemWork()...); err != nil {
		return nil, fmt.Errorf("scenario fleet: %w", err)
	}
	if err := s.controlPlane(); err != nil {
		return nil, fmt.Errorf("scenario fleet: %w", err)
	}
	if err := s.runAll(fleetWork...); err != nil {
		return nil, fmt.Errorf("scenario fleet: %w", err)
	}
	return s.finish("32 nodes: Linux, Windows Server 2019, 2022 and 2025, several pools and zones"), nil
}

func (s *stage) fleetNodes() {
	block := 0
	for _, p := range pools {
		for i := range p.count {
			m := &Machine{
				Name: fmt.Sprintf("%s-%02d", p.name, i+1), Address: fmt.Sprintf("10.20.%d.%d", p.subnet, 10+i),
				OS: p.os, Arch: p.arch, Image: p.image, Kernel: p.kernels[i%len(p.kernels)], Kubelet: p.kubelet, Runtime: p.runtime,
				CPU: resource.MustParse(p.cpu), Memory: resource.MustParse(p.memory), Disk: resource.MustParse("120Gi"),
				PodBlock: fmt.Sprintf("10.244.%d.%d/26", block/4, block%4*64), CSI: []string{"smb.csi.k8s.io"},
				Age: metav1.Duration{Duration: time.Duration(90-3*block/2) * day}, Booted: metav1.Duration{Duration: time.Duration(4+i*5) * day},
				Labels: map[string]string{
					pool: p.pool, zone: fmt.Sprintf("north-%d", i%3+1), corev1.LabelTopologyRegion: "north",
				},
			}
			for k, v := range p.labels {
				m.Labels[k] = v
				m.Taints = []corev1.Taint{{Key: k, Effect: corev1.TaintEffectNoSchedule}}
			}
			if m.windows() {
				m.BootID = fmt.Sprint(9 + i%4)
				m.MaxPods = 60
				m.Reserved = resource.MustParse("2Gi")
				m.Taints = []corev1.Taint{windowsTaint}
			}
			if m.booted() > m.Age.Duration {
				m.Booted = metav1.Duration{}
			}
			m.exception()
			s.node(m)
			s.profiles[m.Name] = machineProfile(m)
			block++
		}
	}
}

// exception is what some of the fleet's machines are in the middle of.
func (m *Machine) exception() {
	switch m.Name {
	case "lin-03", "w25-04", "w22-02":
		m.Cordoned = metav1.Duration{Duration: 40 * time.Minute}
	case "w22-05":
		m.Silent = metav1.Duration{Duration: 23 * time.Minute}
		m.Hold = true
	}
}

// machineProfile lets the machines differ: a later revision waits for the next boot, and some boot slowly.
func machineProfile(m *Machine) fleet.Profile {
	p := fleet.Profile{Uptime: m.booted(), JobTime: jobTime, Memory: fleet.Memory{Noise: noise}}
	switch m.Name {
	case "w25-03": // its memory is less than it has committed: it pages
		p.Memory.SystemCommit, p.Memory.SystemWorkingSet = 30<<30, 28<<30
	case "w25-06":
		p.Containers = map[string]fleet.ContainerMemory{"erp/worker/app": {Commit: 500 << 20, WorkingSet: 310 << 20, Leak: 16 << 20}}
	case "w25-07":
		p.SlowBoot = 15 * time.Minute
	case "w22-06":
		p.NeverReturns = true
	}
	switch {
	case strings.HasPrefix(m.Kernel, "10.0.26100."):
		p.RevisionAfterReboot = 33674
	case strings.HasPrefix(m.Kernel, "10.0.20348."):
		p.RevisionAfterReboot = 5074
		p.Memory.NoContainerCommit = true // a kubelet without the feature gate
	}
	return p
}

// systemWork are the DaemonSets and services that a cluster of Linux and Windows nodes needs.
func systemWork() []work {
	linux, windows := map[string]string{corev1.LabelOSStable: "linux"}, map[string]string{corev1.LabelOSStable: "windows"}
	return []work{
		{kind: "DaemonSet", ns: "calico-system", name: "calico-node", os: "linux", on: linux, always: true, host: true, age: 60 * day,
			image: "quay.io/calico/node:v3.33.0", cpu: "100m", limit: "-"},
		{kind: "DaemonSet", ns: "calico-system", name: "calico-node-windows", os: "windows", on: windows, always: true, host: true,
			age: 60 * day, image: "quay.io/calico/node-windows:v3.33.0", limit: "-", edit: label("k8s-app", "calico-node-windows")},
		{kind: "DaemonSet", ns: "kube-system", name: "kube-proxy", os: "linux", on: linux, always: true, host: true, age: 60 * day,
			image: "registry.k8s.io/kube-proxy:v1.37.2", limit: "-", edit: label("k8s-app", "kube-proxy")},
		{kind: "DaemonSet", ns: "kube-system", name: "kube-proxy-windows", os: "windows", on: windows, always: true, host: true,
			age: 60 * day, image: "sigwindowstools/kube-proxy:v1.37.2-calico-hostprocess", limit: "-", edit: label("k8s-app", "kube-proxy-windows")},
		{kind: "DaemonSet", ns: "kube-system", name: "csi-smb-node-win", os: "windows", on: windows, always: true, host: true, age: 40 * day,
			image: "registry.k8s.io/sig-storage/smbplugin:v1.20.4-windows-hp", cpu: "40m", memory: "40Mi", limit: "200Mi"},
		{kind: "DaemonSet", ns: "monitoring", name: "windows-exporter", os: "windows", on: windows, always: true, host: true, age: 40 * day,
			image: "ghcr.io/prometheus-community/windows-exporter:0.31.9", limit: "-", edit: exporterPort},
		{ns: "kube-system", name: "coredns", replicas: 2, os: "linux", on: linux, image: "registry.k8s.io/coredns/coredns:v1.14.2",
			cpu: "100m", memory: "70Mi", limit: "170Mi", budget: "-1", edit: label("k8s-app", "kube-dns")},
		{ns: "kube-system", name: "metrics-server", replicas: 1, os: "linux", on: linux,
			image: "registry.k8s.io/metrics-server/metrics-server:v0.9.0", cpu: "100m", memory: "200Mi", limit: "-"},
	}
}

func exporterPort(t *corev1.PodTemplateSpec) {
	t.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "metrics", ContainerPort: 9182, HostPort: 9182, Protocol: corev1.ProtocolTCP}}
}

func label(key, value string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) { t.Labels[key] = value }
}

// controlPlane adds the static pods of every control-plane node.
func (s *stage) controlPlane() error {
	var nodes []Placed
	for _, m := range s.machines {
		if _, ok := m.Labels["node-role.kubernetes.io/control-plane"]; ok {
			nodes = append(nodes, Placed{Node: m.Name})
		}
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		image := "registry.k8s.io/" + name + ":v1.37.2"
		if name == "etcd" {
			image = "registry.k8s.io/etcd:3.7.3-0"
		}
		p := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: metav1.NamespaceSystem, Name: name, Labels: map[string]string{"component": name, "tier": "control-plane"},
			},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: image}}},
		}
		if err := s.staticPods(p, 30*day, nodes); err != nil {
			return err
		}
	}
	return nil
}
