package kube

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func requestError(err error) error {
	return fmt.Errorf("list nodes: %w", &url.Error{Op: "Get", URL: "https://10.0.0.1:6443/api/v1/nodes?limit=500", Err: err})
}

func forbiddenBy(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: "Failure", Code: 403, Reason: metav1.StatusReasonForbidden, Message: message}}
}

func TestExplain(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"none", nil, ""},
		{"forbidden", forbiddenBy(`pods is forbidden: User "viewer" cannot list resource "pods" in API group "" at the cluster scope`),
			`cannot list pods: forbidden for user "viewer"`},
		{"forbidden in a namespace", fmt.Errorf("x: %w", forbiddenBy(`leases.coordination.k8s.io is forbidden: User "viewer" cannot watch resource "leases" in API group "coordination.k8s.io" in the namespace "kube-node-lease"`)),
			`cannot watch leases.coordination.k8s.io in namespace kube-node-lease: forbidden for user "viewer"`},
		{"forbidden by admission", forbiddenBy("denied by\n policy"), "forbidden: denied by policy"},
		{"unauthorized", apierrors.NewUnauthorized("Unauthorized"), "the API server refuses these credentials (401 Unauthorized): log in again, or use another user"},
		{"not served", apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{}, "", "404 page not found", 0, true), "the API server does not serve this (404 Not Found)"},
		{"object not found", apierrors.NewNotFound(pods, "web-0"), `pods "web-0" not found`},
		{"too many requests", apierrors.NewTooManyRequests("slow down", 1), "the API server is overloaded (429 Too Many Requests)"},
		{"unavailable", apierrors.NewServiceUnavailable("etcd is away"), "the API server is not available (503 Service Unavailable)"},
		{"a gateway's page", apierrors.NewGenericServerResponse(502, "get", pods, "", "<html>\n Bad Gateway", 0, true), "the server answers 502 without a Kubernetes status: <html> Bad Gateway"},
		{"plug-in failed", requestError(errors.New("getting credentials: exec: executable aws failed with exit code 255")), "credential plug-in aws failed: exit code 255"},
		{"plug-in missing", requestError(errors.New("getting credentials: exec: executable kube login not found\n\nIt looks like you are trying to use a client-go credential plugin")),
			"credential plug-in kube login is not installed, or not on the PATH"},
		{"plug-in talks nonsense", requestError(errors.New("getting credentials: decoding stdout: couldn't get version/kind; json parse error: EOF")),
			"credential plug-in failed: decoding stdout: couldn't get version/kind; json parse error: EOF"},
		{"plug-in under our keeper", requestError(&PluginError{Command: "/usr/bin/aws", Reason: "failed", Text: "remote error: tls: x"}), `credential plug-in "aws" failed: remote error: tls: x`},
		{"unknown authority", requestError(x509.UnknownAuthorityError{}), "the certificate of 10.0.0.1:6443 is signed by an unknown authority: check certificate-authority in the kubeconfig"},
		{"expired certificate", requestError(x509.CertificateInvalidError{Reason: x509.Expired}), "the certificate of 10.0.0.1:6443 is expired or not yet valid: check the clocks, renew the certificate"},
		{"plain HTTP", requestError(errors.New("http: server gave HTTP response to HTTPS client")), "10.0.0.1:6443 does not speak TLS: check the server's URL in the kubeconfig"},
		{"client certificate refused", requestError(errors.New("remote error: tls: bad certificate")), "10.0.0.1:6443 refuses the TLS connection: bad certificate"},
		{"no such host", requestError(&net.DNSError{Name: "k8s.example.invalid", IsNotFound: true}), `cannot find host "k8s.example.invalid"`},
		{"cancelled", requestError(context.Canceled), "cancelled"},
		{"timeout", requestError(context.DeadlineExceeded), "no answer from 10.0.0.1:6443 in time"},
		{"closed", requestError(io.EOF), "10.0.0.1:6443 closed the connection"},
		{"anything else", requestError(errors.New("strange\nthing")), "strange thing"},
		{"read-only", requestError(&ReadOnlyError{Method: "POST", Path: "/x", Reason: "y"}), (&ReadOnlyError{Method: "POST", Path: "/x", Reason: "y"}).Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Explain(tt.err); got != tt.want {
				t.Errorf("\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	if got := Explain(errors.New(strings.Repeat("x", 9000))); utf8.RuneCountInString(got) != maxWords {
		t.Errorf("a long error gives %d runes", utf8.RuneCountInString(got))
	}
}

// TestExplainReal asks servers that are none, as client-go meets them.
func TestExplainReal(t *testing.T) {
	list := func(t *testing.T, config *rest.Config) string {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		err = client.CoreV1().RESTClient().Get().Resource("nodes").MaxRetries(0).Do(t.Context()).Into(&corev1.NodeList{})
		if err == nil {
			t.Fatal("a server that is none gave a list")
		}
		return Explain(err)
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>please log in</html>")
	})
	t.Run("nobody listens", func(t *testing.T) {
		s := httptest.NewServer(page)
		s.Close()
		if got, want := list(t, &rest.Config{Host: s.URL}), "connection refused by "+strings.TrimPrefix(s.URL, "http://"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("a login portal", func(t *testing.T) {
		s := httptest.NewServer(page)
		defer s.Close()
		const want = "the answer is not one of a Kubernetes API server: check the server's URL in the kubeconfig"
		if got := list(t, &rest.Config{Host: s.URL}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("a certificate of nobody we know", func(t *testing.T) {
		s := httptest.NewUnstartedServer(page)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		defer s.Close()
		got := list(t, &rest.Config{Host: s.URL})
		if !strings.Contains(got, "signed by an unknown authority") {
			t.Error(got)
		}
	})
	t.Run("TLS to a plain server", func(t *testing.T) {
		s := httptest.NewServer(page)
		defer s.Close()
		host := strings.TrimPrefix(s.URL, "http://")
		if got, want := list(t, &rest.Config{Host: "https://" + host}), host+" does not speak TLS: check the server's URL in the kubeconfig"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
