package sim

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client opens a context of the demo's kubeconfig as mullion would. Its idle connections are closed with the test.
func client(t *testing.T, kubeconfig, context string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(httpClient.CloseIdleConnections)
	c, err := kubernetes.NewForConfigAndClient(config, httpClient)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDemoHasItsContexts(t *testing.T) {
	d, err := StartDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	config, err := clientcmd.LoadFromFile(d.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range config.Contexts {
		names = append(names, name)
	}
	sort.Strings(names)
	if got, want := strings.Join(names, " "), "fleet lab silent trouble"; got != want {
		t.Errorf("contexts %q, want %q", got, want)
	}
	if config.CurrentContext != "lab" {
		t.Errorf("it opens %q, want lab", config.CurrentContext)
	}
	if info, err := os.Stat(d.Kubeconfig); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
		t.Errorf("the kubeconfig: %v, %v, want mode 0600", info.Mode(), err)
	}
	for context, want := range map[string]int{"lab": 4, "fleet": 32, "trouble": 16} {
		nodes, err := client(t, d.Kubeconfig, context).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(nodes.Items) != want {
			t.Errorf("%s: %d nodes, want %d", context, len(nodes.Items), want)
		}
	}
	dir := filepath.Dir(d.Kubeconfig)
	d.Close()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close the kubeconfig's folder is still there: %v", err)
	}
}

// TestSilentNeverAnswers: the connection stands and the request goes out; what ends the wait is the caller's patience.
func TestSilentNeverAnswers(t *testing.T) {
	d, err := StartDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	config, err := clientcmd.LoadFromFile(d.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan struct{})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(traceSent(ctx, sent), http.MethodGet, config.Clusters["silent"].Server+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		resp, err := transport.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		failed <- err
	}()
	<-sent
	select {
	case err := <-failed:
		t.Fatalf("the silent server answered or hung up: %v", err)
	default:
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the caller's own cancellation", err)
	}
}

func TestDumpIsServedReadOnly(t *testing.T) {
	dir := t.TempDir()
	nodes, other := filepath.Join(dir, "prod nodes.json"), filepath.Join(dir, "rest.yaml")
	write(t, nodes, `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"win-1","creationTimestamp":"2026-11-06T20:16:41Z"}}]}`)
	write(t, other, "apiVersion: traefik.io/v1alpha1\nkind: IngressRoute\nmetadata: {name: a}\n")
	d, err := StartDump(t.Context(), nodes, other)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := client(t, d.Kubeconfig, "prod nodes+rest")
	if _, err := c.CoreV1().Nodes().Get(t.Context(), "win-1", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if err := c.CoreV1().Nodes().Delete(t.Context(), "win-1", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a delete: %v, want 403", err)
	}
	if got, want := strings.Join(d.Notes, "; "), "the newest time in the dump is 2026-11-06T20:16:41Z; not shown: 1 × IngressRoute traefik.io/v1alpha1"; got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
}

func TestDumpErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "half.json")
	write(t, path, `{"apiVersion":"v1","kind":"List","items":[`)
	if _, err := StartDump(t.Context(), path); err == nil || !strings.Contains(err.Error(), "half.json") || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("%v, want an error that names the file and says that it is truncated", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
