package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// probeLimit is how long a server, and a plug-in before it, may take to answer.
const probeLimit = 5 * time.Second

// Probe asks the context's server for its version, for at most 5 seconds.
func (c *Contexts) Probe(ctx context.Context, name string) model.Probe {
	start := c.opts.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
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
	httpClient, err := httpClientFor(cfg)
	if err != nil {
		return "", fmt.Errorf("make a client for %s: %w", publicURL(cfg.Host), err)
	}
	defer utilnet.CloseIdleConnectionsFor(httpClient.Transport)
	cfg.GroupVersion = &schema.GroupVersion{}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, httpClient)
	if err != nil {
		return "", fmt.Errorf("make a client for %s: %w", publicURL(cfg.Host), err)
	}
	var code int
	var contentType string
	body, err := client.Get().AbsPath("/version").MaxRetries(0).Do(ctx).
		StatusCode(&code).ContentType(&contentType).Raw()
	if code >= 300 && code < 400 {
		return "", fmt.Errorf("not a Kubernetes API server: it redirects elsewhere (%d); check the server's URL in the kubeconfig", code)
	}
	if err != nil && !strings.Contains(contentType, "html") {
		return "", err
	}
	var info version.Info
	if json.Unmarshal(body, &info) != nil || info.GitVersion == "" {
		return "", fmt.Errorf("not a Kubernetes API server: it answers %d with %s; check the server's URL in the kubeconfig", code, kindOfAnswer(contentType))
	}
	return info.GitVersion, nil
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
