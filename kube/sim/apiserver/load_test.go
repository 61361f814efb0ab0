package apiserver

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func unstructuredOf(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

func TestLoadKeepsWhatIsGiven(t *testing.T) {
	s, c := start(t, Options{}, "")
	p := working("p", true)
	p.UID, p.CreationTimestamp = "given", metav1.NewTime(time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC))
	p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: time.Date(2025, 1, 2, 3, 5, 0, 0, time.UTC)}, []string{"example.test/f"}
	u := unstructuredOf("v1", "Node", "", "n")
	u.Object["status"] = map[string]any{"nodeInfo": map[string]any{"bootID": "42"}}
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*unstructuredOf("apps/v1", "DaemonSet", "shop", "d")}}
	list.SetAPIVersion("v1")
	list.SetKind("List")
	if err := s.Load(shop(), p, u, list, &corev1.NodeList{Items: []corev1.Node{*node("m")}}); err != nil {
		t.Fatal(err)
	}
	if u.GetUID() != "" || p.ResourceVersion != "" {
		t.Error("the caller's objects were changed")
	}
	got, err := c.CoreV1().Pods("shop").Get(t.Context(), "p", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.UID != "given" || !got.CreationTimestamp.Equal(&p.CreationTimestamp) || got.Status.Phase != corev1.PodRunning || got.DeletionTimestamp == nil {
		t.Errorf("the pod came out as %+v", got)
	}
	if len(got.Spec.Tolerations) > 0 {
		t.Error("admission has looked at what was loaded")
	}
	n, err := c.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
	if err != nil || n.Status.NodeInfo.BootID != "42" || n.UID == "" || len(n.Spec.Taints) > 0 {
		t.Errorf("the node came out as %+v, %v", n, err)
	}
	uid := n.UID
	if err := s.Load(u); err != nil {
		t.Fatal(err)
	}
	if n, err = c.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{}); err != nil || n.UID != uid {
		t.Errorf("loaded again the node's UID is %s, was %s: %v", n.UID, uid, err)
	}
	if _, err := c.AppsV1().DaemonSets("shop").Get(t.Context(), "d", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil || len(nodes.Items) != 2 {
		t.Errorf("%d nodes, want n and m: %v", len(nodes.Items), err)
	}
}

func TestLoadOfWhatIsNotServed(t *testing.T) {
	s, _ := start(t, Options{}, "")
	strange := []runtime.Object{unstructuredOf("example.test/v1", "Thing", "a", "x"), unstructuredOf("example.test/v1", "Thing", "a", "y"),
		unstructuredOf("v1", "Node", "", "n")}
	if err := s.Load(strange...); err == nil || !strings.Contains(err.Error(), "example.test/v1, Kind=Thing") {
		t.Errorf("Load: %v", err)
	}
	got, err := s.LoadKnown(strange...)
	if err != nil || got.Stored != 1 || !slices.Equal(got.Skipped, []string{"example.test/v1, Thing (2)"}) {
		t.Errorf("LoadKnown: %+v, %v", got, err)
	}
	broken := unstructuredOf("v1", "Node", "", "broken")
	broken.Object["spec"] = "no map"
	nameless := unstructuredOf("v1", "Node", "", "")
	for _, o := range []runtime.Object{broken, nameless} {
		if _, err := s.LoadKnown(o); err == nil {
			t.Errorf("%v was loaded", o)
		}
	}
}
