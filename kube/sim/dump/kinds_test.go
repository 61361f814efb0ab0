package dump

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
)

// TestKeptKindsAreServed: a dump never keeps what the server that shows it does not know.
func TestKeptKindsAreServed(t *testing.T) {
	server, err := apiserver.New(apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for from, k := range kinds {
		o, err := scheme.Scheme.New(k.gvk)
		if err != nil {
			t.Errorf("%s: %v", from, err)
			continue
		}
		o.(metav1.Object).SetName("x")
		if err := server.Load(o); err != nil {
			t.Errorf("%s: %v", from, err)
		}
	}
}
