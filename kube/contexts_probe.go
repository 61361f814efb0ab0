package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// probeLimit is how long a server, and a plug-in before it, may take to answer.
const probeLimit = 5 * time.Second

// Probe asks the context's server for its version, for at most 5 seconds.
func (c *Contexts) Probe(ctx context.Context, name string) model.Probe {
	start := c.opts.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	v, err := c.serverVersion(ctx, name)
	p := model.Probe{OK: err == nil, Version: v, Took: c.opts.Clock.Since(start)}
	if err != nil {
		p.Error = Explain(err)
		// Somebody answers for this cluster, only not to us.
		p.OK = apierrors.IsForbidden(err)
	}
	return p
}

func (c *Contexts) serverVersion(ctx context.Context, name string) (string, error) {
	cfg, _, err := c.target(name)
	if err != nil {
		return "", err
	}
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return "", err
	}
	client, err := httpClientFor(cfg)
	if err != nil {
		return "", fmt.Errorf("make a client for %s: %w", publicURL(cfg.Host), err)
	}
	defer utilnet.CloseIdleConnectionsFor(client.Transport)
	// A portal that sends everybody to its login is the answer, not a step to one.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("version").String(), nil)
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", publicURL(cfg.Host), err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxVersion))
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", publicURL(cfg.Host), err)
	}
	return versionIn(resp, body)
}

// maxVersion bounds, in bytes, what is read of an answer that may be anything.
const maxVersion = 64 << 10

func versionIn(resp *http.Response, body []byte) (string, error) {
	var info version.Info
	if resp.StatusCode == http.StatusOK && json.Unmarshal(body, &info) == nil && info.GitVersion != "" {
		return info.GitVersion, nil
	}
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" {
		return "", apierrors.FromObject(&status)
	}
	what := fmt.Sprintf("it answers %d with %s", resp.StatusCode, kindOfAnswer(resp.Header.Get("Content-Type")))
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		what = fmt.Sprintf("it redirects to %s (%d)", publicURL(resp.Header.Get("Location")), resp.StatusCode)
	}
	return "", fmt.Errorf("not a Kubernetes API server: %s; check the server's URL in the kubeconfig", what)
}

func kindOfAnswer(contentType string) string {
	if mediaType, _, _ := strings.Cut(contentType, ";"); mediaType != "" {
		return mediaType
	}
	return "something unknown"
}

// needsPlugin repeats client-go's rule: other credentials go before the plug-in's.
func needsPlugin(cfg *rest.Config) bool {
	other := cfg.BearerToken + cfg.BearerTokenFile + cfg.Username + cfg.CertFile + string(cfg.CertData)
	return cfg.ExecProvider != nil && other == ""
}

var errElsewhere = errors.New("the server redirects to another one, which is not followed: it must not get these credentials")

// httpClientFor makes an HTTP client like rest.HTTPClientFor, that does not wait for
// a credential plug-in longer than the request may take, and that takes credentials
// to no other server.
func httpClientFor(cfg *rest.Config) (*http.Client, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	own := *client // rest may return the shared default client
	if needsPlugin(cfg) {
		gate, err := gateOf(cfg)
		if err != nil {
			return nil, fmt.Errorf("set up the credential plug-in %q: %w", cfg.ExecProvider.Command, err)
		}
		own.Transport = &gated{gate: gate, next: client.Transport}
	}
	own.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
			return errElsewhere
		}
		if len(via) >= 10 {
			return errors.New("the server redirects in a circle")
		}
		return nil
	}
	return &own, nil
}
