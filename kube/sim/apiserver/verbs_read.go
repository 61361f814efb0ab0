package apiserver

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/btree"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalversionscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metainternalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

func (s *Server) getOne(q *request) error {
	it := s.store.get(q.res, q.key())
	if it == nil {
		return q.notFound()
	}
	return q.sendItem(http.StatusOK, it)
}

// key is the place of the request's object on its shelf. Namespaces are named, not in themselves.
func (q *request) key() string {
	if !q.res.namespaced {
		return objectKey("", q.name)
	}
	return objectKey(q.namespace, q.name)
}

func (q *request) notFound() error { return apierrors.NewNotFound(q.res.groupResource(), q.name) }

// listOptions parses and checks the query, defaults included, with the code of the real server.
func (q *request) listOptions() (*metainternalversion.ListOptions, error) {
	var o metainternalversion.ListOptions
	if err := metainternalversionscheme.ParameterCodec.DecodeParameters(q.query, metav1.SchemeGroupVersion, &o); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	metainternalversion.SetListOptionsDefaults(&o, true)
	if errs := metainternalvalidation.ValidateListOptions(&o, true); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	return &o, nil
}

func (q *request) matcher() (*matcher, error) {
	ns := q.namespace
	if !q.res.namespaced {
		ns = ""
	}
	return newMatcher(q.res, ns, q.query.Get("labelSelector"), q.query.Get("fieldSelector"))
}

// pageMark is a continue token: where the next page starts, and the revision that all pages show.
type pageMark struct {
	Version string `json:"v"`
	Rev     uint64 `json:"rv"`
	After   string `json:"start"`
}

func (s *Server) list(q *request) error {
	o, err := q.listOptions()
	if err != nil {
		return err
	}
	m, err := q.matcher()
	if err != nil {
		return err
	}
	tree, rev, after, err := s.listSource(q, o)
	if err != nil {
		return err
	}
	items, more := page(tree, m, after, int(o.Limit))
	head := metav1.ListMeta{ResourceVersion: strconv.FormatUint(rev, 10)}
	if more > 0 {
		token, err := json.Marshal(pageMark{"meta.k8s.io/v1", rev, items[len(items)-1].key})
		if err != nil {
			return fmt.Errorf("make a continue token: %w", err)
		}
		head.Continue = base64.RawURLEncoding.EncodeToString(token)
		if m.labels.Empty() && m.fields.Empty() {
			head.RemainingItemCount = &more
		}
	}
	return q.sendList(head, items)
}

// listSource is the state that the list shows: now, an exact revision, or that of the first page.
func (s *Server) listSource(q *request, o *metainternalversion.ListOptions) (*btree.BTreeG[*item], uint64, string, error) {
	if o.Continue != "" {
		return s.continued(q, o.Continue)
	}
	want, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return nil, 0, "", apierrors.NewBadRequest("invalid resource version: " + err.Error())
	}
	if now := s.store.revision(); want > now {
		return nil, 0, "", tooLargeVersion(want, now)
	}
	if o.ResourceVersionMatch == metav1.ResourceVersionMatchExact {
		tree, ok := s.store.snapshotAt(q.res, want)
		if !ok {
			return nil, 0, "", apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
		}
		return tree, want, "", nil
	}
	tree, rev := s.store.snapshot(q.res)
	return tree, rev, "", nil
}

func (s *Server) continued(q *request, token string) (*btree.BTreeG[*item], uint64, string, error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	var mark pageMark
	if err == nil {
		err = json.Unmarshal(b, &mark)
	}
	if err != nil || mark.Rev == 0 {
		return nil, 0, "", apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: continue key is not valid: %v", err))
	}
	tree, ok := s.store.snapshotAt(q.res, mark.Rev)
	if !ok {
		return nil, 0, "", apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. " +
			"You can start a new list without the continue parameter.")
	}
	return tree, mark.Rev, mark.After, nil
}

func parseVersion(v string) (uint64, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, field.Invalid(field.NewPath("resourceVersion"), v, err.Error())
	}
	return n, nil
}

// tooLargeVersion is told to a client that has seen more than this server knows, as after a restore from a backup.
func tooLargeVersion(want, now uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", want, now), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}

// page collects what m matches after the given key, at most limit (0: all), and counts what is left.
func page(tree *btree.BTreeG[*item], m *matcher, after string, limit int) (items []*item, more int64) {
	visit := func(it *item) bool {
		if it.key == after || !m.matches(it) {
			return true
		}
		if limit > 0 && len(items) == limit {
			more++
			return true
		}
		items = append(items, it)
		return true
	}
	if after == "" {
		tree.Ascend(visit)
	} else {
		tree.AscendGreaterOrEqual(&item{key: after}, visit)
	}
	return items, more
}

func selectFrom(tree *btree.BTreeG[*item], m *matcher) []*item {
	items, _ := page(tree, m, "", 0)
	return items
}

func (q *request) sendList(head metav1.ListMeta, items []*item) error {
	items, err := q.res.viewAll(items)
	if err != nil {
		return err
	}
	if q.out.table {
		return q.sendTable(http.StatusOK, head, items)
	}
	if q.out.info.MediaType == runtime.ContentTypeYAML {
		var b bytes.Buffer
		if err := writeList(&b, q.out, q.res.listKind(), head, items); err != nil {
			return err
		}
		y, err := yaml.JSONToYAML(b.Bytes())
		if err != nil {
			return fmt.Errorf("encode %s as YAML: %w", q.res.listKind().Kind, err)
		}
		q.begin(http.StatusOK)
		_, err = q.w.Write(y)
		return err
	}
	q.begin(http.StatusOK)
	w := bufio.NewWriterSize(q.w, 1<<16)
	if err := writeList(w, q.out, q.res.listKind(), head, items); err != nil {
		return err
	}
	return w.Flush()
}
