package uitest

import (
	"time"

	"github.com/mullion-tui/mullion/model"
)

const mi = 1 << 20

// Read is when the figures of the fixtures were read.
var Read = Now.Add(-7 * time.Second)

// Mebibytes is a figure from the kubelet, seven seconds old.
func Mebibytes(n int64) model.Figure {
	return model.Figure{Value: n * mi, At: Read, Source: model.FromSummary}
}

// WindowsUsage is a Windows node's memory in MiB.
func WindowsUsage(node string, commit, limit, workingSet int64, containers ...model.ContainerUsage) *model.Usage {
	u := &model.Usage{Node: node, Read: Read, Commit: Mebibytes(commit), CommitLimit: Mebibytes(limit), Physical: Mebibytes(limit * 4 / 5),
		WorkingSet: Mebibytes(workingSet), Boot: Now.Add(-7 * 24 * time.Hour), Containers: containers}
	u.SortContainers()
	return u
}

// LinuxUsage is a Linux node's memory in MiB.
func LinuxUsage(node string, workingSet, physical int64, containers ...model.ContainerUsage) *model.Usage {
	u := &model.Usage{Node: node, Read: Read, WorkingSet: Mebibytes(workingSet), Physical: Mebibytes(physical), Containers: containers}
	u.SortContainers()
	return u
}

// Uses is what a container uses, in MiB; 0 is not known.
func Uses(p *model.Pod, container string, commit, workingSet int64) model.ContainerUsage {
	u := model.ContainerUsage{Namespace: p.Namespace, Pod: p.Name, Container: container}
	if commit > 0 {
		u.Commit = Mebibytes(commit)
	}
	if workingSet > 0 {
		u.WorkingSet = Mebibytes(workingSet)
	}
	return u
}

// running gives a pod containers, in pairs of name and limit in MiB; 0 is no limit.
func running(p *model.Pod, names []string, limits ...int64) *model.Pod {
	p.Containers, p.MemoryNoLimit = nil, 0
	for i, name := range names {
		p.Containers = append(p.Containers, model.Container{Name: name, ID: "containerd://" + name, MemoryLimit: limits[i] * mi})
		if limits[i] == 0 {
			p.MemoryNoLimit++
		}
	}
	p.Ready, p.Total = len(names), len(names)
	return p
}

// climb is a node's way to where u stands: a reading every minute of the last half
// hour, by share of 100 at its begin.
func climb(u *model.Usage, from int64) []model.Object {
	var out []model.Object
	for i := range int64(29) {
		then := *u
		then.Read = u.Read.Add(-time.Duration(29-i) * time.Minute)
		then.Commit.Value = u.Commit.Value * (from*(29-i) + 100*i) / 2900
		out = append(out, &then)
	}
	return append(out, u)
}

// Memory is a cluster in which every kind of figure is there once: a calm node and a
// full one, limits and none, and everything that can be unknown, with its reason.
func Memory() model.Delta {
	d := model.Delta{At: Now, Server: &model.ServerFacts{Version: "v1.37.2", User: "kubernetes-admin"}}
	add := func(objects ...model.Object) { d.Objects = append(d.Objects, objects...) }
	calm(add)
	full(add)
	unknowns(add)

	lin := running(Pod("demo", "hello-55fb8f8684-69mvv", "k8s-lab-node-1", model.Owner{Kind: "ReplicaSet", Name: "hello"}), []string{"hello"}, 64)
	proxy := running(Pod("kube-system", "kube-proxy-mwl6s", "k8s-lab-node-1", model.Owner{Kind: "DaemonSet", Name: "kube-proxy"}), []string{"kube-proxy"}, 0)
	late := LinuxUsage("k8s-lab-node-1", 1229, 8192, Uses(lin, "hello", 0, 4), Uses(proxy, "kube-proxy", 0, 30))
	late.WorkingSet.At = Now.Add(-5 * time.Minute)
	add(Linux("k8s-lab-node-1"), lin, proxy, late)

	d.Feeds = Synced(map[model.Kind]int{model.KindNode: 7, model.KindPod: 8})
	return d
}

// calm is the node of the lab: commit 0.31 of its limit, hello-win 98 of 256 MiB.
func calm(add func(...model.Object)) {
	const name = "k8s-lab-win-1"
	hello := running(Pod("win-demo", "hello-win-759c899954-tkfg6", name, model.Owner{Kind: "ReplicaSet", Name: "hello-win"}), []string{"hello"}, 256)
	smb := running(Pod("kube-system", "csi-smb-node-win-tmwv5", name, model.Owner{Kind: "DaemonSet", Name: "csi-smb-node-win"}), []string{"smb", "registrar"}, 200, 150)
	calico := running(Pod("calico-system", "calico-node-windows-q54h2", name, model.Owner{Kind: "DaemonSet", Name: "calico-node-windows"}), []string{"felix"}, 0)
	calico.HostProcess = true
	free := running(Pod("win-demo", "reports-6cf4d9bb8d-7xw2m", name, model.Owner{Kind: "ReplicaSet", Name: "reports"}), []string{"reports"}, 0)
	u := WindowsUsage(name, 2936, 9471, 1292, Uses(hello, "hello", 98, 42), Uses(smb, "smb", 28, 16), Uses(smb, "registrar", 18, 11), Uses(free, "reports", 112, 58))
	add(Windows(name, "10.0.26100", 33438), hello, smb, calico, free)
	add(climb(u, 95)...)
}

// full is a node that a leak has filled.
func full(add func(...model.Object)) {
	const name = "win-full"
	leak := running(Pod("shop", "leaky-5d9c7b-x2v8n", name, model.Owner{Kind: "ReplicaSet", Name: "leaky"}), []string{"leaky"}, 2048)
	u := WindowsUsage(name, 8900, 9216, 4813, Uses(leak, "leaky", 2001, 310))
	add(Windows(name, "10.0.26100", 33438), leak)
	add(climb(u, 60)...)
}

// unknowns are nodes of which something is not known.
func unknowns(add func(...model.Object)) {
	old := WindowsUsage("win-old-kubelet", 2140, 1, 900)
	old.CommitLimit, old.Physical = model.Figure{}, model.Figure{}
	n := Windows(old.Node, "10.0.20348", 4294)
	n.Kubelet = "v1.30.4"
	add(n, old)

	const metrics = "win-metrics-only"
	web := running(Pod("shop", "web-7d9c5b-4xk2p", metrics, model.Owner{Kind: "ReplicaSet", Name: "web"}), []string{"web"}, 512)
	u := &model.Usage{Node: metrics, Read: Read, WorkingSet: Mebibytes(1100), Containers: []model.ContainerUsage{Uses(web, "web", 0, 61)},
		Problems: []string{"kubelet summary: this user may not get nodes/proxy", "windows_exporter: no pod of it runs on the node"}}
	u.WorkingSet.Source, u.Containers[0].WorkingSet.Source = model.FromMetrics, model.FromMetrics
	add(Windows(metrics, "10.0.20348", 4294), web, u)

	add(Windows("win-silent", "10.0.20348", 4294), &model.Usage{Node: "win-silent", Read: Read,
		Problems: []string{"kubelet summary: no answer within 45 seconds; the node may be paging"}})
	add(Windows("win-unasked", "10.0.20348", 4294))
}
