package findings

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

var cases = map[string][]raised{
	"F01": {
		{"no taint", of(windowsNode("w", func(n *model.Node) { n.Taints = nil })), []string{"warning w: the node has no taint"}},
		{"only the taint of a cordon", of(windowsNode("w", func(n *model.Node) {
			n.Taints = []model.Taint{{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}}
		})), []string{"warning w: its taints do not keep Linux pods off: node.kubernetes.io/unschedulable:NoSchedule"}},
		{"a taint that only advises", of(windowsNode("w", func(n *model.Node) { n.Taints[0].Effect = "PreferNoSchedule" })),
			[]string{"warning w: its taints do not keep Linux pods off: os=windows:PreferNoSchedule"}},
		{"OpenShift's spelling", of(windowsNode("w", func(n *model.Node) { n.Taints[0].Value = "Windows" })), nil},
		{"GKE's key", of(windowsNode("w", func(n *model.Node) { n.Taints[0].Key = "node.kubernetes.io/os" })), nil},
		{"a taint for a team", of(windowsNode("w", func(n *model.Node) { n.Taints[0] = model.Taint{Key: "team", Value: "a", Effect: "NoExecute"} })), nil},
		{"a Linux node", of(linuxNode("l")), nil},
	},
	"F02": {
		{"it says that it is for Linux", of(windowsNode("w"), daemonSet("agent", func(p *model.Pod) { p.OS = model.OSLinux })),
			[]string{"warning sys/agent: spec.os.name is linux, and nothing keeps it off 1 Windows node (w)"}},
		{"it has fields of Linux", of(windowsNode("w"), daemonSet("agent", func(p *model.Pod) { p.Shape.NotOnWindows = []string{"hostPID"} })),
			[]string{"warning sys/agent: it is written for Linux, and nothing keeps it off 1 Windows node (w)"}},
		{"it mounts a path of Linux", of(windowsNode("w"), daemonSet("agent", func(p *model.Pod) {
			p.Shape.Volumes = []model.PodVolume{{Kind: "hostPath", Path: "/var/log"}}
		})), []string{"warning sys/agent: it is written for Linux, and nothing keeps it off 1 Windows node (w)"}},
		{"its pod finds no image", of(windowsNode("w"), daemonSet("agent"), windowsPod("p", "w", ownedBy("agent"), unready, func(p *model.Pod) {
			p.OS, p.Shape, p.Message = "", nil, "no match for platform in manifest"
		})), []string{"warning sys/agent: its pods find no image for Windows on 1 node (w)"}},
		{"its selector keeps it off", of(windowsNode("w"), daemonSet("agent", func(p *model.Pod) {
			p.OS, p.Shape.NodeSelector = model.OSLinux, map[string]string{osLabel: "linux"}
		})), nil},
		{"the taint keeps it off", of(windowsNode("w"), daemonSet("agent", func(p *model.Pod) { p.OS, p.Shape.Tolerations = model.OSLinux, nil })), nil},
		{"it tolerates another value", of(windowsNode("w"), daemonSet("agent", func(p *model.Pod) {
			p.OS, p.Shape.Tolerations = model.OSLinux, []corev1.Toleration{{Key: "os", Value: "Windows"}}
		})), nil},
		{"an image of both systems", of(windowsNode("w"), daemonSet("agent"), windowsPod("p", "w", ownedBy("agent"))), nil},
		{"no Windows node", of(linuxNode("l"), daemonSet("agent", func(p *model.Pod) { p.OS = model.OSLinux })), nil},
	},
	"F03": {
		{"a build that is gone", of(windowsNode("w"), class("old", "10.0.17763", "h")),
			[]string{"warning old: kubernetes.io/os=windows,node.kubernetes.io/windows-build=10.0.17763 selects no node"}},
		{"its one node is silent", of(windowsNode("w", func(n *model.Node) { n.Conditions[0].Status = "Unknown" }), class("c", "10.0.26100", "h")),
			[]string{"warning c: kubernetes.io/os=windows,node.kubernetes.io/windows-build=10.0.26100 selects 1 node, which is not Ready"}},
		{"its node is cordoned", of(windowsNode("w", func(n *model.Node) { n.Unschedulable = true }), class("c", "10.0.26100", "h")), nil},
		{"no selector", of(windowsNode("w"), class("c", "", "h")), nil},
		{"no node at all", of(class("c", "10.0.26100", "h")), nil},
	},
	"F04": {
		{"the class has moved on", of(windowsNode("w"), class("c", "10.0.20348", "h"), windowsPod("p", "w", func(p *model.Pod) { p.RuntimeClass = "c" })),
			[]string{"warning shop/p: RuntimeClass c selects build 10.0.20348, node w is 10.0.26100"}},
		{"the same build", of(windowsNode("w"), class("c", "10.0.26100", "h"), windowsPod("p", "w", func(p *model.Pod) { p.RuntimeClass = "c" })), nil},
		{"the class is gone", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.RuntimeClass = "c" })), nil},
		{"the node's build is not known", of(windowsNode("w", build("", "")), class("c", "10.0.20348", "h"), windowsPod("p", "w", func(p *model.Pod) { p.RuntimeClass = "c" })), nil},
	},
	"F05": {
		{"nobody uses it", of(class("hv", "", "runhcs-wcow-hypervisor-1809")), []string{"warning hv: its handler is runhcs-wcow-hypervisor-1809"}},
		{"a pod uses it", of(windowsNode("w"), class("hv", "", "runhcs-wcow-hypervisor"), windowsPod("p", "w", func(p *model.Pod) { p.RuntimeClass = "hv" })),
			[]string{"warning hv: its handler is runhcs-wcow-hypervisor; 1 pod uses it"}},
		{"process isolation", of(class("c", "", "runhcs-wcow-process")), nil},
	},
	"F06": {
		{"on a Windows node", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.OS = "" })),
			[]string{"info shop/p: spec.os.name is not set; the pod is on Windows node w"}},
		{"by its class, with no node yet", of(class("c", "10.0.26100", "h"), windowsPod("p", "", pending(""), func(p *model.Pod) { p.OS, p.Shape, p.RuntimeClass = "", nil, "c" })),
			[]string{"info shop/p: spec.os.name is not set; the pod selects Windows nodes"}},
		{"on a node that is not known", of(windowsPod("p", "gone", func(p *model.Pod) { p.OS = "" })),
			[]string{"info shop/p: spec.os.name is not set; the pod selects Windows nodes"}},
		{"a template without pods", of(&model.Workload{Kind: model.KindDeployment, Namespace: "shop", Name: "web", Template: windowsPod("web", "", func(p *model.Pod) { p.OS = "" })}),
			[]string{"info shop/web: spec.os.name is not set; the pod selects Windows nodes"}},
		{"it says so", of(windowsNode("w"), windowsPod("p", "w")), nil},
		{"a Linux pod that has strayed", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) {
			p.OS, p.Shape, p.Message = "", nil, "no match for platform in manifest"
		})), nil},
		{"a pod that says nothing, on Linux", of(linuxNode("l"), windowsPod("p", "l", func(p *model.Pod) { p.OS, p.Shape = "", nil })), nil},
	},
	"F12": {
		{"a /26 block", of(windowsNode("w", func(n *model.Node) { n.MaxPods, n.PodBlocks = 110, []string{"10.0.0.64/26"} })),
			[]string{"warning w: it takes 110 pods, and its block 10.0.0.64/26 gives 60 addresses"}},
		{"Calico beside a range that it does not use", of(windowsNode("w", func(n *model.Node) {
			n.MaxPods, n.PodBlocks, n.Annotations = 110, []string{"10.0.1.0/24"}, map[string]string{model.CalicoAddressAnnotation: "192.0.2.1/24"}
		})), []string{"warning w: it takes 110 pods, and its block 10.0.1.0/26 gives 60 addresses"}},
		{"EKS", of(windowsNode("w", func(n *model.Node) { n.MaxPods, n.Extended = 110, map[string]int64{eksAddresses: 14} })),
			[]string{"warning w: it takes 110 pods, and its network interface gives 14 addresses"}},
		{"60 pods in a /26", of(windowsNode("w", func(n *model.Node) { n.PodBlocks = []string{"10.0.0.64/26"} })), nil},
		{"a /24", of(windowsNode("w", func(n *model.Node) { n.MaxPods, n.PodBlocks = 110, []string{"10.0.1.0/24"} })), nil},
		{"no range, or none that is IPv4", of(windowsNode("w", func(n *model.Node) { n.MaxPods, n.PodBlocks = 500, []string{"fd00::/64", "nonsense"} })), nil},
	},
	"F13": {
		{"2025 on 2022", of(windowsNode("w", build("10.0.20348", "10.0.20348.1")), windowsPod("p", "w", unready, image("example.com/web:2-ltsc2025"))),
			[]string{"critical shop/p: container app: image example.com/web:2-ltsc2025 is of build 26100, inferred from ltsc2025 in its tag, and node w is 10.0.20348: it never runs there"}},
		{"2022 on 2025", of(windowsNode("w"), windowsPod("p", "w", image("example.com/web:LTSC2022"))),
			[]string{"warning shop/p: container app: image example.com/web:LTSC2022 is of build 20348, inferred from ltsc2022 in its tag, and node w is 10.0.26100: an exception, not to build on"}},
		{"before it has a node", of(class("c", "10.0.20348", "h"), windowsPod("p", "", pending(""), image("example.com/web:ltsc2025"), func(p *model.Pod) { p.RuntimeClass = "c" })),
			[]string{"critical shop/p: container app: image example.com/web:ltsc2025 is of build 26100, inferred from ltsc2025 in its tag, and the pod selects build 20348: it never runs there"}},
		{"the runtime says it of an image without a build", of(windowsNode("w"), windowsPod("p", "w", unready, image("example.com/web:latest"), func(p *model.Pod) {
			p.State, p.Message = "RunContainerError", "hcs: the container operating system does not match the host operating system (0xc0370101)"
		})), []string{"critical shop/p: RunContainerError: hcs: the container operating system does not match the host operating system (0xc0370101)"}},
		{"the node's own build", of(windowsNode("w"), windowsPod("p", "w", image("example.com/web:ltsc2025"))), nil},
		{"a tag that is wrong, for the pod runs", of(windowsNode("w", build("10.0.20348", "10.0.20348.1")), windowsPod("p", "w", image("example.com/web:ltsc2025"))), nil},
		{"HostProcess", of(windowsNode("w"), windowsPod("p", "w", image("example.com/web:ltsc2019"), unready, func(p *model.Pod) { p.HostProcess = true })), nil},
		{"Hyper-V isolation", of(windowsNode("w"), class("hv", "", "runhcs-wcow-hypervisor"), windowsPod("p", "w", unready, image("example.com/web:ltsc2019"), func(p *model.Pod) { p.RuntimeClass = "hv" })), nil},
		{"a version that looks like a build", of(windowsNode("w"), windowsPod("p", "w", image("example.com/web:2004"))), nil},
	},
	"F14": {
		{"2019", of(windowsNode("w", build("10.0.17763", "10.0.17763.1"))), []string{"warning w: Windows Server 2019: Kubernetes 1.37 does not support it"}},
		{"23H2", of(windowsNode("w", build("10.0.25398", "10.0.25398.1"))),
			[]string{"warning w: Windows Server, version 23H2: Microsoft's support ended on 2025-10-24; Kubernetes 1.37 does not support it"}},
		{"2022, in extended support", of(windowsNode("w", build("10.0.20348", "10.0.20348.1"))), nil},
		{"a build that is not known", of(windowsNode("w", build("", "x"))), nil},
	},
	"F15": {
		{"one behind", of(windowsNode("a"), windowsNode("b", build("10.0.26100", "10.0.26100.32522"))),
			[]string{"info b: revision 32522; the newest node of build 10.0.26100 has 33674"}},
		{"two builds", of(windowsNode("a"), windowsNode("b", build("10.0.20348", "10.0.20348.5074"))), nil},
		{"a revision that is not known", of(windowsNode("a"), windowsNode("b", build("10.0.26100", ""))), nil},
	},
	"F16": {
		{"one of two builds", of(windowsNode("a"), windowsNode("b"), windowsNode("c", build("10.0.20348", "10.0.20348.5074"))), []string{"warning c: the only node of build 10.0.20348"}},
		{"two of a build", of(windowsNode("a"), windowsNode("b")), nil},
		{"one Linux node", of(linuxNode("l")), nil},
		{"a build that is not known", of(windowsNode("a", build("", ""))), nil},
	},
	"F17": {
		{"nobody decided", of(&model.CertificateRequest{Name: "csr-1", User: "system:node:w", Created: now.Add(-35 * time.Minute)}),
			[]string{"warning csr-1: system:node:w has waited for 35m"}},
		{"just asked", of(&model.CertificateRequest{Name: "csr-1", User: "system:node:w", Created: now.Add(-time.Minute)}), nil},
		{"granted", of(&model.CertificateRequest{Name: "csr-1", Created: now.Add(-time.Hour), Granted: true}), nil},
		{"refused", of(&model.CertificateRequest{Name: "csr-1", Created: now.Add(-time.Hour), Denied: true}), nil},
	},
	"F18": {
		{"seven minutes ago", of(windowsNode("w"), booted("w", 7*time.Minute)), []string{"warning w: it booted 7m ago, and no maintenance owns it"}},
		{"a Linux node", of(linuxNode("l"), booted("l", 7*time.Minute)), []string{"info l: it booted 7m ago, and no maintenance owns it"}},
		{"nobody tells", of(windowsNode("w"), &model.Usage{Node: "w", Problems: []string{"kubelet summary: forbidden"}}),
			[]string{"warning : 1 node (w): when it booted is not known: kubelet summary: forbidden"}},
		{"nobody answers", scene{objects: []model.Object{windowsNode("w")}, world: World{Measured: true}},
			[]string{"warning : 1 node (w): when it booted is not known: no source answered in time"}},
		{"two hours ago", of(windowsNode("w"), booted("w", 2*time.Hour)), nil},
		{"in a maintenance", of(windowsNode("w", func(n *model.Node) { n.Annotations = map[string]string{model.MaintenanceAnnotation: "{}"} }), booted("w", 7*time.Minute)), nil},
		{"a new machine", of(windowsNode("w", func(n *model.Node) { n.Created = now.Add(-5 * time.Minute) }), booted("w", 7*time.Minute)), nil},
		{"nobody has asked yet", of(windowsNode("w")), nil},
	},
	"F19": {
		{"it was there before the boot", of(windowsNode("w"), booted("w", 7*time.Minute), windowsPod("p", "w", unready, restarted(7*time.Minute))),
			[]string{"critical shop/p: 0 of 1 containers ready; the pod was there when w booted 7m ago"}},
		{"the boot is not known, and its container was lost", of(windowsNode("w"), windowsPod("p", "w", unready, restarted(7*time.Minute))),
			[]string{"critical shop/p: 0 of 1 containers ready; container app was lost 7m ago and runs again"}},
		{"it became ready", of(windowsNode("w"), booted("w", 7*time.Minute), windowsPod("p", "w", restarted(7*time.Minute))), nil},
		{"the boot is three minutes old", of(windowsNode("w"), booted("w", 3*time.Minute), windowsPod("p", "w", unready, restarted(3*time.Minute))), nil},
		{"it came after the boot", of(windowsNode("w"), booted("w", time.Hour), windowsPod("p", "w", unready, restarted(7*time.Minute), func(p *model.Pod) { p.Started = now.Add(-20 * time.Minute) })), nil},
		{"it failed long after the boot", of(windowsNode("w"), booted("w", 24*time.Hour), windowsPod("p", "w", unready, restarted(7*time.Minute))), nil},
		{"HostProcess", of(windowsNode("w"), booted("w", 7*time.Minute), windowsPod("p", "w", unready, restarted(7*time.Minute), func(p *model.Pod) { p.HostProcess = true })), nil},
		{"Linux", of(linuxNode("l"), booted("l", 7*time.Minute), windowsPod("p", "l", unready, restarted(7*time.Minute), func(p *model.Pod) { p.OS = model.OSLinux })), nil},
	},
	"F20": {
		{"behind a claim", of(nfs("w", "smb.csi.k8s.io")...), []string{"critical shop/p: volume data needs driver nfs.csi.k8s.io; node w has smb.csi.k8s.io"}},
		{"in the pod, on a node without any", of(windowsNode("w"), &model.CSINode{Name: "w"}, windowsPod("p", "w", func(p *model.Pod) {
			p.Shape.Volumes = []model.PodVolume{{Name: "data", Kind: "csi", Driver: "x"}}
		})), []string{"critical shop/p: volume data needs driver x; node w has none"}},
		{"the node has it", of(nfs("w", "nfs.csi.k8s.io")...), nil},
		{"what the node has is not known", of(nfs("w", "nfs.csi.k8s.io")[1:]...), nil},
		{"the claim is missing", of(windowsNode("w"), &model.CSINode{Name: "w"}, windowsPod("p", "w", volume)), nil},
	},
	"F21": {
		{"for nine days", of(windowsNode("w", cordoned(9*24*time.Hour))), []string{"warning w: cordoned for 9d; no maintenance owns it"}},
		{"since when is not known", of(windowsNode("w", func(n *model.Node) { n.Unschedulable = true })), []string{"info w: cordoned, and it is not known since when; no maintenance owns it"}},
		{"for an hour", of(windowsNode("w", cordoned(time.Hour))), nil},
		{"in a maintenance", of(windowsNode("w", cordoned(9*24*time.Hour), func(n *model.Node) { n.Annotations = map[string]string{model.MaintenanceAnnotation: "{}"} })), nil},
	},
	"F22": {
		{"a finalizer", of(windowsNode("w"), windowsPod("p", "w", deleted(time.Hour), func(p *model.Pod) { p.Finalizers = []string{"example.com/backup"} })),
			[]string{"warning shop/p: it should have been gone 60m ago; finalizers example.com/backup"}},
		{"an event tells", scene{objects: []model.Object{windowsNode("w"), windowsPod("p", "w", deleted(time.Hour))}, world: World{Events: map[model.Key][]model.Event{
			{Kind: model.KindPod, Namespace: "shop", Name: "p"}: {{Type: "Normal", Reason: "Killing"}, {Type: "Warning", Reason: "FailedKillPod", Message: "hcnDeleteNamespace failed"}},
		}}}, []string{"warning shop/p: it should have been gone 60m ago; event FailedKillPod: hcnDeleteNamespace failed"}},
		{"its node is silent, and it has ended", of(windowsNode("w", func(n *model.Node) { n.Conditions[0].Status = "Unknown" }), windowsPod("p", "w", deleted(time.Hour), func(p *model.Pod) { p.Phase = "Failed" })),
			[]string{"warning shop/p: it should have been gone 60m ago; its node w is not Ready, and nobody else can confirm its end"}},
		{"events that were not read", of(windowsPod("p", "", deleted(time.Hour))), []string{"warning shop/p: it should have been gone 60m ago; why is not known: its events were not read"}},
		{"within its grace period", of(windowsNode("w"), windowsPod("p", "w", deleted(-20*time.Second))), nil},
		{"a minute over", of(windowsNode("w"), windowsPod("p", "w", deleted(time.Minute))), nil},
	},
	"F23": {
		{"fields of Linux", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.Shape.NotOnWindows = []string{"a", "b", "c", "d"} })),
			[]string{"warning shop/p: set: a, b, c and 1 more"}},
		{"on Linux", of(linuxNode("l"), windowsPod("p", "l", func(p *model.Pod) { p.OS, p.Shape = model.OSLinux, &model.Shape{NotOnWindows: []string{"a"}} })), nil},
		{"none", of(windowsNode("w"), windowsPod("p", "w")), nil},
	},
	"F24": {
		{"a build that is not there", of(windowsNode("w"), linuxNode("l"), windowsPod("p", "", pending("0/2"), func(p *model.Pod) { p.Shape.NodeSelector[model.WindowsBuildLabel] = "10.0.20348" })),
			[]string{"critical shop/p: no node for 5d: no Windows node of build 10.0.20348; 1 node: the node selector asks for kubernetes.io/os=windows, node.kubernetes.io/windows-build=10.0.20348 (l); 1 node: the node selector asks for node.kubernetes.io/windows-build=10.0.20348 (w)"}},
		{"nothing is known of the template", of(class("c", "10.0.20348", "h"), windowsPod("p", "", pending("0/2 nodes are available"), func(p *model.Pod) { p.Shape = nil })),
			[]string{"critical shop/p: no node for 5d: 0/2 nodes are available"}},
		{"just created", of(windowsNode("w"), windowsPod("p", "", pending(""), func(p *model.Pod) { p.Created = now.Add(-30 * time.Second) })), nil},
		{"a Linux pod", of(windowsPod("p", "", pending(""), func(p *model.Pod) { p.OS = model.OSLinux })), nil},
		{"it has a node and is starting", of(windowsNode("w"), windowsPod("p", "w", pending(""))), nil},
	},
	"F25": {
		{"a Linux pod on Windows", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.OS = model.OSLinux })), []string{"warning shop/p: it is a linux pod on windows node w"}},
		{"the kubelet refused it", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.OS, p.Phase, p.State = model.OSLinux, "Failed", wrongOS })),
			[]string{"warning shop/p: the kubelet of windows node w refused it: PodOSNotSupported"}},
		{"no image for the platform", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) {
			p.OS, p.Shape, p.State, p.Message = "", nil, "ErrImagePull", "no match for platform in manifest: not found"
		})), []string{"warning shop/p: ErrImagePull on windows node w: no match for platform in manifest: not found"}},
		{"a Windows pod on Linux", of(linuxNode("l"), windowsPod("p", "l")), []string{"warning shop/p: it is a windows pod on linux node l"}},
		{"a Windows image of another build", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.State, p.Message = "ErrImagePull", "no match for platform in manifest" })), nil},
		{"an image that cannot be pulled", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.OS, p.Shape, p.State, p.Message = "", nil, "ErrImagePull", "unauthorized" })), nil},
		{"a pod that says nothing and runs", of(windowsNode("w"), windowsPod("p", "w", func(p *model.Pod) { p.OS, p.Shape = "", nil })), nil},
	},
	"F26": {
		{"both are missing", of(windowsNode("w"), daemonSet("calico-node-windows"), daemonSet("kube-proxy-windows")),
			[]string{"critical w: no CNI pod: sys/calico-node-windows has none here", "critical w: no kube-proxy pod: sys/kube-proxy-windows has none here"}},
		{"one is missing", of(windowsNode("w"), daemonSet("calico-node-windows"), daemonSet("kube-proxy-windows"), windowsPod("c", "w", ownedBy("calico-node-windows"))),
			[]string{"critical w: no kube-proxy pod: sys/kube-proxy-windows has none here"}},
		{"both are there", of(windowsNode("w"), daemonSet("kube-flannel-ds-windows-amd64"), daemonSet("kube-proxy-windows"), windowsPod("c", "w", ownedBy("kube-flannel-ds-windows-amd64")), windowsPod("k", "w", ownedBy("kube-proxy-windows"))), nil},
		{"the network runs as services", of(windowsNode("w"), daemonSet("kube-proxy")), nil},
		{"a node that has just joined", of(windowsNode("w", func(n *model.Node) { n.Created = now.Add(-time.Minute) }), daemonSet("kube-proxy-windows")), nil},
		{"a Linux node", of(linuxNode("l"), daemonSet("kube-proxy-windows")), nil},
	},
	"F27": {
		{"two files", scene{world: World{Contexts: []model.ContextEntry{{Name: "kubernetes-admin@kubernetes", Conflicts: "b.yaml also has a context of this name", Usable: true}}}},
			[]string{"warning kubernetes-admin@kubernetes: b.yaml also has a context of this name"}},
		{"a context with another problem", scene{world: World{Contexts: []model.ContextEntry{{Name: "c", Problem: "its certificate is missing"}}}}, nil},
	},
	"F28": {
		{"a node ahead", of(append(clocks(5*time.Second, 4*time.Second, 6*time.Second), windowsNode("z"), heartbeat("z", -7*time.Minute))...), []string{"warning z: its last heartbeat says that its clock is 7m4s ahead"}},
		{"a node behind", of(append(clocks(5*time.Second, 4*time.Second, 6*time.Second), windowsNode("z"), heartbeat("z", 5*time.Minute))...), []string{"warning z: its last heartbeat says that its clock is 4m55s behind"}},
		{"this machine behind", of(clocks(-5*time.Minute, -5*time.Minute, -5*time.Minute, -5*time.Minute)...), []string{"warning this machine: by the heartbeats of most nodes the clock of this machine is 5m0s behind"}},
		{"this machine ahead", of(clocks(time.Hour, time.Hour, time.Hour, time.Hour)...), []string{"warning this machine: by the heartbeats of most nodes the clock of this machine is 1h0m0s ahead"}},
		{"this machine, by the server's Date", scene{objects: clocks(-5 * time.Minute), server: model.ServerFacts{ClockKnown: true, ClockAhead: 5 * time.Minute}},
			[]string{"warning this machine: by the API server's Date the clock of this machine is 5m0s behind"}},
		{"the server and the nodes agree", scene{objects: clocks(-20*time.Second, -30*time.Second), server: model.ServerFacts{ClockKnown: true, ClockAhead: 30 * time.Second}}, nil},
		{"all within ten seconds", of(clocks(0, 5*time.Second, 10*time.Second)...), nil},
		{"a silent node", of(append(clocks(5*time.Second), windowsNode("z", func(n *model.Node) { n.Conditions[0].Status = "Unknown" }), heartbeat("z", time.Hour))...), nil},
		{"heartbeats that nobody delivers any more", scene{objects: clocks(time.Hour, time.Hour, time.Hour), feeds: []model.Feed{{Kind: model.KindLease, State: model.FeedFailing, Listed: true}}}, nil},
	},
}

func restarted(ago time.Duration) func(*model.Pod) {
	return func(p *model.Pod) {
		c := &p.Containers[0]
		c.Restarts, c.Exited, c.ExitCode, c.ExitReason = 1, now.Add(-ago), 255, "Unknown"
	}
}

func volume(p *model.Pod) {
	p.Shape.Volumes = []model.PodVolume{{Name: "data", Kind: "persistentVolumeClaim", Claim: "c"}}
}

// nfs is a pod whose volume is behind an NFS driver, on a node with the driver given.
// The first object is what the node has.
func nfs(node, driver string) []model.Object {
	return []model.Object{
		&model.CSINode{Name: node, Drivers: []string{driver}}, windowsNode(node), windowsPod("p", node, volume),
		&model.Claim{Namespace: "shop", Name: "c", Volume: "v"}, &model.Volume{Name: "v", Kind: "csi", Driver: "nfs.csi.k8s.io"},
	}
}

func cordoned(ago time.Duration) func(*model.Node) {
	return func(n *model.Node) { n.Unschedulable, n.Cordoned = true, now.Add(-ago) }
}

func deleted(ago time.Duration) func(*model.Pod) {
	return func(p *model.Pod) { p.Deleted = now.Add(-ago) }
}

// clocks are Ready nodes whose last heartbeats are that late.
func clocks(late ...time.Duration) []model.Object {
	var all []model.Object
	for i, d := range late {
		name := string(rune('a' + i))
		all = append(all, windowsNode(name), heartbeat(name, d))
	}
	return all
}
