package stats

import (
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// badAnswers are what something on the far side of a proxy may say instead of figures.
var badAnswers = []struct {
	name    string
	handler http.Handler
	summary string // what is told of it where a summary was asked for
	page    string // and where a metrics page was
}{
	{"401", says(401, "text/plain", "Unauthorized"), "the kubelet answers 401 Unauthorized: Unauthorized", "pod monitoring/windows-exporter-xxxxx answers 401 Unauthorized: Unauthorized"},
	{"403", says(403, "text/plain", "Forbidden (user=kube-apiserver, verb=get, resource=nodes, subresource=stats)"), "the kubelet answers 403 Forbidden: Forbidden (user=kube-apiserver, verb=get", "answers 403 Forbidden"},
	{"404", says(404, "text/plain", "404 page not found"), "the kubelet answers 404 Not Found: 404 page not found", "answers 404 Not Found"},
	{"500", says(500, "text/plain", "Internal Error: failed to list pod stats"), "the kubelet answers 500 Internal Server Error: Internal Error: failed to list pod stats", "answers 500 Internal Server Error"},
	{"503 with a page", says(503, "text/html", "<html><h1>busy</h1></html>"), "the kubelet answers 503 Service Unavailable: <html><h1>busy</h1></html>", "answers 503"},
	{"nothing", says(200, "application/json", ""), "the answer is not a summary: unexpected end of JSON input", ""},
	{"HTML", says(200, "text/html", "<html><body>log in</body></html>"), "the answer is not a summary: invalid character '<'", "the answer is not a metrics page"},
	{"half an answer", says(200, "application/json", `{"node":{"nodeName":"win-1","mem`), "the answer is not a summary: unexpected end of JSON input", "the answer is not a metrics page"},
	{"no connection", nil, "the kubelet cannot be reached: dial tcp 192.168.10.25:10250: connect: connection refused", "pod monitoring/windows-exporter-xxxxx cannot be reached: dial tcp"},
}

// Each costs the figures of that node, and says whose fault it is: none of them is
// the API server's, and none means that the operator lacks a right.
func TestFarEndsThatAnswerNonsense(t *testing.T) {
	s, client := cluster(t)
	core := client.CoreV1().RESTClient()
	for _, c := range badAnswers {
		t.Run(c.name, func(t *testing.T) {
			s.SetKubelets(func(string) http.Handler { return c.handler })
			s.SetPodPorts(func(string, string, int) http.Handler { return c.handler })
			_, err := Summary{Client: core, Now: fixed}.Node(t.Context(), windowsNode(), true)
			told(t, "summary", err, c.summary)
			u, err := Exporter{Client: core, Now: fixed}.Node(t.Context(), windowsNode(), true)
			if c.page == "" { // an empty page is a page
				if err != nil || u.Commit.Known() {
					t.Errorf("exporter: %+v, %v", u, err)
				}
				return
			}
			told(t, "exporter", err, c.page)
		})
	}
}

func told(t *testing.T, source string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", source, err, want)
	}
	if wide(err) || apierrors.IsUnauthorized(err) {
		t.Errorf("%s: %v is taken for an answer of the API server", source, err)
	}
}

func TestMissingRightConcernsEveryNode(t *testing.T) {
	s, _ := cluster(t)
	core := clientOf(t, s.Config("viewer")).CoreV1().RESTClient()
	for _, source := range []Source{Summary{core, fixed}, Exporter{core, fixed}, &Prometheus{Client: core, Now: fixed}} {
		if _, err := source.Node(t.Context(), windowsNode(), false); !apierrors.IsForbidden(err) || !wide(err) {
			t.Errorf("%s: error %v", source.Source(), err)
		}
	}
}

func TestPendingServingCertificateIsNamed(t *testing.T) {
	err := throughProxy("the kubelet", apierrors.NewServiceUnavailable("error trying to reach service: remote error: tls: internal error"))
	if want := "is a kubelet-serving CSR pending?"; !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
