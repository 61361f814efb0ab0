package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// mullion runs the program as a process of its own, without this machine's
// kubeconfig and config file.
func mullion(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return program(t, os.Args[0], "", args...)
}

func program(t *testing.T, path, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CONFIG_DIRS="+home, "KUBECONFIG=")
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNodesOfTheLab(t *testing.T) {
	stdout, stderr, code := mullion(t, "--demo", "nodes", "-o", "json")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	var out nodesOutput
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	if out.APIVersion != "mullion/v1" || out.Context != "lab" || out.Version != "v1.37.2" || len(out.Problems) != 0 {
		t.Errorf("head: %q %q %q %q", out.APIVersion, out.Context, out.Version, out.Problems)
	}
	if len(out.Groups) != 2 || len(out.Groups[1].Nodes) != 3 || out.Groups[1].OS != "linux" {
		t.Fatalf("groups: %s", stdout)
	}
	g := out.Groups[0]
	if g.OS != "windows" || g.Build != "10.0.26100" || g.Product != "Windows Server 2025" || g.Support != "mainstream" || g.SupportUntil != "2029-11-13" {
		t.Errorf("group: %+v", g)
	}
	n := g.Nodes[0]
	if n.Name != "k8s-lab-win-1" || n.Status != "Ready" || n.BootID != "11" || *n.Revision != 33438 || *n.Pods != 12 || *n.MaxPods != 60 {
		t.Errorf("node: %+v", n)
	}
	if strings.Join(n.RuntimeClasses, ",") != "windows-2025" || strings.Join(n.Taints, ",") != "os=windows:NoSchedule" {
		t.Errorf("node: %+v", n)
	}
	if linux := out.Groups[1].Nodes[0]; linux.Revision != nil {
		t.Errorf("a Linux node has revision %d", *linux.Revision)
	}

	asYAML, _, _ := mullion(t, "--demo", "nodes", "k8s-lab-win-1", "-o", "yaml")
	var same nodesOutput
	if err := yaml.UnmarshalStrict([]byte(asYAML), &same); err != nil || len(same.Groups) != 1 || same.Groups[0].Nodes[0].BootID != "11" {
		t.Errorf("%v: %s", err, asYAML)
	}
}

func TestNodesTable(t *testing.T) {
	stdout, _, _ := mullion(t, "--demo", "--context", "fleet", "nodes", "w25-04", "w22-05")
	rows := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(rows) != 3 {
		t.Fatalf("rows:\n%s", stdout)
	}
	for i, want := range []string{
		"OS BUILD NAME STATUS ROLES REVISION VERSION PODS AGE",
		"windows 10.0.26100 w25-04 Ready,SchedulingDisabled - 32522 v1.37.2 9/60 68d",
		"windows 10.0.20348 w22-05 Unknown - 5074 v1.37.2 4/60 48d",
	} {
		if got := strings.Join(strings.Fields(rows[i]), " "); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
}

// Whatever names a cluster gives its things, no control reaches the terminal.
func TestNodesOfAHostileCluster(t *testing.T) {
	for _, format := range []string{"table", "wide", "json", "yaml"} {
		stdout, _, code := mullion(t, "--demo", "--context", "trouble", "nodes", "-o", format)
		if code != exitOK || !strings.Contains(stdout, "hostile-1") {
			t.Fatalf("%s: exit code %d", format, code)
		}
		for _, r := range stdout {
			if r != '\n' && r < 0x20 || r >= 0x7f && r < 0xa0 {
				t.Errorf("%s: control %U is printed", format, r)
				break
			}
		}
	}
}

func TestMistakesAreToldWithTheirExitCode(t *testing.T) {
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html><body>Sign in</body></html>"))
	}))
	t.Cleanup(html.Close)
	kubeconfig := func(server string) string {
		return file(t, "config", `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],"clusters":[{"name":"k","cluster":{"server":"`+server+`"}}],"users":[{"name":"u","user":{}}]}`)
	}
	cases := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no kubeconfig", []string{"nodes"}, exitUsage, "mullion --demo"},
		{"kubeconfig that is missing", []string{"nodes", "--kubeconfig", "/nowhere/config"}, exitUsage, "/nowhere/config"},
		{"kubeconfig that is empty", []string{"nodes", "--kubeconfig", file(t, "empty", "")}, exitUsage, "empty"},
		{"kubeconfig that is not YAML", []string{"nodes", "--kubeconfig", file(t, "broken", "a: [")}, exitUsage, "broken"},
		{"context that is not there", []string{"--demo", "nodes", "--context", "prod"}, exitUsage, `"prod"`},
		{"not Kubernetes", []string{"nodes", "--kubeconfig", kubeconfig(html.URL)}, exitCluster, "nodes"},
		{"nobody listens", []string{"nodes", "--kubeconfig", kubeconfig("http://127.0.0.1:1")}, exitCluster, "refused"},
		{"config file with a typo", []string{"--demo", "nodes", "--config", file(t, "config.yaml", "theme: dark\nreadonly: true\n")}, exitUsage, "config.yaml:2"},
		{"config file that is missing", []string{"--demo", "nodes", "--config", "/nowhere.yaml"}, exitUsage, "/nowhere.yaml"},
		{"dump that is cut off", []string{"--from", file(t, "dump.json", `{"apiVersion":"v1","kind":"List","items":[{"api`), "nodes"}, exitUsage, "dump.json"},
		{"dump with wrong types", []string{"--from", file(t, "dump.json", `{"apiVersion":"v1","kind":"Node","metadata":{"name":7}}`), "nodes"}, exitUsage, "dump.json"},
		{"node that is not there", []string{"--demo", "nodes", "nobody"}, exitUsage, `no node "nobody"`},
		{"format that is not there", []string{"--demo", "nodes", "-o", "xml"}, exitUsage, "table, wide, json, yaml"},
		{"findings in a format that is not there", []string{"--demo", "findings", "-o", "xml"}, exitUsage, "table, json, yaml, sarif"},
		{"flag that is not there", []string{"--bogus"}, exitUsage, "--bogus"},
		{"command that is not there", []string{"reboot-everything"}, exitUsage, "reboot-everything"},
		{"two clusters at once", []string{"--demo", "--from", "x", "nodes"}, exitUsage, "demo"},
		{"UI without a terminal", []string{"--demo"}, exitUsage, "mullion nodes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := mullion(t, c.args...)
			if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
				t.Errorf("exit code %d, want %d; stdout %q; stderr %q, want %q in it", code, c.code, stdout, stderr, c.want)
			}
			if strings.Contains(stderr, "goroutine ") || strings.Count(strings.TrimSpace(stderr), "\n") > 3 {
				t.Errorf("not a sentence: %q", stderr)
			}
		})
	}
}

const smallDump = `{"apiVersion":"v1","kind":"List","items":[
 {"apiVersion":"v1","kind":"Node","metadata":{"name":"w","labels":{"kubernetes.io/os":"windows"},"creationTimestamp":"2026-11-01T00:00:00Z"},
  "status":{"nodeInfo":{"kernelVersion":"10.0.20348.4893","operatingSystem":"windows","bootID":"8"},"conditions":[{"type":"Ready","status":"True"}]}},
 {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"nodeName":"w","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Running"}},
 {"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}]}`

func TestDumpIsLookedAtOffline(t *testing.T) {
	read := func(stdin string, args ...string) {
		t.Helper()
		stdout, stderr, code := program(t, os.Args[0], stdin, append(args, "nodes", "-o", "json")...)
		var out nodesOutput
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != exitOK {
			t.Fatalf("exit code %d, %v, stderr %q", code, err, stderr)
		}
		if len(out.Groups) != 1 || out.Groups[0].Build != "10.0.20348" || *out.Groups[0].Nodes[0].Pods != 1 {
			t.Errorf("groups: %+v", out.Groups)
		}
		if !strings.Contains(stderr, "Widget") || !strings.Contains(stderr, "2026-11-01") {
			t.Errorf("what is not shown and how old it is goes unsaid: %q", stderr)
		}
	}
	read("", "--from", file(t, "dump.json", smallDump))
	read(smallDump, "--from", "-")
}

func TestConfigSaysWhereFrom(t *testing.T) {
	path := file(t, "config.yaml", "theme: light\ncontexts:\n  lab:\n    readOnly: true\n  gone:\n    protected: true\n")
	stdout, _, code := mullion(t, "--demo", "--config", path, "--read-only", "config", "-o", "json")
	var out configOutput
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v", code, err)
	}
	got := map[string]string{}
	for _, s := range out.Settings {
		got[s.Key] = s.Value + " from " + s.From + s.Note
	}
	for key, want := range map[string]string{
		"readOnly":                  "true from --read-only",
		"theme":                     "light from " + path + ":1",
		"mouse":                     "true from default",
		`contexts."lab".readOnly`:   "true from " + path + ":4",
		`contexts."gone".protected`: "true from " + path + ":6no kubeconfig has a context of this name",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
}

func TestKubectlPlugin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubectl-mullion")
	if err := os.Symlink(os.Args[0], path); err != nil {
		t.Skip("no symbolic links here")
	}
	stdout, _, code := program(t, path, "", "nodes", "--help")
	if code != exitOK || !strings.Contains(stdout, "kubectl mullion nodes [NAME...]") {
		t.Errorf("exit code %d, help:\n%s", code, stdout)
	}
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"__complete", "--demo", "--context", ""}, []string{"fleet", "lab", "silent", "trouble"}},
		{[]string{"__complete", "--demo", "nodes", ""}, []string{"k8s-lab-master-1", "k8s-lab-win-1"}},
		{[]string{"__complete", "--demo", "nodes", "-o", ""}, []string{"json", "table", "wide", "yaml"}},
	} {
		stdout, _, code := mullion(t, c.args...)
		for _, want := range c.want {
			if code != exitOK || !strings.Contains(stdout, want+"\n") {
				t.Errorf("%v: exit code %d, %q missing in %q", c.args, code, want, stdout)
			}
		}
	}
}
