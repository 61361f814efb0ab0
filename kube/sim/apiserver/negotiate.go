package apiserver

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// format is an encoding that the server speaks.
type format struct {
	info      runtime.SerializerInfo
	discovery bool // the client wants aggregated discovery
	table     bool // the client wants rows to print and not objects
}

func (f format) proto() bool { return f.info.MediaType == runtime.ContentTypeProtobuf }

func (f format) json() bool { return f.info.MediaType == runtime.ContentTypeJSON }

// errNoSuchPath is answered in plain text, as the real server does; clients make their own words of it.
var errNoSuchPath = errors.New("404 page not found")

// errNoSuchResource is for a path under a group and version that are served.
var errNoSuchResource = &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound,
	Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource", Details: &metav1.StatusDetails{}}}

// words is an error in the very words of the real server, which clients show as they are and tools look for.
func words(format string, args ...any) error { return serverWords(fmt.Sprintf(format, args...)) }

type serverWords string

func (w serverWords) Error() string { return string(w) }

const maxBody = 3 << 20 // bytes, the real server's limit

// negotiate takes the first encoding of the Accept header that the server speaks; JSON when the client does not care.
func negotiate(r *http.Request) (format, error) {
	accept := r.Header.Get("Accept")
	if accept == "" {
		accept = "*/*"
	}
	for _, clause := range strings.Split(accept, ",") {
		mediaType, params, err := mime.ParseMediaType(strings.TrimSpace(clause))
		if err != nil {
			continue
		}
		if mediaType == "*/*" || mediaType == "application/*" {
			mediaType = runtime.ContentTypeJSON
		}
		info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
		if !ok || !speaks(mediaType) {
			continue
		}
		// Clients that ask for what is not offered, as bare metadata, name plain objects as their next choice.
		switch as, v := params["as"], params["v"]; {
		case as == "":
			return format{info: info}, nil
		case as == "APIGroupDiscoveryList" && v == "v2":
			return format{info: info, discovery: true}, nil
		case as == "Table" && v == "v1" && mediaType == runtime.ContentTypeJSON:
			return format{info: info, table: true}, nil
		}
	}
	return format{info: jsonInfo()}, notAcceptable("only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf")
}

func speaks(mediaType string) bool {
	return mediaType == runtime.ContentTypeJSON || mediaType == runtime.ContentTypeYAML || mediaType == runtime.ContentTypeProtobuf
}

func jsonInfo() runtime.SerializerInfo {
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	return info
}

func notAcceptable(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotAcceptable,
		Reason: "NotAcceptable", Message: message}}
}

func unsupportedMediaType(accepted ...string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType,
		Reason:  metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(accepted, ", ")}}
}

// send answers with an object of the given kind; obj may be written to.
func (q *request) send(code int, kind schema.GroupVersionKind, obj runtime.Object) error {
	obj.GetObjectKind().SetGroupVersionKind(kind)
	body, err := runtime.Encode(q.out.info.Serializer, obj)
	if err != nil {
		return fmt.Errorf("encode %s: %w", kind.Kind, err)
	}
	q.begin(code)
	_, err = q.w.Write(body)
	return err
}

// sendItem answers with a stored object, from its encoded form.
func (q *request) sendItem(code int, it *item) error {
	it, err := q.res.view(it)
	if err != nil {
		return err
	}
	if q.out.table {
		return q.sendTable(code, metav1.ListMeta{ResourceVersion: it.meta.GetResourceVersion()}, []*item{it})
	}
	body, err := envelope(q.out, q.res.gvk, it)
	if err != nil {
		return err
	}
	if q.out.info.MediaType == runtime.ContentTypeYAML {
		if body, err = yaml.JSONToYAML(body); err != nil {
			return fmt.Errorf("encode %s as YAML: %w", it.key, err)
		}
	}
	q.begin(code)
	_, err = q.w.Write(body)
	return err
}

func (q *request) begin(code int) {
	q.code = code
	q.w.Header().Set("Content-Type", q.out.info.MediaType)
	q.w.Header().Set("Cache-Control", "no-cache, private")
	q.w.WriteHeader(code)
}

// fail answers with the Status of an error. When an answer has begun already the connection is cut, so that a part of it
// is not taken for the whole; if it was the client that left, nobody notices.
func (q *request) fail(err error) {
	if q.code != 0 {
		panic(http.ErrAbortHandler)
	}
	if errors.Is(err, errNoSuchPath) {
		q.code = http.StatusNotFound
		http.Error(q.w, err.Error(), q.code)
		return
	}
	status := statusOf(err)
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		q.w.Header().Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	if q.out.info.Serializer == nil {
		q.out.info = jsonInfo()
	}
	_ = q.send(int(status.Code), statusKind, status)
}

func statusOf(err error) *metav1.Status {
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status := known.Status()
		return &status
	}
	return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
}

// internalPackage is what the real server calls a group in the words of its conversion errors.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// body reads the request's body whole.
func (q *request) body() ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(q.w, q.r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
		}
		return nil, apierrors.NewBadRequest(fmt.Sprintf("unable to read the body: %v", err))
	}
	return b, nil
}

// decode reads an object of the given kind from the request's body.
func (q *request) decode(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj, got, err := q.decodeBy(scheme.Codecs, kind, nil)
	if bad := (decodeError{}); errors.As(err, &bad) {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v",
			kind.Kind, kind.Version, kind.Kind, bad.error))
	}
	if err != nil {
		return nil, err
	}
	if got.GroupKind() != kind.GroupKind() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: converting (%s.%s) to (%s.%s): unknown conversion",
			got.Kind, got.Version, kind.Kind, got.Version, got.Kind, internalPackage(kind.Group), kind.Kind))
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

// decodeError is a body that is not what it should be; other errors of decodeBy have their Status already.
type decodeError struct{ error }

// decodeBy reads the body with the codecs, as the given kind where the body does not say, into `into` if that is not nil.
func (q *request) decodeBy(codecs serializer.CodecFactory, kind schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	b, err := q.body()
	if err != nil {
		return nil, nil, err
	}
	mediaType := runtime.ContentTypeJSON
	if h := q.r.Header.Get("Content-Type"); h != "" {
		if mediaType, _, err = mime.ParseMediaType(h); err != nil {
			mediaType = h
		}
	}
	info, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), mediaType)
	if !ok || !speaks(mediaType) {
		return nil, nil, unsupportedMediaType(runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf)
	}
	d := info.Serializer
	if q.query.Get("fieldValidation") == metav1.FieldValidationStrict && info.StrictSerializer != nil {
		d = info.StrictSerializer
	}
	obj, got, err := d.Decode(b, &kind, into)
	if err != nil {
		return nil, nil, decodeError{err}
	}
	return obj, got, nil
}
