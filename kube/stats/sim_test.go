package stats

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
)

// cluster is a simulated API server with one Windows node, an exporter and whatever
// else a test needs. Its users are admin, and viewer, who may look at nodes alone.
func cluster(t *testing.T) (*apiserver.Server, kubernetes.Interface) {
	t.Helper()
	s, err := apiserver.New(apiserver.Options{Users: map[string]apiserver.Role{
		"admin":  apiserver.Everything(),
		"viewer": {Rules: []apiserver.Rule{{Verbs: []string{"get", "list"}, Groups: []string{""}, Resources: []string{"nodes"}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "win-1"}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.168.10.25"}}
	exporter := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "monitoring", Name: "windows-exporter-xxxxx"},
		Spec:       corev1.PodSpec{NodeName: "win-1", Containers: []corev1.Container{{Name: "windows-exporter", Image: "windows-exporter"}}},
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "monitoring"}}
	if err := s.Load(namespace, node, exporter); err != nil {
		t.Fatal(err)
	}
	return s, clientOf(t, s.Config("admin"))
}

func clientOf(t *testing.T, config *rest.Config) kubernetes.Interface {
	t.Helper()
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// says answers every request alike.
func says(code int, kind, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	})
}

func fixed() time.Time { return now }
