package apiserver

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// request is one HTTP request, taken apart.
type request struct {
	w     http.ResponseWriter
	r     *http.Request
	query url.Values
	user  user
	out   format

	res       *resource // nil for a path that is no resource
	verb      string
	namespace string
	name      string
	sub       string
	rest      string // what follows a proxy subresource, with its slash
	dryRun    bool
	now       time.Time // by the server's clock; ages in tables are counted to it
	code      int       // what was answered, for the audit log
}

// serve is the way of every request: who, what, allowed, done, written down.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.serving.add()
	defer s.serving.done()
	q := &request{w: w, r: r, query: r.URL.Query(), verb: strings.ToLower(r.Method), now: s.clock.Now()}
	defer s.note(q)
	defer q.survive()
	if err := s.handle(q); err != nil {
		q.fail(err)
	}
}

// survive turns a fault of the server into an answer, so that whoever sees it can report it.
func (q *request) survive() {
	switch p := recover(); p {
	case nil:
	case http.ErrAbortHandler:
		panic(p)
	default:
		q.fail(apierrors.NewInternalError(fmt.Errorf("the simulated API server failed at %s %s: %v", q.r.Method, q.r.URL.Path, p)))
	}
}

func (s *Server) handle(q *request) error {
	var err, noFormat error
	q.out, noFormat = negotiate(q.r)
	if q.user, err = s.identify(q.r); err != nil {
		return err
	}
	if served, err := s.servePlain(q); served || err != nil {
		return err
	}
	if err := s.resolve(q); err != nil {
		return err // before noFormat: what is not there is not there in any format
	}
	if noFormat != nil {
		return noFormat
	}
	if err := s.authorize(q); err != nil {
		return err
	}
	if s.readOnly && q.writes() {
		return apierrors.NewForbidden(q.res.groupResource(), q.name, errReadOnly)
	}
	return s.dispatch(q)
}

// resolve finds the resource, the names and the verb of the request, by the rules of apiserver's RequestInfo.
func (s *Server) resolve(q *request) error {
	parts := strings.Split(strings.Trim(q.r.URL.Path, "/"), "/")
	group, version := "", ""
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		group, version, parts = parts[1], parts[2], parts[3:]
	default:
		return errNoSuchPath
	}
	if parts[0] == "namespaces" && len(parts) > 1 {
		q.namespace = parts[1]
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			parts = parts[2:]
		}
	}
	q.res = s.catalogue.lookup(group, version, parts[0])
	if q.res == nil || (q.res.is(elsewhere) && s.metrics.Load() == nil) {
		q.res = nil
		return s.notServed(group, version)
	}
	if !q.res.namespaced && q.res.plural != "namespaces" && q.namespace != "" {
		return errNoSuchResource
	}
	if len(parts) > 1 {
		q.name = parts[1]
	}
	if len(parts) > 2 {
		q.sub = parts[2]
		if len(parts) > 3 && q.sub != "proxy" {
			return errNoSuchResource
		}
		q.rest = q.proxiedPath()
	}
	if err := q.chooseVerb(); err != nil {
		return err
	}
	return q.writeOptions()
}

// proxiedPath is what a proxied handler gets as its path: all after "/proxy", a trailing slash included.
func (q *request) proxiedPath() string {
	if q.sub != "proxy" {
		return ""
	}
	_, rest, _ := strings.Cut(q.r.URL.Path, "/"+q.name+"/proxy")
	if rest == "" {
		return "/"
	}
	return rest
}

func (q *request) chooseVerb() error {
	switch q.r.Method {
	case http.MethodGet, http.MethodHead:
		q.verb = "get"
		if q.name == "" {
			q.verb = "list"
			if isTrue(q.query.Get("watch")) {
				q.verb = "watch"
			}
			// A selector for one name asks about one object: roles that name objects apply to it.
			if fs, err := fields.ParseSelector(q.query.Get("fieldSelector")); err == nil {
				if name, ok := fs.RequiresExactMatch("metadata.name"); ok {
					q.name = name
				}
			}
		}
	case http.MethodPost:
		q.verb = "create"
	case http.MethodPut:
		q.verb = "update"
	case http.MethodPatch:
		q.verb = "patch"
	case http.MethodDelete:
		q.verb = "delete"
		if q.name == "" {
			q.verb = "deletecollection"
		}
	default:
		return errMethod()
	}
	return nil
}

// writeOptions checks dryRun; those of a delete may stand in the body and are checked with it.
func (q *request) writeOptions() error {
	asked := q.query["dryRun"]
	q.dryRun = len(asked) > 0
	kinds := map[string]string{"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
	kind := kinds[q.verb]
	if errs := metav1validation.ValidateDryRun(field.NewPath("dryRun"), asked); len(errs) > 0 && kind != "" {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
	}
	return nil
}

func isTrue(v string) bool { return v == "true" || v == "1" }

// writes says whether the request could change something. Reviews are questions, whatever their method.
func (q *request) writes() bool {
	switch q.verb {
	case "get", "list", "watch":
		return false
	}
	return !q.res.is(reviewOnly)
}

func (s *Server) dispatch(q *request) error {
	if q.sub != "" {
		sub, ok := q.res.sub(q.sub)
		if !ok {
			return errNoSuchResource
		}
		return s.dispatchSub(q, sub)
	}
	if q.res.is(elsewhere) {
		h := s.metrics.Load()
		if h == nil {
			return errNoSuchPath
		}
		return q.forward(*h, q.r.URL.Path, q.query)
	}
	if q.res.is(reviewOnly) {
		if q.verb != "create" {
			return errMethod()
		}
		return s.review(q)
	}
	switch q.verb {
	case "get":
		return s.getOne(q)
	case "list":
		return s.list(q)
	case "watch":
		return s.watch(q)
	case "create":
		if q.name != "" {
			return errMethod()
		}
		return s.create(q)
	case "delete":
		return s.deleteOne(q)
	case "deletecollection":
		return s.deleteCollection(q)
	}
	switch {
	case q.name == "":
		return errMethod()
	case q.verb == "update":
		return s.update(q)
	default:
		return s.patch(q)
	}
}

func (s *Server) dispatchSub(q *request, sub subresource) error {
	if q.sub == "proxy" {
		return s.proxy(q)
	}
	if !slices.Contains(sub.verbs, q.verb) {
		return errMethod()
	}
	switch {
	case q.sub == "eviction":
		return s.evict(q)
	case q.sub == "binding":
		return s.bind(q)
	case q.sub == "log":
		return s.podLog(q)
	case q.sub == "scale":
		return s.scale(q)
	case q.verb == "get":
		return s.getOne(q)
	case q.verb == "update":
		return s.update(q)
	default:
		return s.patch(q)
	}
}

// notServed tells an unknown resource from an unknown group or version, as the real server does.
func (s *Server) notServed(group, version string) error {
	if rows := s.catalogue.in(schema.GroupVersion{Group: group, Version: version}); len(rows) > 0 && !rows[0].is(elsewhere) {
		return errNoSuchResource
	}
	return errNoSuchPath
}

func errMethod() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusMethodNotAllowed,
		Reason: metav1.StatusReasonMethodNotAllowed, Message: "the server does not allow this method on the requested resource",
		Details: &metav1.StatusDetails{}}}
}
