package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"k8s.io/client-go/kubernetes"
)

// bench is what a step works with, and where it says what it was answered.
type bench struct {
	http      *http.Client
	base      *url.URL
	client    *kubernetes.Clientset
	namespace string
	said      strings.Builder
	blanks    []string // values that differ between servers, each followed by what stands for it
}

// blank makes every later mention of the value read as word.
func (b *bench) blank(value, word string) { b.blanks = append(b.blanks, value, word) }

// placeholder stands for the namespace in what is sent and in what is said, so that runs in different ones can be compared.
const placeholder = "{ns}"

// call is one request. In path and body, {ns} stands for the namespace of the run.
type call struct {
	method, path string
	contentType  string // JSON when empty
	body         string
	user         string // to impersonate; nobody when empty
}

// reply is what came back; body is nil when it is not JSON.
type reply struct {
	code       int
	retryAfter string
	body       map[string]any
}

const (
	jsonPatch      = "application/json-patch+json"
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
)

func (b *bench) do(ctx context.Context, c call) (reply, error) {
	target := strings.TrimSuffix(b.base.String(), "/") + strings.ReplaceAll(c.path, placeholder, b.namespace)
	body := strings.ReplaceAll(c.body, placeholder, b.namespace)
	req, err := http.NewRequestWithContext(ctx, c.method, target, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Accept", "application/json")
	if body != "" {
		req.Header.Set("Content-Type", cmp.Or(c.contentType, "application/json"))
	}
	if c.user != "" {
		req.Header.Set("Impersonate-User", strings.ReplaceAll(c.user, placeholder, b.namespace))
	}
	resp, err := b.http.Do(req)
	if err != nil {
		return reply{}, fmt.Errorf("%s %s: %w", c.method, c.path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, fmt.Errorf("%s %s: read the answer: %w", c.method, c.path, err)
	}
	out := reply{code: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After")}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&out.body); err != nil {
		out.body = nil
	}
	return out, nil
}

// ask sends the call and says what came back: a Status whole, of an object the fields that are named.
func (b *bench) ask(ctx context.Context, c call, fields ...string) error {
	r, err := b.do(ctx, c)
	if err != nil {
		return err
	}
	who := ""
	if c.user != "" {
		who = " as " + c.user
	}
	b.say("%s %s%s", c.method, c.path, who)
	b.say("  %s", r.describe(fields))
	return nil
}

// need is for the preparations of a step: anything but success is a fault.
func (b *bench) need(ctx context.Context, c call) (reply, error) {
	r, err := b.do(ctx, c)
	if err == nil && (r.code < 200 || r.code > 299) {
		err = fmt.Errorf("%s %s: %s", c.method, c.path, r.describe(nil))
	}
	return r, err
}

func (b *bench) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	name := regexp.MustCompile(`\b` + regexp.QuoteMeta(b.namespace) + `\b`)
	line = name.ReplaceAllString(line, placeholder)
	b.said.WriteString(strings.NewReplacer(b.blanks...).Replace(line) + "\n")
}

func (r reply) describe(fields []string) string {
	if r.body == nil {
		return fmt.Sprint(r.code)
	}
	if r.body["kind"] == "Status" {
		return fmt.Sprintf("%d %s", r.code, r.status())
	}
	out := []string{fmt.Sprintf("%d %v %v", r.code, r.body["apiVersion"], r.body["kind"])}
	for _, f := range fields {
		out = append(out, fmt.Sprintf("%s=%s", f, asText(pick(r.body, f))))
	}
	return strings.Join(out, " ")
}

// status is all of a Status that a client can act on.
func (r reply) status() string {
	out := []string{fmt.Sprintf("%v/%v %v", r.body["apiVersion"], r.body["kind"], r.body["status"])}
	for _, f := range []string{"reason", "code", "message", "details.group", "details.kind", "details.name", "details.retryAfterSeconds", "details.causes"} {
		if v := pick(r.body, f); v != nil {
			out = append(out, fmt.Sprintf("%s=%s", f, firstLine(asText(v))))
		}
	}
	if r.retryAfter != "" {
		out = append(out, "Retry-After: "+r.retryAfter)
	}
	return strings.Join(out, " ")
}

// details are lines after the first in some messages: a difference of two specs in Go's words, which no client reads.
var details = regexp.MustCompile(`(\\n[^"\\]*(\\.[^"\\]*)*)"`)

func firstLine(text string) string { return details.ReplaceAllString(text, `"`) }

// pick follows a dotted path; in a list it collects the field of every element.
func pick(v any, path string) any {
	if path == "" {
		return v
	}
	head, rest, _ := strings.Cut(path, ".")
	switch t := v.(type) {
	case map[string]any:
		next, ok := t[head]
		if !ok {
			return nil
		}
		return pick(next, rest)
	case []any:
		out := make([]any, 0, len(t))
		for _, e := range t {
			out = append(out, pick(e, path))
		}
		return out
	}
	return nil
}

func asText(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
