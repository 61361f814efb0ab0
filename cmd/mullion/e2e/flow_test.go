//go:build e2e && linux

package e2e_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubectl/pkg/drain"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// patience is how long something may fail to appear on the screen.
const patience = 2 * time.Minute

const (
	windows = "k8s-lab-win-1"
	linux   = "k8s-lab-node-1"
)

// TestOperatorFlow is an operator's day with the right to do everything.
func TestOperatorFlow(t *testing.T) {
	v := start(t, "operator-alice")
	v.WaitForText("OPERATOR as operator-alice")
	flow(t, v)
}

// TestReadOnlyFlow goes the same way with the same rights, and asks the API server
// whether anything but reading was tried.
func TestReadOnlyFlow(t *testing.T) {
	const user = "operator-bob"
	v := start(t, user, "--read-only")
	v.WaitForText("READ-ONLY")
	flow(t, v)

	events, err := plane.AuditOf(user)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range events {
		seen[e.Verb+" "+e.Object.Resource] = true
		if e.Mutating() {
			t.Errorf("a request that changes something: %v", &e)
		}
		if !strings.HasPrefix(e.UserAgent, "mullion/") {
			t.Errorf("a request under another name: %v", &e)
		}
	}
	for _, want := range []string{"list nodes", "watch nodes", "list pods", "watch pods"} {
		if !seen[want] {
			t.Errorf("the audit log has no %q of %s, so it proves nothing; it has %v", want, user, seen)
		}
	}
}

// start runs mullion for a user who may do everything. Its contexts are the real
// API server, the simulated one, and one where nobody answers.
func start(t *testing.T, user string, args ...string) *vterm.Term {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "config")
	err := plane.WriteKubeconfig(kubeconfig,
		cluster.Context{Name: "lab", User: user, Groups: []string{cluster.AdminGroup}},
		cluster.Context{Name: "the other one", Server: other.Server().URL(), CA: other.Server().CA(), Token: "admin"},
		cluster.Context{Name: "nobody home", User: user, Server: "https://" + deadAddress(t)},
	)
	if err != nil {
		t.Fatal(err)
	}
	return vterm.Start(t, vterm.Options{
		Path: binary, Args: append(args, "--kubeconfig", kubeconfig), Cols: 120, Rows: 40, Patience: patience,
	})
}

// deadAddress is one where connections are refused.
func deadAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// flow looks around as an operator does, and quits.
func flow(t *testing.T, v *vterm.Term) {
	v.WaitForText("lab", "4 nodes", cluster.Version, "Windows Server 2025", windows, linux, "1/1 ready", "3/3 ready")
	filterAndFold(v)
	followACordon(t, v)
	switchContext(v)
	resize(t, v)
	restartAPIServer(t, v)
	followACordon(t, v)
	v.Press("q")
	if code := v.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	v.CheckRestored()
}

func filterAndFold(v *vterm.Term) {
	filter(v, "win-1")
	v.WaitFor("the Windows node alone", func(s string) bool {
		return row(s, windows) != "" && row(s, linux) == ""
	})
	v.Press("esc")
	v.WaitForText(windows, linux)

	v.Press("home", "left")
	v.WaitFor("the first group folded", func(s string) bool {
		return strings.Contains(s, "Windows Server 2025") && row(s, windows) == "" && row(s, linux) != ""
	})
	v.Press("right")
	v.WaitForText(windows)
}

// filter types a filter into the prompt, once that is there: what arrives in one
// read with the key that opens it would be taken for a single key.
func filter(v *vterm.Term, text string) {
	v.Press("/")
	v.WaitForText("esc undo")
	v.Press(text, "enter")
}

// followACordon cordons the Windows node as kubectl does, and back.
func followACordon(t *testing.T, v *vterm.Term) {
	t.Helper()
	client, err := plane.Admin()
	if err != nil {
		t.Fatal(err)
	}
	v.WaitFor("the node before the cordon", func(s string) bool { return schedulable(s) })
	cordon(t, client, true)
	v.WaitFor("the cordon", func(s string) bool { return strings.Contains(row(s, windows), "cordoned") })
	cordon(t, client, false)
	v.WaitFor("the end of the cordon", schedulable)
}

func schedulable(screen string) bool {
	line := row(screen, windows)
	return line != "" && !strings.Contains(line, "cordoned")
}

func cordon(t *testing.T, client kubernetes.Interface, on bool) {
	t.Helper()
	node, err := client.CoreV1().Nodes().Get(t.Context(), windows, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := drain.RunCordonOrUncordon(&drain.Helper{Ctx: t.Context(), Client: client}, node, on); err != nil {
		t.Fatal(err)
	}
}

// switchContext goes to another cluster, finds its nodes there, and comes back.
func switchContext(v *vterm.Term) {
	v.Press("c")
	v.WaitForText("Contexts", "lab", "the other one", "nobody home")
	choose(v, "the other one")
	v.WaitFor("the other cluster under its name", func(s string) bool {
		return strings.Contains(header(s), "the other one") && strings.Contains(header(s), "all synced") &&
			!strings.Contains(header(s), " 4 nodes") && row(s, windows) == ""
	})
	v.Press("c")
	choose(v, "lab")
	v.WaitFor("the lab again", func(s string) bool {
		return strings.Contains(header(s), "lab") && strings.Contains(header(s), " 4 nodes") && row(s, windows) != ""
	})
}

// choose filters the contexts down to one and opens it.
func choose(v *vterm.Term, name string) {
	filter(v, name)
	v.WaitFor("the context alone", func(s string) bool {
		return strings.HasPrefix(row(s, name), ">") && row(s, "nobody home") == ""
	})
	v.Press("enter")
}

// resize looks at the nodes in other sizes; what is on the screen must be whole.
func resize(t *testing.T, v *vterm.Term) {
	t.Helper()
	for _, size := range [][2]int{{80, 24}, {200, 50}, {120, 40}} {
		v.Resize(size[0], size[1])
		v.WaitFor("the whole screen in its new size", func(s string) bool {
			lines := strings.Split(s, "\n")
			return len(lines) == size[1] && strings.Contains(header(s), "lab") &&
				row(s, windows) != "" && row(s, linux) != "" && strings.Contains(lines[len(lines)-1], "enter details")
		})
	}
}

// restartAPIServer expects the screen to say that the API server is away, with its
// nodes still there, and that it is back.
func restartAPIServer(t *testing.T, v *vterm.Term) {
	t.Helper()
	if err := plane.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	v.WaitFor("the outage in the header, over the nodes as they were", func(s string) bool {
		return !strings.Contains(header(s), "all synced") && row(s, windows) != ""
	})
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.WaitFor("everything synced again", func(s string) bool { return strings.Contains(header(s), "all synced") })
}

// row returns the line that holds a text, below the header and the screen's title;
// empty is none.
func row(screen, text string) string {
	for i, line := range strings.Split(screen, "\n") {
		if i > 1 && strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

func header(screen string) string {
	line, _, _ := strings.Cut(screen, "\n")
	return line
}
