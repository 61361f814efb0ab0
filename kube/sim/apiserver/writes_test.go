package apiserver

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// TestGraceRunsFromTheFirstDelete follows the deletion time of one pod while it is made shorter.
func TestGraceRunsFromTheFirstDelete(t *testing.T) {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := clocktesting.NewFakeClock(begin)
	s, c := start(t, Options{Clock: clock}, "")
	p := working("p", true)
	p.Spec.TerminationGracePeriodSeconds = ptr.To[int64](100)
	if err := s.Load(shop(), p); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration // since the step before
		grace *int64
		until time.Duration // since begin; 0: the pod is gone
		left  int64
	}{
		{0, nil, 100 * time.Second, 100},
		{10 * time.Second, nil, 100 * time.Second, 100},
		{0, ptr.To[int64](200), 100 * time.Second, 100},
		{0, ptr.To[int64](60), 60 * time.Second, 60},
		{30 * time.Second, ptr.To[int64](5), 40 * time.Second, 1}, // five seconds of the first delete are over: now, but gracefully
		{0, ptr.To[int64](0), 0, 0},
	} {
		clock.Step(step.after)
		if err := c.CoreV1().Pods("shop").Delete(t.Context(), "p", metav1.DeleteOptions{GracePeriodSeconds: step.grace}); err != nil {
			t.Fatal(err)
		}
		got, err := c.CoreV1().Pods("shop").Get(t.Context(), "p", metav1.GetOptions{})
		if step.until == 0 {
			if !apierrors.IsNotFound(err) {
				t.Errorf("after a delete without grace: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if at := got.DeletionTimestamp.Sub(begin); at != step.until || *got.DeletionGracePeriodSeconds != step.left {
			t.Errorf("grace %v: until %v with %d s, want %v with %d s", step.grace, at, *got.DeletionGracePeriodSeconds, step.until, step.left)
		}
	}
}

// TestConcurrentWritersLoseNothing: patches are repeated by the server when they collide, updates are refused.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	s, c := start(t, Options{}, "")
	if err := s.Load(node("n")); err != nil {
		t.Fatal(err)
	}
	const writers, writes = 8, 10
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range writes {
				body := fmt.Sprintf(`{"metadata":{"labels":{"w%d-%d":"x"}}}`, w, i)
				if _, err := c.CoreV1().Nodes().Patch(t.Context(), "n", types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	n, err := c.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
	if err != nil || len(n.Labels) != writers*writes+1 {
		t.Errorf("%d labels, want %d: %v", len(n.Labels), writers*writes+1, err)
	}
	stale := n.DeepCopy()
	n.Labels["a"] = "b"
	if _, err := c.CoreV1().Nodes().Update(t.Context(), n, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CoreV1().Nodes().Update(t.Context(), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of a stale object: %v", err)
	}
}

// TestPriorityComesFromTheClass is not in the conformance table, because the real server sees a new class a moment late.
func TestPriorityComesFromTheClass(t *testing.T) {
	s, c := start(t, Options{}, "")
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 7, PreemptionPolicy: ptr.To(corev1.PreemptNever)}
	if err := s.Load(shop(), class); err != nil {
		t.Fatal(err)
	}
	p := pod("shop", "p", "")
	p.Spec.PriorityClassName = "high"
	p, err := c.CoreV1().Pods("shop").Create(t.Context(), p, metav1.CreateOptions{})
	if err != nil || *p.Spec.Priority != 7 || *p.Spec.PreemptionPolicy != corev1.PreemptNever {
		t.Errorf("%+v, %v", p.Spec, err)
	}
}

func TestYAMLAndStrangeFormats(t *testing.T) {
	s, _ := start(t, Options{}, "")
	if err := s.Load(node("n")); err != nil {
		t.Fatal(err)
	}
	asYAML := map[string]string{"Accept": "application/yaml"}
	for path, field := range map[string]string{"/api/v1/nodes/n": "metadata:\n", "/api/v1/nodes": "items:\n", "/api/v1/nodes/none": "reason: NotFound\n"} {
		r := do(t, s, sent{method: "GET", path: path, header: asYAML})
		var o map[string]any
		if err := yaml.Unmarshal([]byte(r.text), &o); err != nil || !strings.Contains(r.text, field) || r.header.Get("Content-Type") != "application/yaml" {
			t.Errorf("%s: %v\n%s", path, err, r.text)
		}
	}
	created := do(t, s, sent{method: "POST", path: "/api/v1/nodes", body: "kind: Node\napiVersion: v1\nmetadata:\n  name: yy\n",
		header: map[string]string{"Content-Type": "application/yaml"}})
	if created.code != 201 {
		t.Error(created.text)
	}
	if r := do(t, s, sent{method: "GET", path: "/api/v1/nodes", header: map[string]string{"Accept": "text/html"}}); r.code != 406 {
		t.Errorf("text/html: %d %s", r.code, r.text)
	}
	if r := do(t, s, sent{method: "POST", path: "/api/v1/nodes", body: "<node/>", header: map[string]string{"Content-Type": "text/xml"}}); r.code != 415 {
		t.Errorf("text/xml: %d %s", r.code, r.text)
	}
	// Whoever asks for bare metadata takes the objects.
	bare := "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
	if r := do(t, s, sent{method: "GET", path: "/api/v1/nodes", header: map[string]string{"Accept": bare}}); r.at("kind") != "NodeList" {
		t.Errorf("bare metadata: %s", r.text)
	}
	for _, body := range []string{"", "{", `{"kind":"Node","apiVersion":"v1","metadata":{"name":3}}`, "\x00\xff"} {
		if r := do(t, s, sent{method: "POST", path: "/api/v1/nodes", body: body}); r.code != 400 && r.code != 422 {
			t.Errorf("body %q: %d %s", body, r.code, r.text)
		}
	}
	unknown := `{"kind":"Node","apiVersion":"v1","metadata":{"name":"z"},"spec":{"nosuch":1}}`
	if r := do(t, s, sent{method: "POST", path: "/api/v1/nodes?fieldValidation=Strict", body: unknown}); r.code != 400 || !strings.Contains(r.message(), `unknown field "spec.nosuch"`) {
		t.Errorf("strict: %d %s", r.code, r.text)
	}
}

// TestEventsInTwoGroups: one store, two forms, in lists, watches and writes.
func TestEventsInTwoGroups(t *testing.T) {
	for _, contentType := range contentTypes {
		t.Run(contentType, func(t *testing.T) {
			_, c := start(t, Options{}, contentType)
			w, err := c.EventsV1().Events("").Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			e := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "default"}, InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "n"},
				Reason: "Rebooted", Message: "m", Count: 3, Series: &corev1.EventSeries{Count: 2}}
			if _, err := c.CoreV1().Events("default").Create(t.Context(), e, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			expectEvents(t, w, "ADDED e")
			l, err := c.EventsV1().Events("default").List(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=n"})
			if err != nil || len(l.Items) != 1 || l.Items[0].Note != "m" || l.Items[0].Regarding.Name != "n" || l.Items[0].DeprecatedCount != 3 || l.Items[0].Series.Count != 2 {
				t.Fatalf("%+v, %v", l, err)
			}
			l.Items[0].Note = "changed"
			if _, err := c.EventsV1().Events("default").Update(t.Context(), &l.Items[0], metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if e, err = c.CoreV1().Events("default").Get(t.Context(), "e", metav1.GetOptions{}); err != nil || e.Message != "changed" {
				t.Errorf("%+v, %v", e, err)
			}
			expectEvents(t, w, "MODIFIED e")
		})
	}
}

// TestSameRequestsSameNames: two servers that are asked the same make the same UIDs and names, so goldens can show them.
func TestSameRequestsSameNames(t *testing.T) {
	make := func() string {
		_, c := start(t, Options{}, "")
		var out []string
		for range 3 {
			n, err := c.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-"}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, n.Name, string(n.UID))
		}
		return strings.Join(out, " ")
	}
	if a, b := make(), make(); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}
