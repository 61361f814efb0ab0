// Package uitest holds what the tests of the interface share: clusters made of
// values, ports that answer by script, and a pump that runs the program without
// a terminal, a clock or a pause.
package uitest

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// Now is the moment at which the fixtures are looked at.
var Now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

const gi = 1 << 30

// Synced are feeds that have all delivered.
func Synced(objects map[model.Kind]int) []model.Feed {
	var out []model.Feed
	for _, k := range model.Kinds {
		out = append(out, model.Feed{Kind: k, State: model.FeedSynced, Since: Now.Add(-time.Hour), Objects: objects[k], Listed: true})
	}
	return out
}

// Linux is a ready Linux node.
func Linux(name string, roles ...string) *model.Node {
	return &model.Node{
		Name: name, UID: "uid-" + name, OS: model.OSLinux, Arch: "amd64",
		OSImage: "Debian GNU/Linux 13 (trixie)", Kernel: "6.12.43+deb13-amd64", Kubelet: "v1.37.2", Runtime: "containerd://2.2.2",
		BootID: "8c1f2a3e-7a51-4e7e-9b5c-1f6f0a9f2f10", MachineID: "f1d0", SystemUUID: "4c4c4544-0042-3510-8051-b7c04f4e4e32",
		Roles: roles, Conditions: Conditions("True"),
		Labels:    map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name},
		Addresses: []model.Address{{Type: "InternalIP", Addr: "192.168.10.21"}, {Type: "Hostname", Addr: name}},
		Capacity:  model.Resources{CPU: 4000, Memory: 8 * gi}, Allocatable: model.Resources{CPU: 4000, Memory: 7*gi + gi/2},
		MaxPods: 110, Created: Now.Add(-91 * 24 * time.Hour),
	}
}

// Windows is a ready Windows node of a build and revision, for example "10.0.26100" and 33438.
func Windows(name, build string, revision int) *model.Node {
	n := Linux(name)
	kernel := fmt.Sprintf("%s.%d", build, revision)
	n.OS, n.Windows = model.OSWindows, model.ParseWindowsVersion(build, kernel)
	n.OSImage, n.Kernel, n.BootID = "Windows Server Datacenter", kernel, "12"
	if p, ok := model.ProductOf(n.Windows.Number); ok {
		n.OSImage = p.Name + " Datacenter"
	}
	n.Labels["kubernetes.io/os"], n.Labels[model.WindowsBuildLabel] = "windows", build
	n.Taints = []model.Taint{{Key: "os", Value: "windows", Effect: "NoSchedule"}}
	n.Capacity = model.Resources{CPU: 8000, Memory: 32 * gi}
	n.Allocatable = model.Resources{CPU: 8000, Memory: 30 * gi}
	n.Addresses[0].Addr = "192.168.10.25"
	n.MaxPods, n.Created = 60, Now.Add(-40*24*time.Hour)
	return n
}

// Conditions are the usual ones, with that status of Ready.
func Conditions(ready string) []model.Condition {
	c := func(kind, status, reason, message string, ago time.Duration) model.Condition {
		return model.Condition{Type: kind, Status: status, Reason: reason, Message: message, Since: Now.Add(-ago)}
	}
	out := []model.Condition{
		c("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available", 40*24*time.Hour),
		c("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", 40*24*time.Hour),
		c("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", 40*24*time.Hour),
	}
	switch ready {
	case "True":
		return append(out, c("Ready", "True", "KubeletReady", "kubelet is posting ready status", 7*24*time.Hour))
	case "False":
		return append(out, c("Ready", "False", "KubeletNotReady", "container runtime network not ready: cni plugin not initialized", 5*time.Minute))
	default:
		return append(out, c("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", 12*time.Minute))
	}
}

// Pod is a running pod of a controller.
func Pod(namespace, name, node string, owner model.Owner) *model.Pod {
	return &model.Pod{
		Namespace: namespace, Name: name, UID: "uid-" + namespace + "-" + name, Node: node, IP: "10.244.3.7",
		Owner: owner, Phase: "Running", State: "Running", Ready: 1, Total: 1,
		Created: Now.Add(-26 * time.Hour), Started: Now.Add(-26 * time.Hour),
		Requests: model.Resources{CPU: 250, Memory: gi / 4}, Limits: model.Resources{CPU: 1000, Memory: gi / 2},
	}
}

// WindowsClass is the RuntimeClass that selects Windows Server 2025 nodes.
func WindowsClass() *model.RuntimeClass {
	return &model.RuntimeClass{Name: "windows-2025", Handler: "runhcs-wcow-process", Tolerations: []corev1.Toleration{{Key: "os", Operator: "Equal", Value: "windows", Effect: "NoSchedule"}}, Created: Now.Add(-40 * 24 * time.Hour),
		NodeSelector: map[string]string{"kubernetes.io/os": "windows", model.WindowsBuildLabel: "10.0.26100"}}
}

// Lab is a cluster of four nodes: a control plane, two Linux workers, one Windows
// Server 2025 node.
func Lab() model.Delta {
	objects := []model.Object{
		Linux("k8s-lab-cp-1", "control-plane"), Linux("k8s-lab-lin-1"), Linux("k8s-lab-lin-2"),
		Windows("k8s-lab-win-1", "10.0.26100", 33438), WindowsClass(),
		&model.Workload{Kind: model.KindReplicaSet, Namespace: "shop", Name: "web-7d9c5b", UID: "rs", Owner: model.Owner{Kind: "Deployment", Name: "web"}, Desired: 2, Ready: 2},
		&model.CSINode{Name: "k8s-lab-win-1", Drivers: []string{"smb.csi.k8s.io"}},
		&model.Lease{Node: "k8s-lab-win-1", Renewed: Now.Add(-4 * time.Second)},
	}
	web := model.Owner{Kind: "ReplicaSet", Name: "web-7d9c5b", UID: "rs"}
	calico := model.Owner{Kind: "DaemonSet", Name: "calico-node-windows"}
	for _, name := range []string{"web-7d9c5b-4xk2p", "web-7d9c5b-m8r6t"} {
		p := Pod("shop", name, "k8s-lab-win-1", web)
		p.RuntimeClass, p.OS = "windows-2025", model.OSWindows
		objects = append(objects, p)
	}
	host := Pod("calico-system", "calico-node-windows-q7vzc", "k8s-lab-win-1", calico)
	host.HostProcess, host.HostNetwork, host.IP = true, true, "192.168.10.25"
	stuck := Pod("shop", "files-0", "k8s-lab-win-1", model.Owner{Kind: "StatefulSet", Name: "files"})
	stuck.Phase, stuck.State, stuck.Ready, stuck.Message = "Pending", "ContainerCreating", 0, "driver name nfs.csi.k8s.io not found"
	objects = append(objects, host, stuck, Pod("kube-system", "coredns-6f6b-1", "k8s-lab-lin-1", model.Owner{Kind: "ReplicaSet", Name: "coredns-6f6b"}))
	return model.Delta{At: Now, Objects: objects, Server: &model.ServerFacts{Version: "v1.37.2", User: "kubernetes-admin"},
		Feeds: Synced(map[model.Kind]int{model.KindNode: 4, model.KindPod: 5, model.KindRuntimeClass: 1})}
}

// Fleet is a cluster of thirty nodes: Linux and three Windows builds with
// revisions that drift apart, and one of each kind of trouble.
func Fleet() model.Delta {
	d := Lab()
	d.Objects = nil
	pools := []string{"linux-a", "linux-b", "win19", "win22", "win25"}
	add := func(n *model.Node, pool, i int) {
		n.Labels["agentpool"] = pools[pool]
		n.Labels["topology.kubernetes.io/zone"] = fmt.Sprintf("eu-central-1%c", 'a'+i%3)
		for p := range (i*7 + pool*3) % 12 {
			d.Objects = append(d.Objects, Pod("apps", fmt.Sprintf("svc-%s-%d", n.Name, p), n.Name, model.Owner{Kind: "StatefulSet", Name: "svc"}))
		}
		d.Objects = append(d.Objects, n)
	}
	for i := range 12 {
		add(Linux(fmt.Sprintf("lin-%02d", i+1)), i%2, i)
	}
	for i := range 4 {
		add(Windows(fmt.Sprintf("win19-%02d", i+1), "10.0.17763", 7919+i%2*133), 2, i)
	}
	for i := range 8 {
		n := Windows(fmt.Sprintf("win22-%02d", i+1), "10.0.20348", 4294+i%3*68)
		switch i {
		case 2:
			n.Conditions = Conditions("False")
		case 3:
			n.Unschedulable = true
		case 4:
			n.Conditions[0].Status = "True"
		case 5:
			n.Conditions, n.Unschedulable = Conditions("Unknown"), true
		}
		add(n, 3, i)
	}
	for i := range 6 {
		n := Windows(fmt.Sprintf("win25-%02d", i+1), "10.0.26100", 33158+i%2*280)
		if i == 1 {
			n.Annotations, n.Unschedulable = map[string]string{model.MaintenanceAnnotation: `{"who":"ops"}`}, true
		}
		if i == 4 {
			n.Windows = model.ParseWindowsVersion("10.0.20348", n.Kernel)
		}
		add(n, 4, i)
	}
	d.Objects = append(d.Objects, WindowsClass())
	d.Feeds = Synced(map[model.Kind]int{model.KindNode: 30, model.KindPod: len(d.Objects) - 31, model.KindRuntimeClass: 1})
	return d
}

// Scale is a cluster of n nodes with ten pods each.
func Scale(n int) model.Delta {
	d := Lab()
	d.Objects = nil
	for i := range n {
		node := Linux(fmt.Sprintf("node-%05d", i))
		if i%2 == 0 {
			node = Windows(fmt.Sprintf("node-%05d", i), "10.0.20348", 4000+i%50)
		}
		d.Objects = append(d.Objects, node)
		for p := range 10 {
			d.Objects = append(d.Objects, Pod("load", fmt.Sprintf("pod-%d-%d", i, p), node.Name, model.Owner{}))
		}
	}
	d.Feeds = Synced(map[model.Kind]int{model.KindNode: n, model.KindPod: 10 * n})
	return d
}
