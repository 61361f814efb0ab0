package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/plugin/pkg/client/auth/exec"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/transport"
	"k8s.io/utils/clock"
)

// PluginError says that a credential plug-in of the kubeconfig gave no credentials.
type PluginError struct {
	Command string // as the kubeconfig names it
	Reason  string // what became of it
	Text    string // the last lines that it wrote for a human, foreign text; may be empty
	Hint    string // the kubeconfig's installHint, if it is not installed
}

// Error returns one line; of Text the end, where programs say what went wrong.
func (e *PluginError) Error() string {
	words := fmt.Sprintf("credential plug-in %q %s", filepath.Base(e.Command), e.Reason)
	lines := strings.Split(strings.TrimSpace(e.Text), "\n")
	for _, s := range []string{strings.Join(lines[max(0, len(lines)-2):], " "), e.Hint} {
		if s = oneLine(s); s != "" {
			words += ": " + s
		}
	}
	return words
}

// pluginLimit is how long a plug-in may take: enough to log in with a browser.
const pluginLimit = 2 * time.Minute

// pluginKeeper makes exec plug-ins safe for a program that owns the terminal: it has
// client-go start mullion itself, which starts the plug-in without a terminal, stops it
// when it takes too long, and writes down what it said. client-go by itself lets
// plug-ins write to our standard error and wait for ever, and it cannot keep them from
// opening the terminal, as the prompts of AWS's and others' do.
type pluginKeeper struct {
	program string        // whose main calls RunPlugin; empty starts plug-ins directly
	limit   time.Duration // zero is pluginLimit

	mu    sync.Mutex
	dir   string         // for what the plug-ins said; empty until needed
	files map[string]int // one for each different plug-in
}

// prepare changes cfg so that its plug-in runs under the keeper and never asks.
func (p *pluginKeeper) prepare(cfg *rest.Config) error {
	if cfg.ExecProvider == nil {
		return nil
	}
	plugin := cfg.ExecProvider.DeepCopy()
	cfg.ExecProvider = plugin
	// Also where the kubeconfig says Always: many of those answer from a cache, and the
	// others say themselves what they miss.
	plugin.InteractiveMode = clientcmdapi.NeverExecInteractiveMode
	plugin.StdinUnavailable = true
	if p.program == "" {
		return nil
	}
	file, err := p.file(plugin, cfg)
	if err != nil {
		return err
	}
	limit := p.limit
	if limit == 0 {
		limit = pluginLimit
	}
	// Equal plug-ins get equal arguments, so that client-go shares their credentials.
	plugin.Args = append([]string{pluginVerb, file, limit.String(), plugin.Command}, plugin.Args...)
	plugin.Command = p.program
	return nil
}

func (p *pluginKeeper) file(plugin *clientcmdapi.ExecConfig, cfg *rest.Config) (string, error) {
	identity := []any{plugin.Command, plugin.Args, plugin.Env}
	if plugin.ProvideClusterInfo {
		identity = append(identity, cfg.Host)
	}
	key, err := json.Marshal(identity)
	if err != nil {
		return "", fmt.Errorf("credential plug-in %q: its settings cannot be compared: %w", plugin.Command, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		if p.dir, err = os.MkdirTemp("", "mullion-plugins-"); err != nil {
			return "", fmt.Errorf("credential plug-in %q: no place to keep what it says: %w", plugin.Command, err)
		}
		p.files = map[string]int{}
	}
	if _, known := p.files[string(key)]; !known {
		p.files[string(key)] = len(p.files)
	}
	return filepath.Join(p.dir, fmt.Sprintf("%d.json", p.files[string(key)])), nil
}

func (p *pluginKeeper) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		return nil
	}
	dir := p.dir
	p.dir = ""
	return os.RemoveAll(dir)
}

// describe finds out what became of a plug-in that gave no credentials.
func describe(plugin *clientcmdapi.ExecConfig, err error) *PluginError {
	reason := "failed: " + oneLine(strings.TrimPrefix(err.Error(), "getting credentials: "))
	if strings.Contains(err.Error(), "decoding stdout") {
		reason = "printed something that is not a credential" // what the decoder says of it reads as if a server had
	}
	e := &PluginError{Command: commandOf(plugin), Reason: reason}
	if !isKept(plugin) {
		return e
	}
	data, readErr := os.ReadFile(plugin.Args[1])
	var said pluginReport
	if readErr != nil || json.Unmarshal(data, &said) != nil {
		return e // it ended well, and client-go dislikes what it printed
	}
	e.Reason, e.Text = said.Reason, secrets.ReplaceAllString(said.Text, "…")
	if said.NotFound {
		e.Hint = plugin.InstallHint
	}
	return e
}

// secrets are the forms that credentials have wherever they turn up: JSON web tokens
// and PEM blocks.
var secrets = regexp.MustCompile(`eyJ[\w-]{8,}(\.[\w-]*)*|(?s:-----BEGIN .*?(-----END [A-Z ]*-----|$))`)

// gates hold one pluginGate for each authenticator; client-go keeps those for the
// whole process too.
var gates sync.Map

// pluginGate lets requests through once the plug-in has given credentials. Whoever
// waits can give up, and many who wait start the plug-in only once: client-go would
// start it again for each, one after the other, and some open a browser each time.
type pluginGate struct {
	plugin *clientcmdapi.ExecConfig
	ask    http.RoundTripper // returns once the plug-in has been asked, if it has to be
	clock  clock.WithTicker
	flight singleflight.Group

	mu       sync.Mutex
	failed   error
	failedAt time.Time
}

const (
	// holdOff is how long a failure stands before the plug-in is started again.
	holdOff = 10 * time.Second
	// waitFor is how long a request without a limit of its own waits, so that a feed can
	// say what it waits for. The plug-in runs on, and whoever tries again joins in.
	waitFor = 10 * time.Second
)

func gateOf(cfg *rest.Config) (*pluginGate, error) {
	var cluster *clientauthentication.Cluster
	if cfg.ExecProvider.ProvideClusterInfo {
		var err error
		if cluster, err = rest.ConfigToExecCluster(cfg); err != nil {
			return nil, err
		}
	}
	authenticator, err := exec.GetAuthenticator(cfg.ExecProvider, cluster)
	if err != nil {
		return nil, err
	}
	if g, ok := gates.Load(authenticator); ok {
		return g.(*pluginGate), nil
	}
	var t transport.Config
	if err := authenticator.UpdateTransportConfig(&t); err != nil {
		return nil, err
	}
	g := &pluginGate{plugin: cfg.ExecProvider, ask: t.WrapTransport(nowhere{}), clock: clock.RealClock{}}
	kept, _ := gates.LoadOrStore(authenticator, g)
	return kept.(*pluginGate), nil
}

// nowhere ends a request before it leaves; what matters is what comes before.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// ready waits until there are credentials.
func (g *pluginGate) ready(ctx context.Context) error {
	answer := g.flight.DoChan("", func() (any, error) { return nil, g.credentials() })
	timer := g.clock.NewTimer(waitFor)
	defer timer.Stop()
	select {
	case a := <-answer:
		return a.Err
	case <-timer.C():
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
	}
	return g.silent()
}

func (g *pluginGate) credentials() error {
	g.mu.Lock()
	failed, at := g.failed, g.failedAt
	g.mu.Unlock()
	if failed != nil && g.clock.Since(at) < holdOff {
		return failed
	}
	req, err := http.NewRequest(http.MethodGet, "http://localhost", nil)
	if err == nil {
		_, err = g.ask.RoundTrip(req) // the body is http.NoBody
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failed = nil
	if err != nil {
		g.failed, g.failedAt = describe(g.plugin, err), g.clock.Now()
	}
	return g.failed
}

// silent says that the plug-in, not the server, is the one that does not answer.
func (g *pluginGate) silent() error {
	return &PluginError{
		Command: commandOf(g.plugin),
		Reason:  "has not answered yet: it may be waiting for a login, or for a question that nobody sees",
	}
}

// commandOf names the plug-in that a kept one stands for.
func commandOf(plugin *clientcmdapi.ExecConfig) string {
	if isKept(plugin) {
		return plugin.Args[3]
	}
	return plugin.Command
}

func isKept(plugin *clientcmdapi.ExecConfig) bool {
	return len(plugin.Args) > 3 && plugin.Args[0] == pluginVerb
}

// gated is the outermost tripper of a client that uses a plug-in.
type gated struct {
	gate *pluginGate
	next http.RoundTripper
}

var _ utilnet.RoundTripperWrapper = (*gated)(nil)

// WrappedRoundTripper lets client-go reach the transport to close idle connections.
func (t *gated) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip waits for credentials and sends req. It returns when the request's context
// ends, also while client-go asks the plug-in anew after a 401, which it cannot stop.
func (t *gated) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if err := t.gate.ready(ctx); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper owns the body, and nothing of it was sent
		}
		return nil, err
	}
	type answer struct {
		resp *http.Response
		err  error
	}
	answers := make(chan answer, 1)
	req = req.Clone(ctx) // client-go's tripper writes the headers, maybe after we have returned
	go func() {
		resp, err := t.next.RoundTrip(req) // handed on, or closed below
		answers <- answer{resp, err}
	}()
	select {
	case a := <-answers:
		return a.resp, a.err
	case <-ctx.Done():
		go func() {
			if a := <-answers; a.resp != nil {
				_ = a.resp.Body.Close() // nobody is left to read it
			}
		}()
		return nil, ctx.Err()
	}
}
