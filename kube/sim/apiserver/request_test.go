package apiserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// sent is one raw request of a test: what client-go would add (retries, throttling) is left out on purpose.
type sent struct {
	method, path, body string
	user               string // "admin" when empty
	header             map[string]string
}

// got is the raw answer; body is nil when it is not JSON.
type got struct {
	code   int
	header http.Header
	body   map[string]any
	text   string
}

func do(t *testing.T, s *Server, q sent) got {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), q.method, s.URL()+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	if q.user == "" {
		q.user = "admin"
	}
	if q.user != "-" {
		r.Header.Set("Authorization", "Bearer "+q.user)
	}
	for k, v := range q.header {
		r.Header.Set(k, v)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := got{code: resp.StatusCode, header: resp.Header, text: string(b)}
	_ = json.Unmarshal(b, &out.body) // text/plain is for the test to notice
	return out
}

// at follows a dotted path through maps and, by number, lists.
func (g got) at(path string) any {
	var v any = g.body
	for _, p := range strings.Split(path, ".") {
		switch t := v.(type) {
		case map[string]any:
			v = t[p]
		case []any:
			var i int
			if _, err := fmt.Sscan(p, &i); err != nil || i >= len(t) {
				return nil
			}
			v = t[i]
		default:
			return nil
		}
	}
	return v
}

func (g got) message() string { s, _ := g.at("message").(string); return s }

var (
	everyField = fields.Everything()
	everyLabel = labels.Everything()
)
