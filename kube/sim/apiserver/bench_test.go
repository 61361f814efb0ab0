package apiserver

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// large is a server with as many pods, ten to a node.
func large(b *testing.B, pods int) *Server {
	b.Helper()
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	var objects []runtime.Object
	for i := range pods {
		p := working(fmt.Sprintf("pod-%06d", i), true)
		p.Spec.NodeName = fmt.Sprintf("node-%05d", i/10)
		p.Labels["pod-template-hash"] = fmt.Sprint(i % 977)
		objects = append(objects, p)
	}
	if err := s.Load(objects...); err != nil {
		b.Fatal(err)
	}
	return s
}

func listAll(b *testing.B, s *Server, accept string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.URL()+"/api/v1/pods", nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer admin")
	r.Header.Set("Accept", accept)
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(n)
}

// BenchmarkList is a list of 50,000 pods as an informer asks for it.
func BenchmarkList(b *testing.B) {
	s := large(b, 50_000)
	for _, accept := range contentTypes {
		b.Run(accept, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				listAll(b, s, accept)
			}
		})
	}
}

// BenchmarkWriteUnderWatches is one pod write while 5,000 kubelets watch their own pods and ten clients watch all.
func BenchmarkWriteUnderWatches(b *testing.B) {
	s := large(b, 50_000)
	res := s.catalogue.byKind[corev1.SchemeGroupVersion.WithKind("Pod")]
	var all []*watcher
	for i := range 5_010 {
		selector := fmt.Sprintf("spec.nodeName=node-%05d", i)
		if i >= 5_000 {
			selector = ""
		}
		m, err := newMatcher(res, "", "", selector)
		if err != nil {
			b.Fatal(err)
		}
		w := newWatcher(m, false)
		s.store.watchNow(res, w)
		all = append(all, w)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		cur := s.store.get(res, objectKey("shop", fmt.Sprintf("pod-%06d", i%50_000)))
		p := shallow(cur.obj).(*corev1.Pod)
		p.Status.StartTime = &metav1.Time{}
		if _, _, err := s.store.put(res, cur, p); err != nil {
			b.Fatal(err)
		}
		if i%1000 == 0 {
			for _, w := range all[5_000:] {
				w.take()
			}
		}
	}
}
