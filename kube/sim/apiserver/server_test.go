package apiserver

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start makes a server that is closed with the test, and the admin's client, which speaks contentType.
func start(t *testing.T, o Options, contentType string) (*Server, *kubernetes.Clientset) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, client(t, s, "admin", contentType)
}

func client(t *testing.T, s *Server, user, contentType string) *kubernetes.Clientset {
	t.Helper()
	c := s.Config(user)
	c.ContentType = contentType
	if contentType != "" {
		c.AcceptContentTypes = contentType
	}
	return clientset(t, c)
}

func clientset(t *testing.T, c *rest.Config) *kubernetes.Clientset {
	t.Helper()
	h, err := rest.HTTPClientFor(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.CloseIdleConnections)
	cs, err := kubernetes.NewForConfigAndClient(c, h)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

var contentTypes = []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf}

func node(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/os": "linux"}}}
}

func pod(namespace, name, nodeName string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: nodeName, Containers: []corev1.Container{{Name: "c", Image: "img:1"}}},
	}
}

// within is the limit of waits that only a fault reaches.
const within = 30 * time.Second

func TestInformersFollowTheServer(t *testing.T) {
	t.Parallel()
	for _, contentType := range contentTypes {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel() // most of the time a client waits
			s, c := start(t, Options{}, contentType)
			if err := s.Load(node("a"), node("b"), pod("default", "p", "a")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			f := informers.NewSharedInformerFactory(c, 0)
			seen := make(chan string, 100)
			inf := f.Core().V1().Nodes().Informer()
			_, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc: func(o any) { seen <- "add " + o.(*corev1.Node).Name },
				UpdateFunc: func(old, o any) {
					if o.(*corev1.Node).ResourceVersion != old.(*corev1.Node).ResourceVersion { // not a relist
						seen <- "update " + o.(*corev1.Node).Name
					}
				},
				DeleteFunc: func(o any) { seen <- "delete " + o.(*corev1.Node).Name },
			})
			if err != nil {
				t.Fatal(err)
			}
			f.Start(ctx.Done())
			defer f.Shutdown()
			defer cancel()
			f.WaitForCacheSync(ctx.Done())
			expect := func(want string) {
				t.Helper()
				select {
				case got := <-seen:
					if got != want {
						t.Fatalf("saw %q, want %q", got, want)
					}
				case <-ctx.Done():
					t.Fatalf("did not see %q", want)
				}
			}
			if got := []string{<-seen, <-seen}; !slices.Contains(got, "add a") || !slices.Contains(got, "add b") {
				t.Fatalf("saw %q first, want a and b added", got)
			}
			if _, err := c.CoreV1().Nodes().Create(ctx, node("c"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			expect("add c")
			s.Stop()
			if err := s.Load(node("d")); err != nil {
				t.Fatal(err)
			}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			expect("add d")
			if err := c.CoreV1().Nodes().Delete(ctx, "b", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			expect("delete b")
		})
	}
}
