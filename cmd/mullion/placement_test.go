package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// placementDump is a cluster of a Linux node and Windows nodes of two builds, with a
// pod that waits, one that runs, and one of a class that is gone.
const placementDump = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: lin, labels: {kubernetes.io/os: linux}}, status: {nodeInfo: {operatingSystem: linux}, allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: w19, labels: {kubernetes.io/os: windows, node.kubernetes.io/windows-build: 10.0.17763}}, status: {nodeInfo: {operatingSystem: windows, kernelVersion: 10.0.17763.1}, allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: w22, labels: {kubernetes.io/os: windows, node.kubernetes.io/windows-build: 10.0.20348}}, spec: {taints: [{key: os, value: windows, effect: NoSchedule}]}, status: {nodeInfo: {operatingSystem: windows, kernelVersion: 10.0.20348.1}, allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: win}, handler: runhcs-wcow-process, scheduling: {nodeSelector: {kubernetes.io/os: windows}, tolerations: [{key: os, operator: Exists, effect: NoSchedule}]}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: waits}, spec: {os: {name: windows}, runtimeClassName: win, nodeSelector: {kubernetes.io/os: windows}, containers: [{name: app, image: "web:1-ltsc2022"}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: lost}, spec: {runtimeClassName: gone, nodeName: lin, containers: [{name: app, image: "web:1"}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: data, name: runs}, spec: {nodeName: lin, containers: [{name: app, image: "db:1"}]}, status: {phase: Running}}
`

func TestPlacement(t *testing.T) {
	dump := file(t, "dump.yaml", placementDump)
	for _, tt := range []struct{ pod, want string }{
		{"shop/waits", `shop/waits: 2 Windows nodes: a host of build 10.0.17763 cannot run image web:1-ltsc2022, which is built on 10.0.20348 (inferred from its tag) (1); taint os=windows:NoSchedule is not tolerated (1)
  for Windows, spec.os.name

Would be bound to, and fail on
  1 node: a host of build 10.0.17763 cannot run image web:1-ltsc2022, which is built on 10.0.20348 (inferred from its tag)
    w19

Not on
  1 node: the node selector asks for kubernetes.io/os=windows
    lin: has kubernetes.io/os=linux
  1 node: taint os=windows:NoSchedule is not tolerated
    w22

RuntimeClass win (handler runhcs-wcow-process)
  node selector: kubernetes.io/os=windows
  tolerations: none
  a new pod would get, and this one has not: os:NoSchedule
`},
		{"shop/lost", `shop/lost: 3 nodes: RuntimeClass gone does not exist: the kubelet starts no pod of it (2); taint os=windows:NoSchedule is not tolerated (1)
  for an unknown operating system, nothing says which
  Pending on lin

Would be bound to, and fail on
  2 nodes: RuntimeClass gone does not exist: the kubelet starts no pod of it
    lin: here
    w19

Not on
  1 node: taint os=windows:NoSchedule is not tolerated
    w22

RuntimeClass gone does not exist
`},
		{"data/runs", `data/runs: 2 of 3 nodes can run it
  for an unknown operating system, nothing says which
  Running on lin

Can run on
    lin: here
    w19: may fail; nothing says that the pod is for Windows: with an image for Linux it hangs in ErrImagePull

Not on
  1 node: taint os=windows:NoSchedule is not tolerated
    w22
`},
	} {
		t.Run(tt.pod, func(t *testing.T) {
			stdout, stderr, code := mullion(t, "--from", dump, "placement", tt.pod)
			if code != exitOK || stdout != tt.want {
				t.Errorf("exit code %d, stderr %q\n%s\nwant\n%s", code, stderr, stdout, tt.want)
			}
		})
	}
}

func TestPlacementForPrograms(t *testing.T) {
	dump := file(t, "dump.yaml", placementDump)
	stdout, stderr, code := mullion(t, "--from", dump, "placement", "shop/waits", "-o", "json")
	var out placementOutput
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v, stderr %q", code, err, stderr)
	}
	if out.Kind != "Placement" || out.Nodes != 3 || len(out.CanRun) != 0 || len(out.Fails) != 1 || len(out.RuledOut) != 2 {
		t.Errorf("%+v", out)
	}
	if f := out.Fails[0]; f.Kind != "windowsBuild" || f.Nodes[0].Node != "w19" || f.Nodes[0].Outcome != "fails" {
		t.Errorf("fails %+v", f)
	}
	if c := out.RuntimeClass; c == nil || !c.PodOlderThanClass || !slices.Equal(c.LacksTolerations, []string{"os:NoSchedule"}) {
		t.Errorf("class %+v", c)
	}
	asYAML, _, _ := mullion(t, "--from", dump, "placement", "shop/waits", "-o", "yaml")
	var again placementOutput
	if err := yaml.UnmarshalStrict([]byte(asYAML), &again); err != nil || again.Summary != out.Summary {
		t.Errorf("%v: %q", err, again.Summary)
	}
}

func TestPlacementRefuses(t *testing.T) {
	dump := file(t, "dump.yaml", placementDump)
	for _, tt := range []struct {
		name string
		args []string
		says string
	}{
		{"no pod", nil, "NAMESPACE/POD"},
		{"no namespace", []string{"waits"}, "NAMESPACE/POD"},
		{"an empty namespace", []string{"/waits"}, "NAMESPACE/POD"},
		{"two pods", []string{"shop/waits", "shop/lost"}, "NAMESPACE/POD"},
		{"a pod that is not there", []string{"shop/nobody"}, `no pod "nobody" in namespace "shop"`},
		{"another format", []string{"shop/waits", "-o", "wide"}, "table, json, yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr, code := mullion(t, append([]string{"--from", dump, "placement"}, tt.args...)...)
			if code != exitUsage || !strings.Contains(stderr, tt.says) {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
		})
	}
}

func TestPlacementCompletes(t *testing.T) {
	dump := file(t, "dump.yaml", placementDump)
	for _, tt := range []struct {
		typed string
		want  []string
	}{
		{"", []string{"data/", "shop/"}},
		{"shop/", []string{"shop/lost", "shop/waits"}},
		{"nowhere/", nil},
	} {
		stdout, _, code := mullion(t, "--from", dump, "__complete", "placement", tt.typed)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		if got := lines[:len(lines)-1]; code != exitOK || !slices.Equal(got, tt.want) {
			t.Errorf("%q completes to %q, want %q", tt.typed, got, tt.want)
		}
	}
}
