package kube

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var readOnlyCases = []struct {
	name   string
	method string
	url    string // below https://cluster
	prefix string
	header http.Header
	pass   bool
}{
	{name: "list", method: "GET", url: "/api/v1/nodes?watch=true", pass: true},
	{name: "no method means GET", url: "/api/v1/nodes", pass: true},
	{name: "head", method: "HEAD", url: "/api/v1/nodes", pass: true},
	{name: "core discovery", method: "GET", url: "/api", pass: true},
	{name: "group discovery", method: "GET", url: "/apis/policy/v1", pass: true},
	{name: "version", method: "GET", url: "/version", pass: true},
	{name: "schemas", method: "GET", url: "/openapi/v3/apis/apps/v1?hash=1", pass: true},
	{name: "root", method: "GET", url: "/", pass: true},
	{name: "logs", method: "GET", url: "/api/v1/namespaces/a/pods/p/log?follow=true", pass: true},
	{name: "old watch", method: "GET", url: "/api/v1/watch/namespaces/a/pods", pass: true},
	{name: "a pod called exec", method: "GET", url: "/api/v1/namespaces/a/pods/exec", pass: true},
	{name: "a namespace called proxy", method: "GET", url: "/api/v1/namespaces/proxy/pods", pass: true},
	{name: "a name with a colon", method: "GET", url: "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode", pass: true},
	{name: "behind a gateway", method: "GET", prefix: "/k8s/clusters/c-1", url: "/k8s/clusters/c-1/api/v1/nodes", pass: true},

	{name: "own rights", method: "POST", url: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", pass: true},
	{name: "own rules", method: "POST", url: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", pass: true},
	{name: "own name", method: "POST", url: "/apis/authentication.k8s.io/v1/selfsubjectreviews", pass: true},
	{name: "others' rights", method: "POST", url: "/apis/authorization.k8s.io/v1/subjectaccessreviews"},
	{name: "a token review carries a token", method: "POST", url: "/apis/authentication.k8s.io/v1/tokenreviews"},
	{name: "below a review", method: "POST", url: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x"},
	{name: "a review in a namespace", method: "POST", url: "/apis/authorization.k8s.io/v1/namespaces/a/selfsubjectaccessreviews"},
	{name: "a review of another group", method: "POST", url: "/apis/evil.io/v1/selfsubjectaccessreviews"},

	{name: "create", method: "POST", url: "/api/v1/namespaces/a/pods"},
	{name: "dry run", method: "POST", url: "/api/v1/namespaces/a/pods?dryRun=All"},
	{name: "evict", method: "POST", url: "/api/v1/namespaces/a/pods/p/eviction"},
	{name: "update", method: "PUT", url: "/api/v1/nodes/n"},
	{name: "patch", method: "PATCH", url: "/api/v1/nodes/n"},
	{name: "delete", method: "DELETE", url: "/api/v1/namespaces/a/pods/p"},
	{name: "tunnel", method: "CONNECT", url: "/api/v1/nodes"},
	{name: "unknown method", method: "get", url: "/api/v1/nodes"},

	{name: "exec over GET", method: "GET", url: "/api/v1/namespaces/a/pods/p/exec?command=id"},
	{name: "attach over GET", method: "GET", url: "/api/v1/namespaces/a/pods/p/attach"},
	{name: "port-forward over GET", method: "GET", url: "/api/v1/namespaces/a/pods/p/portforward"},
	{name: "any upgrade", method: "GET", url: "/api/v1/nodes", header: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}},
	{name: "upgrade in a list", method: "GET", url: "/api/v1/nodes", header: http.Header{"Connection": {"keep-alive, upgrade"}}},
	{name: "websocket key alone", method: "GET", url: "/api/v1/nodes", header: http.Header{"sec-websocket-key": {"x"}}},
	{name: "another method in a header", method: "GET", url: "/api/v1/nodes/n", header: http.Header{"X-Http-Method-Override": {"DELETE"}}},

	{name: "kubelet summary", method: "GET", url: "/api/v1/nodes/n/proxy/stats/summary", pass: true},
	{name: "kubelet by port", method: "GET", url: "/api/v1/nodes/https:n:10250/proxy/metrics/cadvisor", pass: true},
	{name: "exporter", method: "GET", url: "/api/v1/namespaces/m/pods/exporter:9182/proxy/metrics", pass: true},
	{name: "kubelet runs a command", method: "GET", url: "/api/v1/nodes/n/proxy/run/ns/pod/c?cmd=id"},
	{name: "kubelet exec", method: "GET", url: "/api/v1/nodes/n/proxy/exec/ns/pod/c?command=id"},
	{name: "kubelet root", method: "GET", url: "/api/v1/nodes/n/proxy"},
	{name: "out of the summary", method: "GET", url: "/api/v1/nodes/n/proxy/stats/summary/../../run/ns/pod/c"},
	{name: "a pod's own page", method: "GET", url: "/api/v1/namespaces/a/pods/p:80/proxy/admin/delete"},
	{name: "proxy of a subresource look-alike", method: "GET", url: "/apis/x.io/v1/namespaces/a/pods/p/proxy/metrics"},
	{name: "old proxy", method: "GET", url: "/api/v1/proxy/nodes/n/run/ns/pod/c"},

	{name: "Prometheus", method: "GET", url: "/api/v1/namespaces/m/services/http:prometheus:9090/proxy/api/v1/query?query=up", pass: true},
	{name: "Prometheus by POST", method: "POST", url: "/api/v1/namespaces/m/services/http:prometheus:9090/proxy/api/v1/query"},
	{name: "another path of Prometheus", method: "GET", url: "/api/v1/namespaces/m/services/http:prometheus:9090/proxy/api/v1/query_range"},
	{name: "administration of Prometheus", method: "GET", url: "/api/v1/namespaces/m/services/http:prometheus:9090/proxy/api/v1/admin/tsdb/snapshot"},
	{name: "below a query", method: "GET", url: "/api/v1/namespaces/m/services/http:prometheus:9090/proxy/api/v1/query/x"},
	{name: "a query to a pod", method: "GET", url: "/api/v1/namespaces/m/pods/prometheus-0:9090/proxy/api/v1/query"},
	{name: "memory of all nodes", method: "GET", url: "/apis/metrics.k8s.io/v1beta1/nodes", pass: true},

	{name: "double slash", method: "GET", url: "/api/v1//nodes/n/proxy/run/a/b/c"},
	{name: "dots", method: "GET", url: "/api/v1/nodes/../nodes/n"},
	{name: "encoded dots", method: "GET", url: "/api/v1/nodes/%2e%2e/nodes/n"},
	{name: "encoded slash", method: "GET", url: "/api/v1/nodes/n%2fproxy%2frun"},
	{name: "twice encoded slash", method: "GET", url: "/api/v1/nodes/n%252fproxy%252frun"},
	{name: "backslash", method: "GET", url: "/api/v1/nodes/n%5cproxy%5crun"},
	{name: "path parameter", method: "GET", url: "/api/v1/nodes/n;x=y"},
	{name: "encoded query", method: "GET", url: "/api/v1/nodes/n/proxy/metrics%3f"},
	{name: "line break", method: "GET", url: "/api/v1/nodes/n%0d%0a"},
	{name: "slash at the end", method: "GET", url: "/api/v1/nodes/"},
	{name: "outside of the gateway's cluster", method: "GET", prefix: "/k8s/clusters/c-1", url: "/k8s/clusters/c-2/api/v1/nodes"},
	{name: "gateway prefix as part of a word", method: "GET", prefix: "/k8s/clusters/c-1", url: "/k8s/clusters/c-11/api/v1/nodes"},
	{name: "not the API", method: "GET", url: "/logout"},
	{name: "an API below another path", method: "GET", url: "/other/api/v1/nodes/n/proxy/run/a/b/c"},
}

func TestReadOnlyRefusal(t *testing.T) {
	for _, tt := range readOnlyCases {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse("https://cluster" + tt.url)
			if err != nil {
				t.Fatal(err)
			}
			reason := refusal(&http.Request{Method: tt.method, URL: u, Header: tt.header}, tt.prefix)
			if pass := reason == ""; pass != tt.pass {
				t.Errorf("%s %s: pass = %v (%s), want %v", tt.method, tt.url, pass, reason, tt.pass)
			}
		})
	}
	t.Run("opaque", func(t *testing.T) {
		req := &http.Request{Method: "GET", URL: &url.URL{Scheme: "https", Host: "cluster", Path: "/api/v1/nodes", Opaque: "//cluster/api/v1/nodes/n/proxy/run"}}
		if refusal(req, "") == "" {
			t.Error("an opaque URL passed: its path on the wire is not the one that was checked")
		}
	})
}

// recorder is a server that accepts everything and remembers the requests.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.seen = append(r.seen, req.Method+" "+req.URL.Path)
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`))
}

func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// writesOf are ways to change something, and one to hide that.
func writesOf(ctx context.Context, client kubernetes.Interface, dyn dynamic.Interface) map[string]func() error {
	return map[string]func() error{
		"typed create": func() error {
			_, err := client.CoreV1().Pods("a").Create(ctx, &corev1.Pod{}, metav1.CreateOptions{})
			return err
		},
		"typed patch": func() error {
			_, err := client.CoreV1().Nodes().Patch(ctx, "n", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
			return err
		},
		"dry run": func() error {
			_, err := client.CoreV1().Nodes().Update(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.UpdateOptions{DryRun: []string{"All"}})
			return err
		},
		"evict": func() error {
			return client.PolicyV1().Evictions("a").Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}})
		},
		"delete collection": func() error {
			return client.CoreV1().Pods("a").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		},
		"dynamic delete": func() error {
			return dyn.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).Delete(ctx, "n", metav1.DeleteOptions{})
		},
		"raw GET of exec": func() error {
			return client.CoreV1().RESTClient().Get().AbsPath("/api/v1/namespaces/a/pods/p/exec").Do(ctx).Error()
		},
		"a wrapper that turns a GET into a DELETE": func() error {
			return client.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes/n").SetHeader("Disguise", "DELETE").Do(ctx).Error()
		},
	}
}

// Whatever client is made from a guarded config, and whatever is wrapped around it
// later, no write reaches the server.
func TestReadOnlyGuardsEveryClient(t *testing.T) {
	server := &recorder{}
	ts := httptest.NewServer(server)
	defer ts.Close()
	cfg := &rest.Config{Host: ts.URL, BearerToken: "t", Impersonate: rest.ImpersonationConfig{UserName: "u"}}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return disguise{next} }) // earlier than the guard
	if err := ReadOnly(cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return disguise{next} })
	cfg = rest.CopyConfig(cfg)
	client := kubernetes.NewForConfigOrDie(cfg)
	ctx := t.Context()

	writes := writesOf(ctx, client, dynamic.NewForConfigOrDie(cfg))
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			var refused *ReadOnlyError
			if err := write(); !errors.As(err, &refused) {
				t.Errorf("error = %v, want a ReadOnlyError", err)
			}
			if seen := server.take(); len(seen) > 0 {
				t.Errorf("the server saw %q", seen)
			}
		})
	}
	t.Run("streams are upgraded through the same wrappers", func(t *testing.T) {
		rt, err := rest.HTTPWrappersForConfig(cfg, roundTripperFunc(func(*http.Request) (*http.Response, error) {
			t.Error("the stream was opened")
			return nil, errors.New("opened")
		}))
		if err != nil {
			t.Fatal(err)
		}
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, ts.URL+"/api/v1/namespaces/a/pods/p/log", nil)
		req.Header.Set("Upgrade", "SPDY/3.1")
		resp, err := rt.RoundTrip(req)
		if resp != nil {
			_ = resp.Body.Close()
		}
		var refused *ReadOnlyError
		if !errors.As(err, &refused) {
			t.Errorf("error = %v, want a ReadOnlyError", err)
		}
	})
	t.Run("reads and self reviews pass", func(t *testing.T) {
		if _, err := client.CoreV1().Nodes().Get(ctx, "n", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		_, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{}, metav1.CreateOptions{})
		var refused *ReadOnlyError
		if errors.As(err, &refused) {
			t.Error(err)
		}
		if seen := server.take(); len(seen) != 2 {
			t.Errorf("the server saw %q, want both requests", seen)
		}
	})
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// disguise changes the method as a careless wrapper might.
type disguise struct{ next http.RoundTripper }

func (d disguise) RoundTrip(req *http.Request) (*http.Response, error) {
	if method := req.Header.Get("Disguise"); method != "" {
		req = req.Clone(req.Context())
		req.Method = method
		req.Header.Del("Disguise")
	}
	return d.next.RoundTrip(req)
}

func TestReadOnlyChecksRedirects(t *testing.T) {
	var ran bool
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.URL.Path, "/run/") {
			ran = true
			return
		}
		http.Redirect(w, req, "/api/v1/nodes/n/proxy/run/a/b/c", http.StatusFound)
	}))
	defer ts.Close()
	cfg := &rest.Config{Host: ts.URL}
	if err := ReadOnly(cfg); err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Get(ts.URL + "/api/v1/nodes")
	if resp != nil {
		_ = resp.Body.Close()
	}
	var refused *ReadOnlyError
	if !errors.As(err, &refused) || ran {
		t.Errorf("error = %v, command ran = %v; want a ReadOnlyError before that", err, ran)
	}
}

var (
	dangerous = regexp.MustCompile(`^/api/[^/]+/(watch/)?(proxy/|(namespaces/[^/]+/)?(pods|nodes|services)/[^/]+/(exec|attach|portforward|proxy)(/|$))`)
	harmless  = regexp.MustCompile(`^/api/[^/]+/(watch/)?(namespaces/[^/]+/)?((nodes/[^/]+/proxy/(stats/summary|metrics(/(cadvisor|resource|probes))?))|((pods|services)/[^/]+/proxy/metrics))$`)
)

// FuzzReadOnlyPath reads what passes as a lenient server could, in every way that
// decoding and cleaning allow, and wants none of the readings to be dangerous.
func FuzzReadOnlyPath(f *testing.F) {
	for _, seed := range []string{
		"/api/v1/nodes", "/api/v1/nodes/n/proxy/stats/summary", "/api/v1/nodes/n/proxy/run/a/b/c",
		"/api/v1//nodes/n%2fproxy%2frun", "/api/v1/watch/namespaces/a/pods/p/exec", "/api/v1/nodes/%2e%2e/x",
		"/apis/apps/v1/../../api/v1/nodes/n/proxy/run", "/api/v1/nodes/n\\proxy\\run", "/api/v1/nodes/n/%70roxy/run",
	} {
		f.Add("GET", seed)
	}
	f.Add("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
	f.Fuzz(func(t *testing.T, method, raw string) {
		u, err := url.Parse("https://cluster" + raw)
		if err != nil || u.Host != "cluster" {
			return
		}
		if refusal(&http.Request{Method: method, URL: u}, "") != "" {
			return
		}
		switch method {
		case "", "GET", "HEAD":
		case "POST":
			if !regexp.MustCompile(`^/apis/auth(oriz|entic)ation\.k8s\.io/[^/]+/selfsubject[a-z]*reviews$`).MatchString(u.Path) {
				t.Fatalf("POST %q passed", raw)
			}
		default:
			t.Fatalf("%s passed", method)
		}
		onWire, _, _ := strings.Cut(u.RequestURI(), "?")
		for _, reading := range readings(onWire) {
			if dangerous.MatchString(reading) && !harmless.MatchString(reading) {
				t.Fatalf("%s %q passed and can be read as %q", method, onWire, reading)
			}
		}
	})
}

func readings(p string) []string {
	all := []string{p}
	for range 3 {
		plain, err := url.PathUnescape(p)
		if err != nil {
			break
		}
		p = strings.ReplaceAll(plain, `\`, "/")
		all = append(all, plain, p, path.Clean(p), strings.TrimRight(p, "/"), strings.SplitN(p, "?", 2)[0], strings.SplitN(p, ";", 2)[0])
	}
	return all
}
