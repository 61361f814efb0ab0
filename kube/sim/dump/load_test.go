package dump

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"win-1","creationTimestamp":"2026-11-06T20:16:41Z"},
		"status":{"nodeInfo":{"bootID":"11","kernelVersion":"10.0.26100.33438"},
		"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-11-07T10:04:05Z"}]}}`
	pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"demo"},"spec":{"nodeName":"win-1"}}`
)

func list(items ...string) string {
	return `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[` + strings.Join(items, ",") + `]}`
}

func read(texts ...string) (*Dump, error) {
	var sources []Source
	for i, text := range texts {
		sources = append(sources, Source{Name: fmt.Sprintf("f%d", i+1), Reader: strings.NewReader(text)})
	}
	return Read(sources...)
}

// names are the objects as "Kind namespace/name".
func names(d *Dump) string {
	var all []string
	for _, o := range d.Objects {
		m := o.(metav1.Object)
		kind := fmt.Sprintf("%T", o)
		all = append(all, kind[strings.LastIndex(kind, ".")+1:]+" "+m.GetNamespace()+"/"+m.GetName())
	}
	return strings.Join(all, ", ")
}

func TestReadForms(t *testing.T) {
	bare := strings.NewReplacer(`"apiVersion":"v1",`, "", `"kind":"Pod",`, "").Replace(pod)
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"one object", []string{node}, "Node /win-1"},
		{"a list of mixed kinds", []string{list(node, pod)}, "Node /win-1, Pod demo/web"},
		{"a list in a list", []string{list(list(node), pod)}, "Node /win-1, Pod demo/web"},
		{"several files", []string{node, pod}, "Node /win-1, Pod demo/web"},
		{"JSON one after the other", []string{node + "\n" + pod}, "Node /win-1, Pod demo/web"},
		{"a typed list, whose items do not repeat the kind", []string{`{"apiVersion":"v1","kind":"PodList","items":[` + bare + `]}`}, "Pod demo/web"},
		{"YAML documents, some of them empty", []string{"---\n# a note\n---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"}, "Node /a, Pod default/p"},
		{"a YAML list", []string{"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n"}, "Node /a"},
		{"an empty list beside a full one", []string{list(), node}, "Node /win-1"},
		{"Windows line ends", []string{"apiVersion: v1\r\nkind: Node\r\nmetadata:\r\n  name: a\r\n---\r\napiVersion: v1\r\nkind: Node\r\nmetadata:\r\n  name: b\r\n"}, "Node /a, Node /b"},
		{"an object with more fields than are known", []string{`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"spec":{"fromTheFuture":{"x":[1]}}}`}, "Node /a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := read(tt.files...)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(d); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			for _, o := range d.Objects {
				if kind := o.GetObjectKind().GroupVersionKind(); !kind.Empty() {
					t.Errorf("%T still says that it is a %s", o, kind)
				}
			}
		})
	}
}

// TestReadEncodings reads the same dump as each shell's redirection writes it.
func TestReadEncodings(t *testing.T) {
	text := strings.Replace(list(node, pod), `"name":"web"`, `"name":"web","annotations":{"note":"Grüße 漢字 🙂"}`, 1)
	wide := func(order binary.AppendByteOrder, mark bool) string {
		var out []byte
		if mark {
			out = order.AppendUint16(out, 0xfeff)
		}
		for _, u := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, u)
		}
		return string(out)
	}
	for name, data := range map[string]string{
		"UTF-8": text, "UTF-8 with a mark": "\xef\xbb\xbf" + text,
		"UTF-16 of Windows PowerShell": wide(binary.LittleEndian, true), "UTF-16 big endian": wide(binary.BigEndian, true),
		"UTF-16 without a mark": wide(binary.LittleEndian, false), "UTF-16 big endian without a mark": wide(binary.BigEndian, false),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Objects[1].(metav1.Object).GetAnnotations()["note"]; got != "Grüße 漢字 🙂" {
				t.Errorf("the annotation is %q", got)
			}
		})
	}
}

func TestReadOldVersions(t *testing.T) {
	d, err := read(list(
		`{"apiVersion":"node.k8s.io/v1beta1","kind":"RuntimeClass","metadata":{"name":"windows-2022"},"handler":"docker","scheduling":{"nodeSelector":{"a":"b"}}}`,
		`{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"web","namespace":"demo"},"spec":{"minAvailable":1}}`,
		`{"apiVersion":"extensions/v1beta1","kind":"DaemonSet","metadata":{"name":"ds","namespace":"demo"},"spec":{"template":{"metadata":{"labels":{"app":"ds"}}}}}`,
		`{"apiVersion":"apps/v1beta2","kind":"Deployment","metadata":{"name":"web","namespace":"demo"},"spec":{"template":{"metadata":{"labels":{"app":"web"}}}}}`,
		`{"apiVersion":"node.k8s.io/v1alpha1","kind":"RuntimeClass","metadata":{"name":"old"},"spec":{"runtimeHandler":"docker"}}`,
		`{"apiVersion":"traefik.io/v1alpha1","kind":"IngressRoute","metadata":{"name":"a","namespace":"demo"}}`,
		`{"apiVersion":"traefik.io/v1alpha1","kind":"IngressRoute","metadata":{"name":"b","namespace":"demo"}}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(d), "RuntimeClass /windows-2022, PodDisruptionBudget demo/web, DaemonSet demo/ds, Deployment demo/web"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := d.Objects[2].(*appsv1.DaemonSet).Spec.Selector; got == nil || got.MatchLabels["app"] != "ds" {
		t.Errorf("the selector of the old DaemonSet is %v, want its template's labels", got)
	}
	if got, want := fmt.Sprint(d.Skipped), "map[IngressRoute traefik.io/v1alpha1:2 RuntimeClass node.k8s.io/v1alpha1:1]"; got != want {
		t.Errorf("skipped %s, want %s", got, want)
	}
}

func TestReadNewest(t *testing.T) {
	later := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"demo","creationTimestamp":"2026-11-07T10:00:00Z",
		"deletionTimestamp":"2030-01-01T00:00:00Z","annotations":{"trick":"\"renewTime\":\"2031-01-01T00:00:00Z\""}}}`
	lease := `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"win-1","namespace":"kube-node-lease"},
		"spec":{"renewTime":"2026-11-07T10:04:09.123456Z"}}`
	d, err := read(list(node, later, lease))
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 11, 7, 10, 4, 9, 123456000, time.UTC); !d.Newest.Equal(want) {
		t.Errorf("newest %v, want the lease's %v", d.Newest, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  []string // in the error
	}{
		{"nothing", []string{""}, []string{"f1", "empty"}},
		{"only a mark", []string{"\xff\xfe"}, []string{"f1", "empty"}},
		{"an empty list", []string{list()}, []string{"no object", "kubectl get"}},
		{"only unknown kinds", []string{`{"apiVersion":"x.io/v1","kind":"Y","metadata":{"name":"a"}}`}, []string{"Y x.io/v1"}},
		{"truncated JSON", []string{node, list(node, pod)[:300]}, []string{"f2", "document 1", "truncated"}},
		{"truncated in the second document", []string{pod + "\n" + node[:50]}, []string{"f1", "document 2", "truncated"}},
		{"UTF-16 cut in a character", []string{"\xff\xfe{\x00}"}, []string{"f1", "UTF-16", "truncated"}},
		{"truncated YAML", []string{"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a"}, []string{"f1", "document 1", "line"}},
		{"a list that ends before its items", []string{`{"apiVersion":"v1","kind":"List"}`}, []string{"document 1", "items"}},
		{"a table", []string{"NAME   STATUS   ROLES\nwin-1  Ready    <none>\n"}, []string{"f1", "document 1", "-o json"}},
		{"an array", []string{"[" + node + "]"}, []string{"document 1", "-o json"}},
		{"not of Kubernetes", []string{`{"hello":"world"}`}, []string{"document 1", "not a Kubernetes object"}},
		{"a wrong type", []string{list(node, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"demo"},"spec":{"containers":"none"}}`)},
			[]string{"f1", "document 1, item 2 (Pod demo/web)", "containers"}},
		{"a wrong time", []string{`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","creationTimestamp":"yesterday"}}`}, []string{"Node a", "yesterday"}},
		{"a wrong quantity", []string{`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"capacity":{"cpu":"many"}}}`}, []string{"Node a", "quantit"}},
		{"an item that is no object", []string{list("7")}, []string{"document 1, item 1"}},
		{"a wrong kind of kind", []string{`{"apiVersion":"v1","kind":5}`}, []string{"document 1", "kind"}},
		{"no name", []string{`{"apiVersion":"v1","kind":"Node","metadata":{}}`}, []string{"document 1", "without a name"}},
		{"the same object twice", []string{list(pod), list(node, pod)}, []string{"f2", "document 1, item 2 (Pod demo/web)", "twice", "f1, document 1, item 1"}},
		{"lists without end", []string{list(list(list(list(list(list(node))))))}, []string{"nested"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.files...)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestLoadFiles(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "missing.json")); err == nil || !strings.Contains(err.Error(), "missing.json") {
		t.Errorf("a missing file: %v, want an error that names it", err)
	}
	d, err := Load("testdata/wmco_runtimeclass_and_workload.yaml", "testdata/eks_2020_pods_windows.json")
	if err != nil {
		t.Fatal(err)
	}
	want := "RuntimeClass /windows2019, Deployment default/win-webserver, Pod default/windows-server-iis-6c68545d57-gwtn9, " +
		"Pod default/dd-datadog-lbvkl"
	if got := names(d); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := "2020-04-24"; d.Newest.Format(time.DateOnly) < want {
		t.Errorf("newest %v, want a time from %s on", d.Newest, want)
	}
}

// FuzzRead: whatever is in a file, reading it ends with objects or with an error that names the file.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		node, list(node, pod), "\xff\xfe{\x00}\x00", "---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n", `{"apiVersion":"v1","kind":"PodList","items":[null]}`,
		`{"apiVersion":"v1","kind":"List","items":null}`, "{", "\x00{", "a: &a [*a]", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"\ud800"}}`,
	} {
		f.Add([]byte(seed))
	}
	for _, name := range []string{"wmco_runtimeclass_and_workload.yaml", "eks_2020_pods_windows.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := read(string(data))
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "read the dump"):
			t.Errorf("the error %q does not say what was tried", err)
		case err == nil && len(d.Objects) == 0:
			t.Error("no error and no objects")
		}
	})
}
