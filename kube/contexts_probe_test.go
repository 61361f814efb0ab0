package kube

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mullion-tui/mullion/model"
)

func TestProbe(t *testing.T) {
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "https://login.example/")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const forbidden = `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Forbidden","message":"forbidden: no","code":403}`
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    model.Probe
	}{
		{"version", answer(200, "application/json", `{"gitVersion":"v1.37.2+k3s1"}`), model.Probe{OK: true, Version: "v1.37.2+k3s1"}},
		{"forbidden is an answer", answer(403, "application/json", forbidden), model.Probe{OK: true, Error: "forbidden"}},
		{"web page", answer(200, "text/html; charset=utf-8", "<html>"), model.Probe{Error: "not a Kubernetes API server: it answers 200 with text/html"}},
		{"web page that was not found", answer(404, "text/html", "<html>"), model.Probe{Error: "not a Kubernetes API server: it answers 404 with text/html"}},
		{"forbidden page of a gateway", answer(403, "text/html", "<html>"), model.Probe{Error: "not a Kubernetes API server: it answers 403 with text/html"}},
		{"other JSON", answer(200, "application/json", `{"a":1}`), model.Probe{Error: "not a Kubernetes API server: it answers 200 with application/json"}},
		{"login portal", answer(302, "text/html", ""), model.Probe{Error: "it redirects to https://login.example/ (302)"}},
		{"broken", answer(500, "text/plain", "no"), model.Probe{Error: "it answers 500 with text/plain"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := httptest.NewServer(tt.handler)
			defer ts.Close()
			file := writeFile(t, t.TempDir(), "config", oneContext("c", "c", ts.URL, "c", "t"))
			p := mustOpen(t, []string{file}, nil, "readOnly: true").Probe(t.Context(), "c")
			if p.OK != tt.want.OK || p.Version != tt.want.Version || !strings.Contains(p.Error, tt.want.Error) {
				t.Errorf("got  %+v\nwant %+v", p, tt.want)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		ts := httptest.NewServer(nil)
		ts.Close()
		file := writeFile(t, t.TempDir(), "config", oneContext("c", "c", ts.URL, "c", "t"))
		if p := mustOpen(t, []string{file}, nil, "").Probe(t.Context(), "c"); p.OK || !strings.Contains(p.Error, "refused") {
			t.Errorf("got %+v", p)
		}
	})
	t.Run("silent", func(t *testing.T) {
		held := make(chan struct{})
		asked := make(chan struct{})
		ts := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-held }))
		defer ts.Close()
		defer close(held)
		file := writeFile(t, t.TempDir(), "config", oneContext("c", "c", ts.URL, "c", "t"))
		c := mustOpen(t, []string{file}, nil, "")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		if p := c.Probe(ctx, "c"); p.OK || p.Error == "" {
			t.Errorf("got %+v", p)
		}
	})
}
