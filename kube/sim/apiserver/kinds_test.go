package apiserver

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestEveryKindInBothEncodings: what is stored of each kind comes back the same from get, list and watch, whether it is asked
// for in JSON or in protobuf. It holds the hand-made list and event messages to the decoders of client-go.
func TestEveryKindInBothEncodings(t *testing.T) {
	s, _ := start(t, Options{}, "")
	for _, res := range s.catalogue.rows {
		if res.is(reviewOnly | elsewhere) {
			continue
		}
		t.Run(res.gvk.Group+" "+res.gvk.Kind, func(t *testing.T) {
			base := "/apis/" + res.gvk.GroupVersion().String()
			if res.gvk.Group == "" {
				base = "/api/v1"
			}
			all := base + "/" + res.plural
			for _, name := range []string{"one", "two"} {
				loadOne(t, s, res, name)
			}
			one := all + "/one"
			if res.namespaced {
				one = base + "/namespaces/default/" + res.plural + "/one"
			}
			want := decoded(t, fetch(t, s, one, runtime.ContentTypeJSON))
			if m, err := meta.Accessor(want); err != nil || m.GetName() != "one" || m.GetLabels()["long"] == "" {
				t.Fatalf("get in JSON: %+v, %v", want, err)
			}
			if got := decoded(t, fetch(t, s, one, runtime.ContentTypeProtobuf)); !equality.Semantic.DeepEqual(got, want) {
				t.Errorf("get in protobuf: %+v, want %+v", got, want)
			}
			for _, contentType := range contentTypes {
				list := decoded(t, fetch(t, s, all+"?labelSelector=long", contentType))
				items, err := meta.ExtractList(list)
				if err != nil || len(items) != 2 {
					t.Fatalf("list in %s: %d items, %v", contentType, len(items), err)
				}
				if m, err := meta.ListAccessor(list); err != nil || m.GetResourceVersion() == "" {
					t.Errorf("list in %s has no version: %v", contentType, err)
				}
				sameObject(t, "list in "+contentType, items[0], want)
				sameObject(t, "watch in "+contentType, firstEvent(t, s, all+"?watch=true&labelSelector=long", contentType), want)
			}
		})
	}
}

// loadOne stores an object with metadata long enough to need more than one byte of length in protobuf.
func loadOne(t *testing.T, s *Server, res *resource, name string) {
	t.Helper()
	obj, err := res.newObject()
	if err != nil {
		t.Fatal(err)
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	m.SetName(name)
	m.SetLabels(map[string]string{"long": strings.Repeat("x", 63)})
	m.SetAnnotations(map[string]string{"a": strings.Repeat("ä", 200)})
	if res.namespaced {
		m.SetNamespace("default")
	}
	if err := s.Load(obj); err != nil {
		t.Fatal(err)
	}
}

func fetch(t *testing.T, s *Server, path, accept string) []byte {
	t.Helper()
	r := do(t, s, sent{method: "GET", path: path, header: map[string]string{"Accept": accept}})
	if r.code != http.StatusOK || r.header.Get("Content-Type") != accept {
		t.Fatalf("%s in %s: %d %s", path, accept, r.code, r.header.Get("Content-Type"))
	}
	return []byte(r.text)
}

func decoded(t *testing.T, b []byte) runtime.Object {
	t.Helper()
	obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(b, nil, nil)
	if err != nil {
		t.Fatalf("%v in %q", err, b[:min(len(b), 200)])
	}
	return obj
}

// sameObject compares all but the kind, which items of a list do not carry.
func sameObject(t *testing.T, where string, got, want runtime.Object) {
	t.Helper()
	got, want = got.DeepCopyObject(), want.DeepCopyObject()
	got.GetObjectKind().SetGroupVersionKind(gvk("", "", ""))
	want.GetObjectKind().SetGroupVersionKind(gvk("", "", ""))
	if !equality.Semantic.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", where, got, want)
	}
}

// firstEvent reads the first event of a watch from the wire.
func firstEvent(t *testing.T, s *Server, path, accept string) runtime.Object {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer admin")
	r.Header.Set("Accept", accept)
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var e metav1.WatchEvent
	if accept == runtime.ContentTypeProtobuf {
		var size uint32
		if err := binary.Read(resp.Body, binary.BigEndian, &size); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(resp.Body, b); err != nil {
			t.Fatal(err)
		}
		if err := e.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
	} else {
		var line bytes.Buffer
		for b := make([]byte, 1); b[0] != '\n'; {
			if _, err := resp.Body.Read(b); err != nil {
				t.Fatal(err)
			}
			line.Write(b)
		}
		info := jsonInfo()
		if _, _, err := info.StreamSerializer.Decode(line.Bytes(), nil, &e); err != nil {
			t.Fatal(err)
		}
	}
	if e.Type != "ADDED" {
		t.Errorf("the first event is %s", e.Type)
	}
	return decoded(t, e.Object.Raw)
}

func TestServerSideApplyIsRefusedClearly(t *testing.T) {
	_, c := start(t, Options{}, "")
	force := true
	_, err := c.CoreV1().Nodes().Patch(t.Context(), "n", types.ApplyPatchType, []byte("{}"), metav1.PatchOptions{FieldManager: "m", Force: &force})
	if err == nil || !strings.Contains(err.Error(), "accepted media types include: application/json-patch+json") {
		t.Errorf("apply: %v", err)
	}
}
