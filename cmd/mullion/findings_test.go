package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
)

func findingsOf(t *testing.T, args ...string) (out findingsOutput, code int) {
	t.Helper()
	stdout, stderr, code := mullion(t, append(args, "findings", "-o", "json")...)
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		t.Fatalf("%v: exit code %d, stderr %q", err, code, stderr)
	}
	return out, code
}

func lines(out findingsOutput) []string {
	all := []string{}
	for _, f := range out.Findings {
		all = append(all, f.ID+" "+f.Severity+" "+f.Object.String()+": "+f.Evidence)
	}
	return all
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The lab is well, and these are true of it all the same. One Windows node is one (F16),
// and its kubelet keeps the default threshold alone (F11). Three of its five HostProcess
// pods do not name their system (F06), and two workloads allow themselves more memory
// than they ask for (F08). HostProcess pods have no limits, and are not told to (F07).
func TestFindingsOfTheLab(t *testing.T) {
	out, code := findingsOf(t, "--demo", "--context", "lab")
	if code != exitWarning || out.APIVersion != "mullion/v1" || out.Kind != "FindingList" || out.Context != "lab" {
		t.Errorf("exit code %d, head %q %q %q", code, out.APIVersion, out.Kind, out.Context)
	}
	sameLines(t, lines(out), []string{
		"F11 warning Node/k8s-lab-win-1: 500 MiB of 8191 MiB are kept for the system",
		"F16 warning Node/k8s-lab-win-1: the only node of build 10.0.26100",
		"F06 info Pod/calico-system/calico-node-windows-q54h2: spec.os.name is not set; the pod is HostProcess",
		"F06 info Pod/kube-system/csi-smb-node-win-tmwv5: spec.os.name is not set; the pod is HostProcess",
		"F06 info Pod/monitoring/kps-prometheus-windows-exporter-l45kh: spec.os.name is not set; the pod is HostProcess",
		"F08 info Pod/win-demo/aspnetapp-769559d8ff-dkp9z: container aspnetapp requests 128 MiB and is limited to 512 MiB",
		"F08 info Pod/win-demo/aspnetapp-769559d8ff-vk445: container aspnetapp requests 128 MiB and is limited to 512 MiB",
		"F08 info Pod/win-demo/reports-writer-67b96b59b-g9wrq: container writer requests 64 MiB and is limited to 128 MiB",
	})
}

// The fleet is a working cluster amid its upgrades: old nodes, nodes that wait for this
// month's update, and one that has gone silent, of which something is not known.
func TestFindingsOfTheFleet(t *testing.T) {
	out, code := findingsOf(t, "--demo", "--context", "fleet")
	ids := map[string]int{}
	for _, f := range out.Findings {
		ids[f.ID+" "+f.Severity]++
	}
	want := map[string]int{"F09 unknown": 1, "F14 warning": 2, "F15 info": 8, "F18 unknown": 1}
	if !maps.Equal(ids, want) || code != exitWarning {
		t.Errorf("exit code %d, found %v, want %v", code, ids, want)
	}
}

// Every object of the trouble cluster that says of itself to be an example is found, by
// the ID that it names, at itself or at what belongs to it: its pods, node or class.
func TestEveryExampleOfTroubleIsFound(t *testing.T) {
	out, code := findingsOf(t, "--demo", "--context", "trouble")
	if code != exitCritical {
		t.Errorf("exit code %d", code)
	}
	at := map[string][]string{} // by ID: the objects that its findings name
	for _, f := range out.Findings {
		for _, o := range append([]objectEntry{f.Object}, f.Related...) {
			at[f.ID] = append(at[f.ID], family(o.Namespace, o.Name))
		}
	}
	sc, err := scenario.Trouble(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string][]string{} // by family: where its pods are
	for _, o := range sc.Objects {
		if p, ok := o.(*corev1.Pod); ok && p.Spec.NodeName != "" {
			of := family(p.Namespace, p.Name)
			nodes[of] = append(nodes[of], family("", p.Spec.NodeName))
		}
	}
	examples := 0
	for _, o := range sc.Objects {
		m := o.(metav1.Object)
		for id := range strings.SplitSeq(m.GetAnnotations()[scenario.Example], ",") {
			of := family(m.GetNamespace(), m.GetName())
			if !strings.HasPrefix(id, "F") || of == "memory/f09-leak" { // it has not leaked enough yet
				continue
			}
			examples++
			kin := append([]string{of}, nodes[of]...)
			if !slices.ContainsFunc(kin, func(k string) bool { return slices.Contains(at[id], k) }) {
				t.Errorf("%T %s/%s is an example of %s and is not found: that is only at %q", o, m.GetNamespace(), m.GetName(), id, at[id])
			}
		}
	}
	if examples < 27 {
		t.Errorf("only %d examples", examples)
	}
	// Nothing is wrong with the node that is there to be well, but for what stands on it.
	for _, f := range out.Findings {
		if f.Object.Name == "w25-good" || f.Object.Name == "lin-2" && f.ID != "F10" {
			t.Errorf("%s at %s: %s", f.ID, f.Object.Name, f.Evidence)
		}
	}
}

// generated are the endings that controllers give to the names of their pods.
var generated = regexp.MustCompile(`(-[bcdf-hj-np-tv-z2456789]{8,10})?-[bcdf-hj-np-tv-z2456789]{5}$`)

// family is the same for a workload and its pods.
func family(namespace, name string) string {
	if namespace != "" {
		name = generated.ReplaceAllString(name, "")
	}
	return namespace + "/" + name
}

const samples = "../../kube/sim/dump/testdata/"

// What a reader who knows Windows nodes finds in manifests that operators really use.
// They hold no node, so it is what the workloads say of themselves.
func TestFindingsOfPublicManifests(t *testing.T) {
	noName := func(object, why string) string { return "F06 info " + object + ": spec.os.name is not set; " + why }
	const hostProcess, selects = "the pod is HostProcess", "the pod selects Windows nodes"
	noLimit := func(object, container string) string {
		return "F07 warning " + object + ": container " + container + " has no memory limit"
	}
	azurefile, vsphere := "DaemonSet/openshift-cluster-csi-drivers/azure-file-csi-driver-node-windows", "DaemonSet/openshift-cluster-csi-drivers/vmware-vsphere-csi-driver-node-windows"
	for name, want := range map[string][]string{
		"windows_exporter_0.31.8.yaml": {noName("DaemonSet/monitoring/windows-exporter", hostProcess)},
		"calico_windows_3.25.2.yaml":   {noName("DaemonSet/calico-system/calico-node-windows", hostProcess)},
		"flannel_hostprocess.yaml":     {noName("DaemonSet/kube-flannel/kube-flannel-ds-windows-amd64", hostProcess)},
		"flannel_wins.yaml": {
			noLimit("DaemonSet/kube-system/kube-flannel-ds-windows-amd64", "kube-flannel"),
			"F23 warning DaemonSet/kube-system/kube-flannel-ds-windows-amd64: set: hostNetwork",
			noName("DaemonSet/kube-system/kube-flannel-ds-windows-amd64", selects),
		},
		"kube-proxy_hostprocess.yaml": {noName("DaemonSet/kube-system/kube-proxy-windows", hostProcess)},
		"kube-proxy_wins.yaml": {
			noLimit("DaemonSet/kube-system/kube-proxy-windows", "kube-proxy"),
			noName("DaemonSet/kube-system/kube-proxy-windows", selects),
		},
		"antrea_windows.yaml": {noName("DaemonSet/kube-system/antrea-agent-windows", hostProcess)},
		"azure_cns_windows.yaml": {
			"F23 warning DaemonSet/kube-system/azure-cns-win: set: containers[cns-container].securityContext.privileged",
			noName("DaemonSet/kube-system/azure-cns-win", hostProcess),
		},
		"azurefile_csi_windows.yaml": {noLimit(azurefile, "azurefile"), noLimit(azurefile, "node-driver-registrar")},
		"vsphere_csi_windows.yaml": {
			noLimit(vsphere, "liveness-probe"), noLimit(vsphere, "node-driver-registrar"), noLimit(vsphere, "vsphere-csi-node"), noName(vsphere, selects),
		},
		"wmco_runtimeclass_and_workload.yaml": {noLimit("Deployment/default/win-webserver", "windowswebserver")},
		"eks_2020_pods_windows.json": {
			noLimit("Pod/default/windows-server-iis-6c68545d57-gwtn9", "windows-server-iis"),
			noName("Pod/default/windows-server-iis-6c68545d57-gwtn9", selects),
		},
		"runtimeclasses.yaml": {
			"F05 warning RuntimeClass/runhcs-wcow-hypervisor: its handler is runhcs-wcow-hypervisor",
			"F05 warning RuntimeClass/windows-1809-hyperv: its handler is runhcs-wcow-hypervisor-1809",
			"F05 warning RuntimeClass/windows-hyperv: its handler is runhcs-wcow-hypervisor",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := findingsOf(t, "--from", filepath.Join(samples, name))
			sameLines(t, lines(out), want)
			wantCode := exitOK
			if slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, " warning ") }) {
				wantCode = exitWarning
			}
			if code != wantCode {
				t.Errorf("exit code %d, want %d", code, wantCode)
			}
		})
	}
}

// A dump is looked at as of its newest moment: nothing in it has stood still since. What
// no dump holds is not known.
func TestFindingsOfAnOldDump(t *testing.T) {
	out, code := findingsOf(t, "--from", file(t, "dump.json", smallDump))
	got := lines(out)
	for i, l := range got { // each source says in its own words why it does not answer
		got[i], _, _ = strings.Cut(l, ": kubelet summary")
	}
	sameLines(t, got, []string{
		"F01 warning Node/w: the node has no taint",
		"F07 warning Pod/n/p: container c has no memory limit",
		"F09 unknown -: 1 node (w): what is committed is not known",
		"F16 warning Node/w: the only node of build 10.0.20348",
		"F18 unknown -: 1 node (w): when it booted is not known",
		"F06 info Pod/n/p: spec.os.name is not set; the pod is on Windows node w",
	})
	if code != exitWarning {
		t.Errorf("exit code %d", code)
	}
}

// Contexts of equal names in two files are a finding beside those of the cluster.
func TestFindingsOfTheKubeconfig(t *testing.T) {
	d, err := sim.StartDump(t.Context(), file(t, "dump.json", smallDump))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	other := file(t, "other", `{"apiVersion":"v1","kind":"Config","contexts":[{"name":"dump","context":{"cluster":"k","user":"u"}}],"clusters":[{"name":"k","cluster":{"server":"https://other.example.com"}}],"users":[{"name":"u","user":{}}]}`)
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "findings", "-o", "json")
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CONFIG_DIRS="+home,
		"KUBECONFIG="+d.Kubeconfig+string(os.PathListSeparator)+other)
	stdout, _ := cmd.Output() // the exit code is a verdict
	var out findingsOutput
	if err := json.Unmarshal(stdout, &out); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(out.Findings, func(f findingEntry) bool { return f.ID == "F27" })
	if i < 0 {
		t.Fatalf("found\n%s", strings.Join(lines(out), "\n"))
	}
	if f := out.Findings[i]; f.Object != (objectEntry{Kind: "Context", Name: "dump"}) || !strings.Contains(f.Evidence, "https://other.example.com is reached under no name") {
		t.Errorf("%+v", f)
	}
}

// Programs that read SARIF find every rule, and for every result its rule and level.
func TestFindingsInSARIF(t *testing.T) {
	stdout, _, code := mullion(t, "--demo", "--context", "trouble", "findings", "-o", "sarif")
	if code != exitCritical {
		t.Errorf("exit code %d", code)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID, Kind, Level string
				RuleIndex           int
				Message             struct{ Text string }
				Locations           []struct {
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-schema-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("log: %q %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name != "mullion" || len(run.Tool.Driver.Rules) != 28 || len(run.Results) < 28 {
		t.Errorf("tool %q with %d rules, %d results", run.Tool.Driver.Name, len(run.Tool.Driver.Rules), len(run.Results))
	}
	for _, r := range run.Results {
		if r.Message.Text == "" || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %+v", r)
		}
		// A level other than none is for results that fail alone (SARIF 3.27.10).
		if open := r.Kind == "open"; open != (r.Level == "none") || !open && !slices.Contains([]string{"note", "warning", "error"}, r.Level) {
			t.Errorf("%s: kind %q, level %q", r.RuleID, r.Kind, r.Level)
		}
		for _, l := range r.Locations {
			if l.LogicalLocations[0].FullyQualifiedName == "" {
				t.Errorf("%s: a location without a name", r.RuleID)
			}
		}
	}
}

// No control of a hostile cluster reaches the terminal, in whatever format.
func TestFindingsOfAHostileCluster(t *testing.T) {
	for _, format := range findingFormats {
		stdout, _, code := mullion(t, "--demo", "--context", "trouble", "findings", "-o", format)
		if code != exitCritical || stdout == "" {
			t.Errorf("%s: exit code %d", format, code)
		}
		for _, r := range stdout {
			if r != '\n' && r < 0x20 || r >= 0x7f && r < 0xa0 {
				t.Errorf("%s: control %U is printed", format, r)
				break
			}
		}
	}
}
