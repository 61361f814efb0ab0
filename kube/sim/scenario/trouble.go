package scenario

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

// Trouble is a cluster in which every finding of the catalogue that a cluster can show is there at least once. Objects name
// their finding in the annotation Example; F27 is about kubeconfig files and cannot be here.
func Trouble(now time.Time) (*Scenario, error) {
	s := newStage("trouble", now)
	s.troubleNodes()
	s.troubleClasses()
	for _, step := range []func() error{
		func() error { return s.runAll(troubleSystem()...) }, s.controlPlane,
		s.wrongPlace, s.wrongSpec, s.memoryTrouble, s.bootTrouble, s.stuckPods, s.hostile,
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("scenario trouble: %w", err)
		}
	}
	s.kubeletRequest("csr-7hq2m", "w25-tight")
	return s.finish("one example of every finding, and hostile strings in every field"), nil
}

// troubleNodes are named after what is wrong with them.
func (s *stage) troubleNodes() {
	linux := func(name string, i int) *Machine {
		return &Machine{
			Name: name, OS: "linux", Image: "Ubuntu 26.04.1 LTS", Kernel: "7.0.0-42-generic", Age: metav1.Duration{Duration: 80 * day},
			Booted: metav1.Duration{Duration: 30 * day}, CPU: resource.MustParse("4"), Memory: resource.MustParse("16Gi"),
			Address: fmt.Sprintf("10.30.0.%d", 10+i), PodBlock: fmt.Sprintf("10.245.%d.0/24", i),
		}
	}
	windows := func(name, image, kernel string, i int) *Machine {
		return &Machine{
			Name: name, OS: "windows", Image: image, Kernel: kernel, BootID: fmt.Sprint(8 + i%4), Taints: []corev1.Taint{windowsTaint},
			Age: metav1.Duration{Duration: 70 * day}, Booted: metav1.Duration{Duration: 20 * day}, Reserved: resource.MustParse("2Gi"),
			CPU: resource.MustParse("4"), Memory: resource.MustParse("8Gi"), MaxPods: 60, Labels: map[string]string{"network": "calico"},
			Address: fmt.Sprintf("10.30.1.%d", 10+i), PodBlock: fmt.Sprintf("10.246.%d.%d/26", i/4, i%4*64), CSI: []string{"smb.csi.k8s.io"},
		}
	}
	cp := linux("cp-1", 0)
	cp.Labels = map[string]string{"node-role.kubernetes.io/control-plane": ""}
	cp.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}

	good := windows("w25-good", server2025, "10.0.26100.33674", 0)
	skewed := windows("w25-behind", server2025, "10.0.26100.32522", 1)
	skewed.Example = "F15"
	open := windows("w25-open", server2025, "10.0.26100.33674", 2)
	open.Taints, open.Example = nil, "F01"
	tight := windows("w25-tight", server2025, "10.0.26100.33674", 3)
	tight.Reserved, tight.MaxPods, tight.Example = resource.MustParse("500Mi"), 110, "F11,F12,F17"
	full := windows("w25-full", server2025, "10.0.26100.33674", 4)
	full.Example = "F09,F10"
	crashed := windows("w25-crashed", server2025, "10.0.26100.33674", 5)
	crashed.Booted, crashed.Example = metav1.Duration{Duration: 7 * time.Minute}, "F18"
	forgotten := windows("w25-cordoned", server2025, "10.0.26100.33674", 6)
	forgotten.Cordoned, forgotten.Example = metav1.Duration{Duration: 9 * day}, "F21"
	early := windows("w25-clock", server2025, "10.0.26100.33674", 7)
	early.Ahead, early.Example = metav1.Duration{Duration: 7 * time.Minute}, "F28"
	offline := windows("w22-offline", server2022, "10.0.20348.5074", 8)
	offline.Silent, offline.Hold, offline.Example = metav1.Duration{Duration: 3 * time.Hour}, true, "F03"
	bare := windows("w22-no-network", server2022, "10.0.20348.5074", 9)
	bare.Labels["network"], bare.Example = "none", "F26"
	old := windows("w19-last", server2019, "10.0.17763.8389", 10)
	old.Kubelet, old.Example = "v1.30.14", "F14,F16"
	odd := windows("w23h2", "Windows Server Datacenter", "10.0.25398.2207", 11)
	odd.Example = "F14,F16"
	for _, m := range []*Machine{
		cp, linux("lin-1", 1), linux("lin-2", 2), good, skewed, open, tight, full, crashed, forgotten, early, offline, bare, old, odd,
		hostileNode(windows("hostile-1", server2025, "10.0.26100.33674", 12)),
	} {
		s.node(m)
		s.trouble(m.Name, func(p *fleet.Profile) { p.Memory.Noise = noise })
	}
	s.memoryOfTrouble()
}

func (s *stage) trouble(node string, change func(*fleet.Profile)) {
	p := s.profiles[node]
	change(&p)
	s.profiles[node] = p
}

// memoryOfTrouble is what the machines use, and which of their kubelets do not tell it.
func (s *stage) memoryOfTrouble() {
	s.trouble("w25-full", func(p *fleet.Profile) {
		p.Memory = fleet.Memory{Physical: 8 << 30, PageFile: 1 << 30, SystemCommit: 4 << 30, SystemWorkingSet: 3 << 30, Noise: noise}
		p.Containers = map[string]fleet.ContainerMemory{
			"memory/f09-container/app": {Commit: 970 << 20, WorkingSet: 300 << 20},
			"memory/f10-limits/app":    {Commit: 1900 << 20, WorkingSet: 700 << 20},
		}
	})
	s.trouble("w25-good", func(p *fleet.Profile) {
		p.Containers = map[string]fleet.ContainerMemory{"memory/f09-leak/app": {Commit: 580 << 20, WorkingSet: 400 << 20, Leak: 30 << 20}}
	})
	s.trouble("w25-tight", func(p *fleet.Profile) { p.StatsFault = fleet.FaultTLS }) // F17
	s.trouble("w19-last", func(p *fleet.Profile) { p.Memory.NoGlobalCommit, p.Memory.NoContainerCommit = true, true })
	s.trouble("w23h2", func(p *fleet.Profile) { p.StatsFault = fleet.FaultForbidden })
	s.trouble("w22-no-network", func(p *fleet.Profile) { p.Memory.NoContainerCommit = true })
	s.trouble("lin-1", func(p *fleet.Profile) { p.StatsFault = fleet.FaultHTML })
}

func (s *stage) troubleClasses() {
	class := func(name, build, handler, example string) {
		c := windowsClass(name, build, handler, windowsTaint)
		c.Annotations = map[string]string{Example: example}
		if example == "" {
			c.Annotations = nil
		}
		s.runtimeClass(c, 60*day)
	}
	class("windows-2025", "10.0.26100", "runhcs-wcow-process", "")
	class("windows-2022", "10.0.20348", "runhcs-wcow-process", "")
	class("windows-2019", "10.0.17763", "runhcs-wcow-process", "")
	class("f03-windows-2016", "10.0.14393", "runhcs-wcow-process", "F03")
	class("f05-windows-hyperv", "10.0.26100", "runhcs-wcow-hypervisor", "F05")
	offline := windowsClass("f03-offline-pool", "10.0.20348", "runhcs-wcow-process", windowsTaint)
	offline.Annotations = map[string]string{Example: "F03"}
	offline.Scheduling.NodeSelector[corev1.LabelHostname] = "w22-offline"
	s.runtimeClass(offline, 60*day)
}

// troubleSystem are the system's DaemonSets. The Windows ones select a label that one node lacks.
func troubleSystem() []work {
	all := systemWork()
	for i := range all {
		switch all[i].name {
		case "calico-node-windows", "kube-proxy-windows":
			all[i].on = map[string]string{corev1.LabelOSStable: "windows", "network": "calico"}
		}
	}
	return all
}

// wrongPlace: pods on nodes that cannot run them, or on none.
func (s *stage) wrongPlace() error {
	noMatch := func(image string) string {
		return fmt.Sprintf("failed to pull and unpack image %q: no match for platform in manifest: not found", image)
	}
	const agent, nginx = "ghcr.io/example/log-agent:1.4", "docker.io/library/nginx:1.31"
	windowsNode := func(p *corev1.Pod) bool { return s.byName[p.Spec.NodeName].windows() }
	return s.runAll(
		work{kind: "DaemonSet", ns: "placement", name: "f02-log-agent", os: "linux", noOS: true, always: true,
			image: agent, memory: "64Mi", example: "F02,F25",
			pod: func(_ int, p *corev1.Pod) {
				if windowsNode(p) {
					waiting(p, "ErrImagePull", noMatch(agent))
					s.warn(p, "Failed", "Failed to pull image: "+noMatch(agent), 12, 2*time.Minute)
				}
			}},
		work{ns: "placement", name: "f01-strayed", os: "linux", noOS: true, replicas: 1, nodes: []string{"w25-open"},
			image: nginx, memory: "64Mi", example: "F01,F25",
			pod: func(_ int, p *corev1.Pod) {
				waiting(p, "ImagePullBackOff", noMatch(nginx))
				s.warn(p, "Failed", "Failed to pull image: "+noMatch(nginx), 40, time.Minute)
			}},
		work{ns: "placement", name: "f24-nowhere", os: "windows", class: "f03-windows-2016", replicas: 2,
			image: "ghcr.io/example/old:1.0-ltsc2016", memory: "256Mi", example: "F24",
			unschedulable: "0/16 nodes are available: 16 node(s) didn't match Pod's node affinity/selector. " +
				"preemption: 0/16 nodes are available: 16 Preemption is not helpful for scheduling."},
		work{ns: "placement", name: "f13-2025-on-2022", os: "windows", class: "windows-2022", replicas: 1, nodes: []string{"w22-no-network"},
			image: "ghcr.io/example/web:2.0-ltsc2025", memory: "256Mi", example: "F13",
			pod: func(_ int, p *corev1.Pod) {
				const why = "hcs::CreateComputeSystem: The container operating system does not match the host operating system. (0xc0370101)"
				s.crashing(p, 128, why, 7)
				s.warn(p, "Failed", "Error: failed to create containerd task: "+why, 8, 3*time.Minute)
			}},
		work{ns: "placement", name: "f13-2022-on-2025", os: "windows", class: "windows-2025", replicas: 1, nodes: []string{"w25-good"},
			image: "ghcr.io/example/web:2.0-ltsc2022", memory: "256Mi", example: "F13"},
		work{ns: "placement", name: "on-2019", os: "windows", class: "windows-2019", replicas: 1,
			image: "ghcr.io/example/fax:1.8-ltsc2019", memory: "256Mi", example: "F14"},
	)
}

// wrongSpec: pods that are not written as a Windows pod should be.
func (s *stage) wrongSpec() error {
	const image = "ghcr.io/example/web:2.0-ltsc2025"
	err := s.runAll(
		work{ns: "specs", name: "f06-no-os", os: "windows", noOS: true, class: "windows-2025", replicas: 1,
			image: image, memory: "256Mi", example: "F06"},
		work{ns: "specs", name: "f07-no-limit", os: "windows", class: "windows-2025", replicas: 2,
			image: image, memory: "256Mi", limit: "-", example: "F07"},
		work{ns: "specs", name: "f08-request-below-limit", os: "windows", class: "windows-2025", replicas: 1,
			image: image, memory: "128Mi", limit: "512Mi", example: "F08"},
		work{ns: "specs", name: "f05-hyperv", os: "windows", class: "f05-windows-hyperv", replicas: 1,
			image: image, memory: "256Mi", example: "F05"},
		work{ns: "specs", name: "f23-linux-fields", os: "windows", noOS: true, class: "windows-2025", replicas: 1,
			image: image, memory: "256Mi", example: "F06,F23", edit: linuxFields},
	)
	if err != nil {
		return err
	}
	// Bound by name when the class still selected another build: the selector was never asked.
	return s.bare(work{ns: "specs", name: "f04-other-build", os: "windows", class: "windows-2025",
		image: image, memory: "256Mi", example: "F04",
		nodes: []string{"w22-no-network"}, pod: func(_ int, p *corev1.Pod) { hold(p) }})
}

func linuxFields(t *corev1.PodTemplateSpec) {
	t.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: ptr.To[int64](1000), FSGroup: ptr.To[int64](1000)}
	t.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
		ReadOnlyRootFilesystem: ptr.To(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: `C:\scratch`}}
	t.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory},
	}}}
}

// memoryTrouble fills one node: a container near its limit, limits above what the node can commit, and the node near its own.
func (s *stage) memoryTrouble() error {
	const image = "ghcr.io/example/web:2.0-ltsc2025"
	return s.runAll(
		work{ns: "memory", name: "f09-container", os: "windows", class: "windows-2025", replicas: 1, nodes: []string{"w25-full"},
			image: image, memory: "1Gi", example: "F09"},
		work{ns: "memory", name: "f09-leak", os: "windows", class: "windows-2025", replicas: 1, nodes: []string{"w25-good"},
			image: image, memory: "1Gi", example: "F09"},
		work{ns: "memory", name: "f10-limits", os: "windows", class: "windows-2025", replicas: 2, nodes: []string{"w25-full", "w25-full"},
			image: image, memory: "1Gi", limit: "6Gi", example: "F10"},
		work{ns: "memory", name: "f10-linux", os: "linux", replicas: 2, nodes: []string{"lin-2", "lin-2"},
			image: "docker.io/library/redis:8", memory: "512Mi", limit: "10Gi", example: "F10"},
	)
}

// bare adds pods that nothing controls.
func (s *stage) bare(w work) error {
	t := w.template()
	pods, err := s.place(&w, &t.Spec)
	if err != nil {
		return err
	}
	for i, p := range pods {
		name := w.name
		if i > 0 {
			name = fmt.Sprintf("%s-%d", w.name, i)
		}
		if _, err := s.pod(w.ns, name, &t, nil, p, 10*day); err != nil {
			return err
		}
	}
	return nil
}
