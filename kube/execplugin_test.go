package kube

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/mullion-tui/mullion/model"
)

// The test binary plays three parts besides its own, so that the tests need no shell:
// the keeper, the plug-ins, and a program on a terminal.
func init() {
	if code, ours := RunPlugin(os.Args); ours {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == fakeVerb {
		os.Exit(fakePlugin(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 3 && os.Args[1] == probeVerb {
		probeOnTerminal(os.Args[2], os.Args[3] == "kept")
		os.Exit(0)
	}
}

const (
	fakeVerb  = "__fake-plugin"
	probeVerb = "__probe"
)

func fakePlugin(mode string, args []string) int {
	credential := `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"good"%s}}`
	switch mode {
	case "token":
		noteRun(args)
		fmt.Printf(credential, "")
	case "expired":
		fmt.Printf(strings.Replace(credential, "good", "old", 1), `,"expirationTimestamp":"2020-01-01T00:00:00Z"`)
	case "fails":
		noteRun(args)
		fmt.Fprintln(os.Stderr, "Traceback: many lines")
		fmt.Fprintln(os.Stderr, "The SSO session has expired,\nrun aws sso login")
		return 3
	case "hangs": // until the one who listens at args[0] ends it
		conn, err := net.Dial("tcp", args[0])
		if err != nil {
			return 9
		}
		signal.Ignore(os.Interrupt)
		_, _ = io.Copy(io.Discard, conn)
	case "asks":
		return askLikeGetpass()
	case "garbage":
		fmt.Print("Logged in as " + secret)
	case "daemon": // leaves a child behind that holds its output
		child := exec.Command(os.Args[0], fakeVerb, "hangs", args[0])
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if child.Start() != nil {
			return 9
		}
		fmt.Printf(credential, "")
	}
	return 0
}

// noteRun adds a line to the file args[0], if there is one.
func noteRun(args []string) {
	if len(args) == 0 {
		return
	}
	f, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "run")
}

// askLikeGetpass wants the terminal if there is one, else standard input.
func askLikeGetpass() int {
	const prompt = "Enter MFA code: "
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		_, _ = tty.WriteString(prompt)
		return 4
	}
	fmt.Fprint(os.Stderr, prompt)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		fmt.Fprintln(os.Stderr, "no answer:", err)
		return 5
	}
	return 0
}

// pluginConfig is a kubeconfig whose contexts "plug" and "plug2" share a user with a
// plug-in, and whose context "plain" needs none.
func pluginConfig(t *testing.T, server string, mode ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv, err := json.Marshal(append([]string{fakeVerb}, mode...))
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, t.TempDir(), "config", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: k, cluster: {server: %q}}]
users:
- name: u
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: %q, args: %s, interactiveMode: Always, installHint: install it, env: [{name: T, value: %q}]}}
- name: p
  user: {token: good}
contexts:
- {name: plug, context: {cluster: k, user: u}}
- {name: plug2, context: {cluster: k, user: u}}
- {name: plain, context: {cluster: k, user: p}}
`, server, self, argv, t.Name()))
}

// versionServer answers /version to the token "good". It speaks TLS, as client-go
// gives credentials to nothing else.
func versionServer(t *testing.T) *httptest.Server {
	t.Helper()
	ts := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer good" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Unauthorized","message":"Unauthorized","code":401}`))
			return
		}
		_, _ = w.Write([]byte(`{"gitVersion":"v1.37.2"}`))
	}))
	t.Cleanup(ts.Close)
	return ts
}

func contextsOf(t *testing.T, kubeconfig, keeper string) *Contexts {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &kubeconfig
	insecure := true
	flags.Insecure = &insecure
	c, err := NewContexts(ContextsOptions{Flags: flags, Keeper: keeper})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// kept makes contexts whose plug-ins run under the keeper. Each of them must be
// reached without the check of the server's certificate.
func kept(t *testing.T, mode ...string) *Contexts {
	t.Helper()
	ts := versionServer(t)
	file := pluginConfig(t, ts.URL, mode...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("cluster: {server:"), []byte("cluster: {insecure-skip-tls-verify: true, server:"), 1)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return contextsOf(t, file, self)
}

func TestPluginGivesCredentials(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	c := kept(t, "token", runs)
	for _, name := range []string{"plug", "plug2", "plug"} {
		if p := c.Probe(t.Context(), name); !p.OK || p.Version != "v1.37.2" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if got := countRuns(t, runs); got != 1 {
		t.Errorf("the plug-in ran %d times for two contexts of one user, want once", got)
	}
}

func countRuns(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

func TestPluginFailures(t *testing.T) {
	self := filepath.Base(os.Args[0])
	tests := []struct {
		mode string
		want string
	}{
		{"fails", `credential plug-in "` + self + `" failed with exit code 3: The SSO session has expired, run aws sso login`},
		{"asks", `credential plug-in "` + self + `" failed with exit code 5: Enter MFA code: no answer: EOF`},
		{"garbage", `credential plug-in "` + self + `" printed something that is not a credential`},
		{"expired", `the API server refuses these credentials (401 Unauthorized)`},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			c := kept(t, tt.mode)
			p := c.Probe(t.Context(), "plug")
			if p.OK || !strings.HasPrefix(p.Error, tt.want) {
				t.Errorf("got  %+v\nwant %s", p, tt.want)
			}
			if strings.Contains(p.Error, secret) {
				t.Errorf("a secret in %q", p.Error)
			}
			if p := c.Probe(t.Context(), "plain"); !p.OK {
				t.Errorf("the other context suffers: %+v", p)
			}
		})
	}
}

func TestPluginIsNotInstalled(t *testing.T) {
	c := kept(t)
	cfg, _, err := c.target("plug")
	if err != nil {
		t.Fatal(err)
	}
	cfg.ExecProvider.Args[3] = "no-such-plug-in"
	_, err = get(t.Context(), t, cfg)
	want := `credential plug-in "no-such-plug-in" is not installed, or not on the PATH: install it`
	var plugin *PluginError
	if !errors.As(err, &plugin) || plugin.Error() != want || Explain(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// get sends a request as a session would.
func get(ctx context.Context, t *testing.T, cfg *rest.Config) (int, error) {
	t.Helper()
	client, err := httpClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.Host+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// hanging listens for a plug-in of mode "hangs". Each that was started comes through
// the channel, and its connection ends with it.
func hanging(t *testing.T) (address string, started <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 10)
	var all []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all = append(all, conn)
			conns <- conn
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		for _, conn := range all {
			_ = conn.Close()
		}
	})
	return l.Addr().String(), conns
}

func TestPluginThatHangsHoldsNobody(t *testing.T) {
	address, started := hanging(t)
	c := kept(t, "hangs", address)
	ctx, cancel := context.WithCancel(t.Context())
	probed := make(chan model.Probe)
	go func() { probed <- c.Probe(ctx, "plug") }()
	<-started
	cancel()
	if p := <-probed; p.OK || p.Error == "" {
		t.Errorf("got %+v", p)
	}

	cfg, _, err := c.target("plug2")
	if err != nil {
		t.Fatal(err)
	}
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	if _, err := get(late, t, cfg); !strings.Contains(Explain(err), "has not answered yet") {
		t.Errorf("error = %v, want that the plug-in has not answered", err)
	}

	s, err := c.Open(t.Context(), "plug")
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // would wait for the plug-in without the gate

	if p := c.Probe(t.Context(), "plain"); !p.OK {
		t.Errorf("the other context suffers: %+v", p)
	}
	if len(started) > 0 {
		t.Error("the plug-in was started more than once")
	}
}

func TestPluginErrorReachesTheFeeds(t *testing.T) {
	c := kept(t, "fails")
	s, err := c.Open(t.Context(), "plug")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for seen := uint64(0); ; {
		snapshot, err := s.Next(t.Context(), seen)
		if err != nil {
			t.Fatal(err)
		}
		seen = snapshot.Serial
		if f := snapshot.Feed(model.KindNode); f.State == model.FeedFailing {
			if !strings.Contains(f.Error, "run aws sso login") {
				t.Errorf("the feed says %q", f.Error)
			}
			return
		}
	}
}

func TestPluginIsStartedOnceForManyWhoWait(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	c := kept(t, "fails", runs)
	cfg, _, err := c.target("plug")
	if err != nil {
		t.Fatal(err)
	}
	gate, err := gateOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	now := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	gate.clock = now
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := get(t.Context(), t, cfg); err == nil {
				t.Error("no error")
			}
		})
	}
	wg.Wait()
	if got := countRuns(t, runs); got != 1 {
		t.Errorf("%d runs for ten requests, want 1", got)
	}
	now.SetTime(now.Now().Add(holdOff))
	if _, err := get(t.Context(), t, cfg); err == nil || countRuns(t, runs) != 2 {
		t.Errorf("error %v after %d runs, want a second run when the failure is old", err, countRuns(t, runs))
	}
}

func TestOtherCredentialsGoBeforeThePlugin(t *testing.T) {
	c := kept(t, "fails")
	token, start := "good", "plug"
	c.opts.Flags.BearerToken, c.opts.Flags.Context = &token, &start
	if p := c.Probe(t.Context(), "plug"); !p.OK {
		t.Errorf("--token was not used: %+v", p)
	}
	if p := c.Probe(t.Context(), "plug2"); p.OK {
		t.Error("--token was sent for a context that it was not given for")
	}
}

func TestRunPluginStopsAll(t *testing.T) {
	address, started := hanging(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *pluginReport)
	go func() {
		_, report, _ := runPlugin(ctx, time.Hour, []string{os.Args[0], fakeVerb, "hangs", address})
		ended <- report
	}()
	conn := <-started
	cancel()
	if report := <-ended; report == nil || !strings.HasPrefix(report.Reason, "failed") {
		t.Errorf("report = %+v", report)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the plug-in still lives")
	}

	_, report, code := runPlugin(t.Context(), time.Nanosecond, []string{os.Args[0], fakeVerb, "hangs", address})
	if code != pluginTimedOut || report == nil || report.Reason != "did not answer within 1ns and was stopped" {
		t.Errorf("report = %+v, code %d", report, code)
	}
}

func TestRunPluginDoesNotWaitForChildrenLeftBehind(t *testing.T) {
	address, started := hanging(t)
	out, report, code := runPlugin(t.Context(), time.Hour, []string{os.Args[0], fakeVerb, "daemon", address})
	if code != 0 || report != nil || !bytes.Contains(out, []byte("good")) {
		t.Errorf("got %q, %+v, code %d", out, report, code)
	}
	_ = (<-started).Close()
}

func TestPluginTextIsCutAndCleaned(t *testing.T) {
	var said tail
	said.limit = 10
	for _, s := range []string{"0123456789", "abc", "", "defgh"} {
		if n, err := said.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if said.String() != "89abcdefgh" {
		t.Errorf("kept %q", said.String())
	}

	file := filepath.Join(t.TempDir(), "0.json")
	text := "old\nyour token eyJhbGciOiJSUzI1NiJ9." + secret + ".x is bad\n-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n"
	if err := leave(file, &pluginReport{Reason: "failed with exit code 1", Text: text}); err != nil {
		t.Fatal(err)
	}
	plugin := &clientcmdapi.ExecConfig{Args: []string{pluginVerb, file, "2m0s", "/opt/bin/login"}}
	got := describe(plugin, errors.New("x")).Error()
	if want := `credential plug-in "login" failed with exit code 1: your token … is bad …`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
