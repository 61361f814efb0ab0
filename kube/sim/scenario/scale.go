package scenario

import (
	"fmt"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// scaleKinds deals out the nodes of Scale: of ten, six are Linux, two Windows Server 2025, one 2022 and one 2019.
var scaleKinds = []struct {
	os, image, class, build string
	kernels                 []string
}{
	{os: "linux", image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"}},
	{os: "windows", image: server2025, class: "windows-2025", build: "10.0.26100", kernels: []string{"10.0.26100.33674", "10.0.26100.33438"}},
	{os: "linux", image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"}},
	{os: "windows", image: server2022, class: "windows-2022", build: "10.0.20348", kernels: []string{"10.0.20348.5074", "10.0.20348.4893"}},
	{os: "linux", image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"}},
	{os: "windows", image: server2025, class: "windows-2025", build: "10.0.26100", kernels: []string{"10.0.26100.33674", "10.0.26100.32522"}},
	{os: "linux", image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"}},
	{os: "windows", image: server2019, class: "windows-2019", build: "10.0.17763", kernels: []string{"10.0.17763.8389"}},
	{os: "linux", image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"}},
	{os: "linux", image: "Ubuntu 26.04.1 LTS", kernels: []string{"7.0.0-42-generic"}},
}

const (
	scaleReplicas  = 10 // pods of a Deployment
	scaleNamespace = 20 // Deployments of a namespace
)

// Scale is a cluster of any size: exactly that many nodes and pods, the same for the same numbers. Where there are at least
// four pods for each node, two of a node's pods belong to DaemonSets; all others belong to Deployments of ten, every fourth
// with a budget. It fails when the pods do not fit (55 a node do).
func Scale(nodes, pods int, now time.Time) (*Scenario, error) {
	s := newStage("scale", now)
	groups := s.scaleNodes(nodes)
	for _, k := range scaleKinds {
		if k.class != "" && s.classes[k.class] == nil {
			s.runtimeClass(windowsClass(k.class, k.build, "runhcs-wcow-process", windowsTaint), 60*day)
		}
	}
	left := pods
	if pods >= 4*nodes {
		for _, w := range systemWork()[:4] {
			if err := s.run(w); err != nil {
				return nil, fmt.Errorf("scenario scale: %w", err)
			}
		}
		left -= 2 * nodes
	}
	next := make([]int, len(groups)) // the node of each group that is next in turn
	for i := 0; left > 0; i++ {
		k := i % len(scaleKinds)
		group := groups[k]
		if len(group) == 0 {
			group, k = groups[0], 0
		}
		w := work{
			ns: fmt.Sprintf("team-%03d", i/scaleNamespace), name: fmt.Sprintf("service-%05d", i), os: scaleKinds[k].os,
			class: scaleKinds[k].class, image: fmt.Sprintf("ghcr.io/example/service-%d:1.0", i%50), cpu: "50m", memory: "128Mi",
		}
		if i%4 == 0 {
			w.budget = "-1"
		}
		for range min(left, scaleReplicas) {
			w.nodes = append(w.nodes, group[next[k]%len(group)])
			next[k]++
		}
		left -= len(w.nodes)
		if err := s.run(w); err != nil {
			return nil, fmt.Errorf("scenario scale: %w", err)
		}
	}
	return s.finish(fmt.Sprintf("%d nodes and %d pods", nodes, pods)), nil
}

// scaleNodes adds the nodes and returns their names by their kind's place in scaleKinds.
func (s *stage) scaleNodes(nodes int) [][]string {
	groups := make([][]string, len(scaleKinds))
	block := netip.MustParseAddr("10.128.0.0").As4()
	cpu, memory, reserved := resource.MustParse("16"), resource.MustParse("64Gi"), resource.MustParse("2Gi")
	for i := range nodes {
		k := scaleKinds[i%len(scaleKinds)]
		m := &Machine{
			Name: fmt.Sprintf("%s-%05d", k.os, i), OS: k.os, Image: k.image, Kernel: k.kernels[i/len(scaleKinds)%len(k.kernels)],
			Address: fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), CPU: cpu, Memory: memory, Reserved: reserved,
			PodBlock: fmt.Sprintf("%d.%d.%d.%d/25", block[0], int(block[1])+i>>9, i>>1&255, i&1*128),
			Age:      metav1.Duration{Duration: time.Duration(30+i%60) * day}, Booted: metav1.Duration{Duration: time.Duration(1+i%28) * day},
			Labels: map[string]string{pool: fmt.Sprintf("%s%d", k.os, i%4), zone: fmt.Sprintf("north-%d", i%3+1)},
		}
		if m.windows() {
			m.BootID, m.Taints, m.MaxPods = fmt.Sprint(8+i%5), []corev1.Taint{windowsTaint}, 60
		}
		s.node(m)
		groups[i%len(scaleKinds)] = append(groups[i%len(scaleKinds)], m.Name)
	}
	return groups
}
