package kube

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/mullion-tui/mullion/model"
)

func TestPluginGivesCredentials(t *testing.T) {
	for _, more := range []string{"", ", provideClusterInfo: true"} {
		t.Run("settings"+more, func(t *testing.T) {
			runs := filepath.Join(t.TempDir(), "runs")
			c := kept(t, "token", runs)
			file := *c.opts.Flags.KubeConfig
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Dir(file), filepath.Base(file), strings.Replace(string(text), "interactiveMode: Always", "interactiveMode: Always"+more, 1))
			for _, name := range []string{"plug", "plug2", "plug"} {
				if p := c.Probe(t.Context(), name); !p.OK || p.Version != "v1.37.2" {
					t.Errorf("%s: %+v", name, p)
				}
			}
			if got := countRuns(t, runs); got != 1 {
				t.Errorf("the plug-in ran %d times for two contexts of one user, want once", got)
			}
		})
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

func TestPluginThatHangsHoldsNobody(t *testing.T) {
	address, started := hanging(t)
	c := kept(t, "hangs", address)
	cfg, _, err := c.target("plug2")
	if err != nil {
		t.Fatal(err)
	}
	gate, err := gateOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	now := clocktesting.NewFakeClock(time.Unix(0, 0))
	gate.clock = now
	ctx, cancel := context.WithCancel(t.Context())
	probed := make(chan model.Probe)
	go func() { probed <- c.Probe(ctx, "plug") }()
	conn := <-started
	cancel()
	if p := <-probed; p.OK || p.Error == "" {
		t.Errorf("got %+v", p)
	}

	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	if _, err := get(late, t, cfg); !strings.Contains(Explain(err), "has not answered yet") {
		t.Errorf("error = %v, want that the plug-in has not answered", err)
	}

	answered := make(chan error)
	go func() {
		_, err := get(t.Context(), t, cfg)
		answered <- err
	}()
	for !now.HasWaiters() {
		runtime.Gosched()
	}
	now.Step(waitFor)
	if err := <-answered; !strings.Contains(Explain(err), "has not answered yet") {
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
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the plug-in outlives those who wait for it")
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
	now := clocktesting.NewFakeClock(time.Unix(0, 0))
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
	now.Step(holdOff)
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
