package apiserver

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// stream writes watch events to one client, in its encoding.
type stream struct {
	q       *request
	w       *bufio.Writer
	flusher http.Flusher
	scratch []byte
	defined bool // a table of this watch has named its columns
}

// watch serves a watch until the client leaves, its time is over, it falls behind, or the server stops.
func (s *Server) watch(q *request) error {
	o, err := q.listOptions()
	if err != nil {
		return err
	}
	m, err := q.matcher()
	if err != nil {
		return err
	}
	since, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return err
	}
	w := newWatcher(m, o.AllowWatchBookmarks)
	defer s.store.unwatch(q.res, w)
	// Before the answer begins: a client that has it may rely on seeing what it does next.
	items, rev, refusal := s.attach(q.res, w, o, since)
	st, err := q.openStream()
	if err != nil {
		return err
	}
	if refusal != nil {
		return st.failure(refusal)
	}
	if wantsInitial(o) {
		if err := st.initial(items, rev, o.AllowWatchBookmarks); err != nil {
			return err
		}
	}
	return st.follow(w, o.TimeoutSeconds)
}

func wantsInitial(o *metainternalversion.ListOptions) bool {
	return o.SendInitialEvents != nil && *o.SendInitialEvents
}

// attach lets the watcher see what happens from now on, or since a revision. It returns what is there now, for a watch that
// begins with that, or why there can be no such watch.
func (s *Server) attach(r *resource, w *watcher, o *metainternalversion.ListOptions, since uint64) ([]*item, uint64, error) {
	if now := s.store.revision(); wantsInitial(o) && since > now {
		return nil, 0, tooLargeVersion(since, now)
	}
	if wantsInitial(o) || since == 0 {
		items, rev := s.store.watchNow(r, w)
		return items, rev, nil
	}
	if oldest, ok := s.store.watchSince(r, w, since); !ok {
		return nil, 0, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", since, oldest))
	}
	return nil, since, nil
}

// initial sends what was there when the watch began, and a mark at its end for a client that takes bookmarks.
func (st *stream) initial(items []*item, rev uint64, mark bool) error {
	for _, it := range items {
		if err := st.event(notice{kind: watch.Added, item: it}); err != nil {
			return err
		}
	}
	if mark {
		if err := st.bookmark(rev, true); err != nil {
			return err
		}
	}
	return st.flush()
}

func (q *request) openStream() (*stream, error) {
	flusher, ok := q.w.(http.Flusher)
	if !ok {
		return nil, apierrors.NewInternalError(fmt.Errorf("unable to start watch: the connection cannot be flushed"))
	}
	if !q.out.json() && !q.out.proto() {
		return nil, notAcceptable("only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
	}
	contentType := q.out.info.MediaType
	if q.out.proto() {
		contentType += ";stream=watch"
	}
	q.code = http.StatusOK
	q.w.Header().Set("Content-Type", contentType)
	q.w.Header().Set("Cache-Control", "no-cache, private")
	q.w.WriteHeader(http.StatusOK)
	flusher.Flush()
	return &stream{q: q, w: bufio.NewWriterSize(q.w, 1<<15), flusher: flusher}, nil
}

// follow sends what the watcher collects.
func (st *stream) follow(w *watcher, timeoutSeconds *int64) error {
	var timeout <-chan time.Time
	if timeoutSeconds != nil && *timeoutSeconds > 0 {
		t := time.NewTimer(time.Duration(*timeoutSeconds) * time.Second)
		defer t.Stop()
		timeout = t.C
	}
	for {
		select {
		case <-st.q.r.Context().Done():
			return nil
		case <-timeout:
			return nil
		case <-w.wake:
		}
		queue, ok := w.take()
		for _, n := range queue {
			if err := st.event(n); err != nil {
				return err
			}
		}
		if err := st.flush(); err != nil || !ok {
			return err
		}
	}
}

func (st *stream) flush() error {
	if err := st.w.Flush(); err != nil {
		return err
	}
	st.flusher.Flush()
	return nil
}

func (st *stream) event(n notice) error {
	if n.item == nil {
		return st.bookmark(n.rev, false)
	}
	it, err := st.q.res.view(n.item)
	if err != nil {
		return err
	}
	if st.q.out.table {
		if it, err = st.tableEvent(it); err != nil {
			return err
		}
		return st.write(n.kind, tableKind, it)
	}
	return st.write(n.kind, st.q.res.gvk, it)
}

// bookmark sends an empty object that carries a revision; atEnd marks the end of the initial events.
func (st *stream) bookmark(rev uint64, atEnd bool) error {
	obj, err := st.q.res.newObject()
	if err != nil {
		return err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	m.SetResourceVersion(strconv.FormatUint(rev, 10))
	if atEnd {
		m.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	it, err := newItem(obj, rev)
	if err != nil {
		return err
	}
	return st.write(watch.Bookmark, st.q.res.gvk, it)
}

// failure ends a watch with an error event: by then the answer is already 200.
func (st *stream) failure(err error) error {
	it := &item{key: "Status", obj: statusOf(err)}
	if err := st.write(watch.Error, statusKind, it); err != nil {
		return err
	}
	return st.flush()
}

func (st *stream) write(kind watch.EventType, gvk schema.GroupVersionKind, it *item) error {
	if st.q.out.proto() {
		return st.writeProto(kind, gvk, it)
	}
	raw, err := it.encodedJSON()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(st.w, `{"type":%q,"object":%s`, kind, kindPrefix(gvk)) // a bufio.Writer keeps its first error
	_, _ = st.w.Write(raw[1:])
	_, err = st.w.WriteString("}\n")
	return err
}

// writeProto frames a WatchEvent (type in field 1, object in field 2 as a RawExtension) by its length in four bytes.
func (st *stream) writeProto(kind watch.EventType, gvk schema.GroupVersionKind, it *item) error {
	raw, err := it.encodedProto()
	if err != nil {
		return err
	}
	object, err := protoEnvelope(gvk, raw)
	if err != nil {
		return err
	}
	b := append(st.scratch[:0], 0, 0, 0, 0)
	b = appendField(b, 1, []byte(kind))
	b = append(b, 2<<3|2)
	b = binary.AppendUvarint(b, uint64(fieldSize(len(object))))
	b = appendField(b, 1, object)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	st.scratch = b
	_, err = st.w.Write(b)
	return err
}
