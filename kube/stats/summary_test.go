package stats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mullion-tui/mullion/model"
)

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func fromSummary(value int64, at string) model.Figure {
	return model.Figure{Value: value, At: utc(at), Source: model.FromSummary}
}

func TestSummaryOfEKSContainerd(t *testing.T) {
	const node, at = "ip-192-168-44-84.us-west-2.compute.internal", "2023-12-21T15:20:58Z"
	u, err := parseSummary(testdata(t, "summary_eks_containerd_2023.json"), node, model.OSWindows)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "commit", u.Commit, fromSummary(3572293632, at))
	check(t, "commit limit: this kubelet does not tell it", u.CommitLimit, model.Figure{})
	check(t, "working set", u.WorkingSet, fromSummary(1026678784, at))
	check(t, "physical = available + working set", u.Physical, fromSummary(7248187392+1026678784, at))
	check(t, "CPU", u.CPU, fromSummary(70, at))
	if want := utc("2023-12-11T23:48:04Z"); !u.Boot.Equal(want) {
		t.Errorf("boot %v, want %v", u.Boot, want)
	}
	c, ok := u.Container("amazon-cloudwatch", "windows-server-iis-ltsc2019-58d94b5844-6v2pg", "windows-server-iis-ltsc2019")
	if !ok {
		t.Fatalf("the container is not there: %+v", u.Containers)
	}
	check(t, "the container's commit: containerd does not tell it", c.Commit, model.Figure{})
	check(t, "the container's working set", c.WorkingSet, fromSummary(209088512, "2023-12-21T15:20:59Z"))
}

func TestSummaryOfEKSDocker(t *testing.T) {
	u, err := parseSummary(testdata(t, "summary_eks_docker_2020.json"), "ip-172-29-160-189.ec2.internal", model.OSWindows)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "commit", u.Commit, fromSummary(2893811712, "2020-04-24T15:54:11Z"))
	check(t, "CPU", u.CPU, fromSummary(500, "2020-04-24T15:54:11Z"))
	if c, ok := u.Container("default", "dd-datadog-lbvkl", "init-config"); ok {
		t.Errorf("an init container with zeros counts as measured: %+v", c)
	}
	c, _ := u.Container("default", "dd-datadog-lbvkl", "process-agent")
	check(t, "working set", c.WorkingSet, fromSummary(65474560, "2020-04-24T15:54:14Z"))
	check(t, "CPU that the first scrape lacks", c.CPU, model.Figure{})
	iis, _ := u.Container("default", "windows-server-iis-6c68545d57-gwtn9", "windows-server-iis")
	check(t, "CPU, rounded up", iis.CPU, fromSummary(1, "2020-04-24T15:54:20Z"))
}

// edited returns the summary of the containerd node with one system container added
// and something done to the rest.
func edited(t *testing.T, systemContainer string, edit func(node map[string]any)) []byte {
	t.Helper()
	var sum map[string]any
	if err := json.Unmarshal(testdata(t, "summary_eks_containerd_2023.json"), &sum); err != nil {
		t.Fatal(err)
	}
	node := sum["node"].(map[string]any)
	if systemContainer != "" {
		var c any
		if err := json.Unmarshal([]byte(systemContainer), &c); err != nil {
			t.Fatal(err)
		}
		node["systemContainers"] = append(node["systemContainers"].([]any), c)
	}
	if edit != nil {
		edit(node)
	}
	b, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSummaryGlobalCommit(t *testing.T) {
	const node, at = "ip-192-168-44-84.us-west-2.compute.internal", "2024-10-02T19:14:33Z"
	counter := fromSummary(3572293632, "2023-12-21T15:20:58Z")
	cases := []struct {
		name, container string
		commit, limit   model.Figure
	}{
		{
			"the block of the Kubernetes 1.31 announcement",
			`{"name":"windows-global-commit-memory","memory":{"time":"2024-10-02T19:14:33Z","availableBytes":4563402752,"usageBytes":1212754432}}`,
			fromSummary(1212754432, at), fromSummary(5776157184, at),
		},
		{"GetPerformanceInfo failed: memory is an empty object", `{"name":"windows-global-commit-memory","memory":{}}`, counter, model.Figure{}},
		{"no memory at all", `{"name":"windows-global-commit-memory"}`, counter, model.Figure{}},
		{"no available bytes", `{"name":"windows-global-commit-memory","memory":{"time":"2024-10-02T19:14:33Z","usageBytes":5}}`, counter, model.Figure{}},
		{"nothing left is a limit too", `{"name":"windows-global-commit-memory","memory":{"time":"2024-10-02T19:14:33Z","usageBytes":5,"availableBytes":0}}`, fromSummary(5, at), fromSummary(5, at)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u, err := parseSummary(edited(t, c.container, nil), node, model.OSWindows)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "commit", u.Commit, c.commit)
			check(t, "commit limit", u.CommitLimit, c.limit)
		})
	}
}

func TestSummaryOfLinuxHasNoCommit(t *testing.T) {
	u, err := parseSummary(edited(t, "", nil), "ip-192-168-44-84.us-west-2.compute.internal", model.OSLinux)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "commit: usageBytes of Linux is another thing", u.Commit, model.Figure{})
	check(t, "working set", u.WorkingSet, fromSummary(1026678784, "2023-12-21T15:20:58Z"))
}

func TestSummaryBadInput(t *testing.T) {
	const node = "ip-192-168-44-84.us-west-2.compute.internal"
	cases := []struct{ name, body, want string }{
		{"HTML", "<html><body>login</body></html>", "not a summary"},
		{"nothing", "", "not a summary"},
		{"another JSON", `{"kind":"Status"}`, "names no node"},
		{"another node", `{"node":{"nodeName":"other"}}`, `about node "other"`},
		{"negative numbers", `{"node":{"nodeName":"` + node + `","memory":{"usageBytes":-5}}}`, "not a summary"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parseSummary([]byte(c.body), node, model.OSWindows); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	u, err := parseSummary([]byte(`{"node":{"nodeName":"`+node+`","memory":{"usageBytes":18446744073709551615,"workingSetBytes":0}},"pods":[{"podRef":{"name":"p"},"containers":[{"name":"c"}]}]}`), node, model.OSWindows)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "commit that went below zero", u.Commit, model.Figure{})
	check(t, "working set of 0", u.WorkingSet, model.Figure{})
}

func check(t *testing.T, what string, got, want model.Figure) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func FuzzSummary(f *testing.F) {
	// A short one: the recorded ones keep the fuzzer from trying anything.
	f.Add([]byte(`{"node":{"nodeName":"n","startTime":"2024-10-02T19:14:33Z","cpu":{"time":"2024-10-02T19:14:33Z","usageNanoCores":7},
		"memory":{"time":"2024-10-02T19:14:33Z","availableBytes":5,"usageBytes":6,"workingSetBytes":7},
		"systemContainers":[{"name":"windows-global-commit-memory","memory":{"availableBytes":9,"usageBytes":8}}]},
		"pods":[{"podRef":{"name":"p","namespace":"s"},"containers":[{"name":"c","memory":{"usageBytes":3,"workingSetBytes":2}}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		u, err := parseSummary(body, "n", model.OSWindows)
		if err != nil {
			return
		}
		for _, figure := range []model.Figure{u.Commit, u.CommitLimit, u.Physical, u.WorkingSet} {
			if figure.Known() && figure.Value <= 0 {
				t.Fatalf("a figure that is no number of bytes: %+v", figure)
			}
		}
	})
}
