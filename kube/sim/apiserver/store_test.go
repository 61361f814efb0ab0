package apiserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"pgregory.net/rapid"
)

// TestWatchesAndSnapshotsAgree: whatever is written, in whatever order, a watch from any revision turns the state of that
// revision into the state of now, with and without a selector; and old states can be read as they were.
func TestWatchesAndSnapshotsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCatalogue()
		s := newStore(c)
		res := c.byKind[corev1.SchemeGroupVersion.WithKind("Pod")]
		var matchers []*matcher
		for _, q := range [][2]string{{"", ""}, {"side=left", ""}, {"", "spec.nodeName=n1"}, {"", "metadata.name=p1"}} {
			m, err := newMatcher(res, "", q[0], q[1])
			if err != nil {
				t.Fatal(err)
			}
			matchers = append(matchers, m)
		}
		type start struct {
			rev   uint64
			state []string
			m     *matcher
			w     *watcher
		}
		var starts []start
		for range rapid.IntRange(1, 40).Draw(t, "writes") {
			if rapid.IntRange(0, 3).Draw(t, "watch now") == 0 {
				m := rapid.SampledFrom(matchers).Draw(t, "matcher")
				w := newWatcher(m, false)
				items, rev := s.watchNow(res, w)
				starts = append(starts, start{rev, names(items), m, w})
			}
			write(t, s, res)
		}
		for _, st := range starts {
			tree, ok := s.snapshotAt(res, st.rev)
			if !ok {
				t.Fatalf("the state of %d is forgotten", st.rev)
			}
			if old := names(selectFrom(tree, st.m)); !slices.Equal(old, st.state) {
				t.Fatalf("the state of %d reads %v, was %v", st.rev, old, st.state)
			}
			late := newWatcher(st.m, false)
			if _, ok := s.watchSince(res, late, st.rev); !ok {
				t.Fatalf("no watch from %d", st.rev)
			}
			now, _ := s.snapshot(res)
			want := names(selectFrom(now, st.m))
			for _, w := range []*watcher{st.w, late} {
				if got := replay(t, st.state, w); !slices.Equal(got, want) {
					t.Fatalf("a watch of %q from %d ends with %v, want %v", st.m.fields, st.rev, got, want)
				}
			}
		}
	})
}

// write creates, changes or removes one of four pods.
func write(t *rapid.T, s *store, res *resource) {
	name := fmt.Sprint("p", rapid.IntRange(0, 3).Draw(t, "pod"))
	cur := s.get(res, objectKey("a", name))
	if cur != nil && rapid.Bool().Draw(t, "remove") {
		if _, ok := s.remove(res, cur); !ok {
			t.Fatal("not removed")
		}
		return
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}}
	p.Labels = map[string]string{"side": rapid.SampledFrom([]string{"left", "right"}).Draw(t, "side")}
	p.Spec.NodeName = rapid.SampledFrom([]string{"", "n1", "n2"}).Draw(t, "node")
	if _, ok, err := s.put(res, cur, p); err != nil || !ok {
		t.Fatal("not stored", err)
	}
}

func names(items []*item) []string {
	var out []string
	for _, it := range items {
		out = append(out, fmt.Sprint(it.key, "@", it.rev))
	}
	return out
}

// replay applies the events of a watch to a state and checks that they make sense: in order, nothing added twice.
func replay(t *rapid.T, state []string, w *watcher) []string {
	have := map[string]uint64{}
	for _, s := range state {
		key, rev, _ := strings.Cut(s, "@")
		var n uint64
		if _, err := fmt.Sscan(rev, &n); err != nil {
			t.Fatal(err)
		}
		have[key] = n
	}
	queue, _ := w.take()
	last := uint64(0)
	for _, n := range queue {
		_, known := have[n.item.key]
		if n.rev <= last || known == (n.kind == watch.Added) || fmt.Sprint(n.rev) != n.item.meta.GetResourceVersion() {
			t.Fatalf("%s %s@%d after %d, known before: %v", n.kind, n.item.key, n.rev, last, known)
		}
		last = n.rev
		if have[n.item.key] = n.rev; n.kind == watch.Deleted {
			delete(have, n.item.key)
		}
	}
	var out []string
	for key, rev := range have {
		out = append(out, fmt.Sprint(key, "@", rev))
	}
	slices.Sort(out)
	return out
}

// TestHistoryIsBounded: old changes are forgotten, and a watch that needs them is told so.
func TestHistoryIsBounded(t *testing.T) {
	c := newCatalogue()
	s := newStore(c)
	res := c.byKind[corev1.SchemeGroupVersion.WithKind("ConfigMap")]
	var cur *item
	for range 2*historyLimit + 10 {
		it, ok, err := s.put(res, cur, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "a"}})
		if err != nil || !ok {
			t.Fatal("not stored", err)
		}
		cur = it
	}
	w := newWatcher(&matcher{labels: labels.Everything(), fields: everyField}, false)
	oldest, ok := s.watchSince(res, w, 2)
	if ok {
		t.Fatal("the first change can still be watched")
	}
	if _, ok := s.watchSince(res, w, oldest); !ok {
		t.Errorf("revision %d was offered and is refused", oldest)
	}
}
