package kube

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// ReadOnlyError says that a request was not sent because the session is read-only.
type ReadOnlyError struct {
	Method string
	Path   string // as it would have been sent, without the query
	Reason string
}

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("read-only: %s %s was not sent: %s", e.Method, e.Path, e.Reason)
}

// ReadOnly makes every client that is built from cfg refuse whatever could change
// something, with a *ReadOnlyError. It must be called on a fresh config, before
// anybody else wraps it: client-go puts later wrappers, its own for credentials and
// impersonation included, around earlier ones, so that the check sees each request
// in the form in which it goes to the wire, redirects and upgrades included.
func ReadOnly(cfg *rest.Config) error {
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return fmt.Errorf("read-only: cannot tell the paths of server %q: %w", publicURL(cfg.Host), err)
	}
	prefix := strings.TrimRight(base.EscapedPath(), "/")
	cfg.WrapTransport = wrapFirst(func(next http.RoundTripper) http.RoundTripper {
		return &readOnlyTripper{prefix: prefix, next: next}
	}, cfg.WrapTransport)
	return nil
}

// wrapFirst applies first directly around the transport, and the rest outside of it.
func wrapFirst(first, rest func(http.RoundTripper) http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
	return func(rt http.RoundTripper) http.RoundTripper {
		rt = first(rt)
		if rest != nil {
			rt = rest(rt)
		}
		return rt
	}
}

type readOnlyTripper struct {
	prefix string // path of the server's URL, escaped, without a slash at its end
	next   http.RoundTripper
}

var _ utilnet.RoundTripperWrapper = (*readOnlyTripper)(nil)

// WrappedRoundTripper lets client-go reach the transport to close idle connections.
func (r *readOnlyTripper) WrappedRoundTripper() http.RoundTripper { return r.next }

// RoundTrip sends req if it can only read.
func (r *readOnlyTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if reason := refusal(req, r.prefix); reason != "" {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper owns the body; nothing was read, so nothing can be lost
		}
		return nil, &ReadOnlyError{Method: req.Method, Path: req.URL.Path, Reason: reason}
	}
	return r.next.RoundTrip(req)
}

// selfReviews are the only things that may be posted: they ask the API server about
// the caller and leave nothing behind.
var selfReviews = map[string][]string{
	"authorization.k8s.io":  {"selfsubjectaccessreviews", "selfsubjectrulesreviews"},
	"authentication.k8s.io": {"selfsubjectreviews"},
}

// refusal returns why req may not be sent; empty lets it pass.
func refusal(req *http.Request, prefix string) string {
	if req.URL.Opaque != "" {
		return "its URL has no readable path"
	}
	if tunnels(req.Header) {
		return "it opens a two-way stream (exec, attach or port-forward)"
	}
	parts, reason := segments(req.URL, prefix)
	if reason != "" {
		return reason
	}
	target := parseTarget(parts)
	switch req.Method {
	case "", http.MethodGet, http.MethodHead:
		return refusalToRead(target)
	case http.MethodPost:
		if target.namespace == "" && target.name == "" && target.sub == "" &&
			slices.Contains(selfReviews[target.group], target.resource) {
			return ""
		}
		return "only reviews of one's own rights may be posted"
	}
	return "only GET and HEAD are sent"
}

// tunnels finds the headers with which a GET becomes a stream that can write, and
// those with which some proxies let a GET stand for another method.
func tunnels(h http.Header) bool {
	for key := range h {
		k := strings.ToLower(key)
		if k == "upgrade" || strings.HasPrefix(k, "sec-websocket-") || k == "x-stream-protocol-version" ||
			strings.HasPrefix(k, "x-http-method") || k == "x-method-override" {
			return true
		}
	}
	for _, v := range h.Values("Connection") {
		if strings.Contains(strings.ToLower(v), "upgrade") {
			return true
		}
	}
	return false
}

// segments splits the path below the server's own one. It refuses every spelling
// that a proxy, the API server or a kubelet could read in another way than we do:
// the names of Kubernetes hold neither "/" nor "%" (apimachinery's
// pkg/api/validation/path).
func segments(u *url.URL, prefix string) ([]string, string) {
	const odd = "its path can be read in two ways"
	path := u.EscapedPath()
	below, ok := strings.CutPrefix(path, prefix)
	if !ok || (below != "" && below[0] != '/') {
		return nil, "its path is outside of the server's URL"
	}
	below = strings.TrimPrefix(below, "/")
	if below == "" {
		return nil, ""
	}
	parts := strings.Split(below, "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, `/\%;?#`) ||
			strings.ContainsFunc(plain, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\uFFFD' }) {
			return nil, odd
		}
		parts[i] = plain
	}
	return parts, ""
}

// target is what a path of the API addresses, as apiserver's RequestInfo reads it.
type target struct {
	root      string // first segment
	api       bool   // addresses a resource; false is discovery, or a path outside of /api and /apis
	group     string
	namespace string
	resource  string
	name      string
	sub       string
	rest      []string // below the subresource
}

func parseTarget(parts []string) target {
	var t target
	if len(parts) > 0 {
		t.root = parts[0]
	}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		t.api, parts = true, parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		t.api, t.group, parts = true, parts[1], parts[3:]
	default:
		return t
	}
	if parts[0] == "watch" && len(parts) > 1 { // the old form of a watch
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		t.namespace, parts = parts[1], parts[2:]
	}
	fields := []*string{&t.resource, &t.name, &t.sub}
	for i, part := range parts {
		if i >= len(fields) {
			t.rest = parts[i:]
			break
		}
		*fields[i] = part
	}
	return t
}

// proxied are the paths that may be read through the API server's proxy. There a GET
// is what the other side makes of it: a kubelet runs a command for GET /exec and
// /run, and a pod may do anything. So only what mullion asks for is known to read:
// the kubelet's statistics and metrics, the metrics of an exporter, and a query to a
// Prometheus, which has no other way to answer a GET there.
var proxied = map[string][]string{
	"nodes":    {"stats/summary", "metrics", "metrics/cadvisor", "metrics/resource", "metrics/probes"},
	"pods":     {"metrics"},
	"services": {"metrics", "api/v1/query"},
}

// plainReads are the first segments outside of the resources that a client of the API needs.
var plainReads = []string{"", "api", "apis", "version", "openapi", "healthz", "livez", "readyz"}

func refusalToRead(t target) string {
	switch {
	case !t.api && slices.Contains(plainReads, t.root):
		return ""
	case !t.api:
		return "it is not a path of the Kubernetes API"
	case t.resource == "proxy" || t.resource == "redirect":
		return "the old proxy paths can reach anything"
	case t.sub == "exec" || t.sub == "attach" || t.sub == "portforward":
		return t.sub + " can change what runs"
	case t.sub == "proxy":
		path := strings.Join(t.rest, "/")
		if t.group == "" && slices.Contains(proxied[t.resource], path) {
			return ""
		}
		return fmt.Sprintf("through the proxy of %s only statistics and metrics may be read", t.resource)
	}
	return ""
}
