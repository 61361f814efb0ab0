package stats

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// maxAnswer bounds, in bytes, what is read of one answer, and maxText, in bytes, what
// is told of one that is an error.
const (
	maxAnswer = 64 << 20
	maxText   = 200
)

// AnswerError is what came back, instead of figures, from something behind the API
// server or beside it. It is apart from the API server's own errors: the 401 of a
// kubelet says nothing about the operator's credentials.
type AnswerError struct {
	Who  string // "the kubelet"
	Code int    // HTTP status; 0 is no answer at all
	Text string // what it said, shortened
}

func (e *AnswerError) Error() string {
	text := e.Text
	if text != "" {
		text = ": " + text
	}
	if e.Code == 0 {
		return e.Who + " cannot be reached" + text
	}
	return fmt.Sprintf("%s answers %d %s%s", e.Who, e.Code, http.StatusText(e.Code), text)
}

// unreachable begins what the API server says of a connection that it could not make
// (apimachinery util/proxy/transport.go).
const unreachable = "error trying to reach service: "

// throughProxy tells errors of the far end from those of the API server, which stay
// as they are.
func throughProxy(who string, err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	s := status.Status()
	if _, why, ok := strings.Cut(s.Message+farText(s), unreachable); ok {
		if strings.Contains(why, "tls: internal error") {
			why += " (it has no serving certificate: is a kubelet-serving CSR pending?)"
		}
		return &AnswerError{Who: who, Text: shorten(why)}
	}
	// A Service without endpoints, for example: the API server itself is there.
	if apierrors.IsServiceUnavailable(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return &AnswerError{Who: who, Text: shorten(s.Message)}
	}
	// An answer that is no Status does not come from an API server.
	if apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return &AnswerError{Who: who, Code: int(s.Code), Text: shorten(farText(s))}
	}
	return err
}

func farText(s metav1.Status) string {
	if s.Details == nil {
		return ""
	}
	for _, c := range s.Details.Causes {
		if c.Type == metav1.CauseTypeUnexpectedServerResponse {
			return c.Message
		}
	}
	return ""
}

func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// readAnswer returns the body also beside an error.
func readAnswer(who string, res *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", who, err)
	}
	if res.StatusCode != http.StatusOK {
		return body, &AnswerError{Who: who, Code: res.StatusCode, Text: shorten(string(body))}
	}
	return body, nil
}

// raw returns the body also beside an error, and the error as the API server put it:
// Raw alone leaves the Status undecoded.
func raw(r rest.Result) ([]byte, error) {
	body, err := r.Raw()
	if err != nil {
		err = r.Error()
	}
	return body, err
}
