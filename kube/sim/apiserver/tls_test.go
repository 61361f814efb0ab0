package apiserver

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"
)

func TestTLSIsCheckedWithTheServersOwnAuthority(t *testing.T) {
	s, err := New(Options{TLS: true, Users: map[string]Role{"operator": Everything()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	get := func(roots *x509.CertPool) (*http.Response, error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		return transport.RoundTrip(req)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CA()) {
		t.Fatalf("CA is not a certificate: %q", s.CA())
	}
	resp, err := get(roots)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
		t.Errorf("%s over HTTP/%d, want 200 over HTTP/2", resp.Status, resp.ProtoMajor)
	}
	if resp, err := get(x509.NewCertPool()); err == nil {
		resp.Body.Close()
		t.Error("a client that trusts nobody got an answer")
	}
}
