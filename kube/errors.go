package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// maxWords bounds, in runes, every sentence and message that comes from outside.
const maxWords = 300

// Explain turns an error of client-go, of the network or of a credential plug-in
// into one sentence for the operator: what happened, and with whom. It never
// returns more than 300 runes, and "" for nil. The text may still hold what a
// server wrote, so screens clean it.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	for _, explain := range []func(error) string{
		explainPlugin, explainStatus, explainTLS, explainNetwork, explainNonsense,
	} {
		if words := explain(err); words != "" {
			return cut(words)
		}
	}
	return cut(oneLine(innermostURL(err).Error()))
}

// denied finds who was refused what in the message of an API server
// (apiserver's pkg/endpoints/handlers/responsewriters/errors.go).
var denied = regexp.MustCompile(`User "([^"]*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?`)

func explainStatus(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return ""
	}
	s := status.Status()
	switch {
	case apierrors.IsForbidden(err):
		m := denied.FindStringSubmatch(s.Message)
		if m == nil {
			return "forbidden: " + oneLine(s.Message)
		}
		what, where := m[3], ""
		if m[4] != "" {
			what += "." + m[4]
		}
		if m[5] != "" {
			where = " in namespace " + m[5]
		}
		return fmt.Sprintf("cannot %s %s%s: forbidden for user %q", m[2], what, where, m[1])
	case apierrors.IsUnauthorized(err):
		return "the API server refuses these credentials (401 Unauthorized): log in again, or use another user"
	case apierrors.IsNotFound(err) && (s.Details == nil || s.Details.Name == ""):
		return "the API server does not serve this (404 Not Found)"
	case apierrors.IsTooManyRequests(err):
		return "the API server is overloaded (429 Too Many Requests)"
	case apierrors.IsServiceUnavailable(err):
		return "the API server is not available (503 Service Unavailable)"
	case apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) && s.Code != 0:
		return fmt.Sprintf("the server answers %d without a Kubernetes status: %s", s.Code, oneLine(bodyOf(s)))
	}
	return oneLine(s.Message)
}

// bodyOf returns the raw text that client-go keeps of an answer which is no Status.
func bodyOf(s metav1.Status) string {
	for _, c := range s.Details.Causes {
		if c.Type == metav1.CauseTypeUnexpectedServerResponse && c.Message != "" {
			return c.Message
		}
	}
	return s.Message
}

var (
	pluginExit    = regexp.MustCompile(`exec: executable (.+?) failed with exit code (-?\d+)`)
	pluginMissing = regexp.MustCompile(`exec: executable (.+?) not found`)
	pluginOther   = regexp.MustCompile(`getting credentials: (?s:(.+))`)
)

// explainPlugin says what became of a credential plug-in, and "" where it is not to
// blame. client-go's exec authenticator gives its errors only as text
// (plugin/pkg/client/auth/exec/exec.go).
func explainPlugin(err error) string {
	if err == nil {
		return ""
	}
	if own := (*PluginError)(nil); errors.As(err, &own) {
		return own.Error()
	}
	text := err.Error()
	if m := pluginExit.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("credential plug-in %s failed: exit code %s", m[1], m[2])
	}
	if m := pluginMissing.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("credential plug-in %s is not installed, or not on the PATH", m[1])
	}
	if m := pluginOther.FindStringSubmatch(text); m != nil {
		return "credential plug-in failed: " + oneLine(strings.TrimPrefix(m[1], "exec: "))
	}
	return ""
}

// pluginFailed reports whether credentials are missing. Asking again soon is no use
// then, and many plug-ins open a browser each time.
func pluginFailed(err error) bool { return explainPlugin(err) != "" }

func explainTLS(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	at := serverOf(err)
	switch {
	case errors.As(err, &authority):
		return "the certificate of " + at + " is signed by an unknown authority: check certificate-authority in the kubeconfig"
	case errors.As(err, &host):
		return "the certificate of " + at + " is not for that name: " + oneLine(host.Error())
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of " + at + " is expired or not yet valid: check the clocks, renew the certificate"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return at + " does not speak TLS: check the server's URL in the kubeconfig"
	}
	if _, reason, ok := strings.Cut(err.Error(), "remote error: tls: "); ok {
		return at + " refuses the TLS connection: " + oneLine(reason)
	}
	return ""
}

func explainNetwork(err error) string {
	var (
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	at := serverOf(err)
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot find host %q", dns.Name)
	case errors.Is(err, errnoRefused):
		return "connection refused by " + at
	case errors.Is(err, errnoNoRoute), errors.Is(err, errnoNoNetwork):
		return "no route to " + at
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer from " + at + " in time"
	case errors.Is(err, errnoReset), errors.Is(err, errnoPipe), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return at + " closed the connection"
	}
	return ""
}

// strangeAnswer finds what client-go says of an answer in a format, or with a
// content, that it does not know (client-go rest/request.go).
var strangeAnswer = regexp.MustCompile(`serializer for \S+ doesn't exist|couldn't get version/kind; json parse error|cannot unmarshal .* into Go`)

// explainNonsense names answers that no Kubernetes API server gives, such as the
// page of a login portal.
func explainNonsense(err error) string {
	if runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) || runtime.IsMissingVersion(err) ||
		strangeAnswer.MatchString(err.Error()) {
		return "the answer is not one of a Kubernetes API server: check the server's URL in the kubeconfig"
	}
	return ""
}

// serverOf returns the host and port that err is about.
func serverOf(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		return op.Addr.String()
	}
	var request *url.Error
	if errors.As(err, &request) {
		if u, parseErr := url.Parse(request.URL); parseErr == nil && u.Host != "" {
			return u.Host
		}
	}
	return "the server"
}

// innermostURL leaves out the verb and the long URL that net/http puts in front.
func innermostURL(err error) error {
	var request *url.Error
	for errors.As(err, &request) && request.Err != nil {
		err = request.Err
	}
	return err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens what a cluster wrote to maxWords runes.
func cut(s string) string {
	if len(s) <= maxWords || utf8.RuneCountInString(s) <= maxWords {
		return s
	}
	end, count := 0, 0
	for end = range s {
		if count == maxWords-1 {
			break
		}
		count++
	}
	return s[:end] + "…"
}
