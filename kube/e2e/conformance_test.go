//go:build e2e && linux

package e2e_test

import (
	"testing"

	"github.com/aymanbagabas/go-udiff"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/conformance"
)

// TestSimulatedServerAnswersAsTheRealOne sends one table of requests to both.
func TestSimulatedServerAnswersAsTheRealOne(t *testing.T) {
	simulated, err := apiserver.New(apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(simulated.Close)
	if err := simulated.Load(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}}); err != nil {
		t.Fatal(err)
	}
	config, err := plane.Config("admin", cluster.AdminGroup)
	if err != nil {
		t.Fatal(err)
	}
	got := answers(t, simulated.Config("admin"), "conformance")
	want := answers(t, config, namespace(t, admin(t)))
	if len(got) != len(want) {
		t.Errorf("the simulated server got through %d steps, the real one through %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		t.Run(want[i].Step, func(t *testing.T) {
			if diff := udiff.Unified("simulated", "real", got[i].Got, want[i].Got); diff != "" {
				t.Errorf("the answers differ:\n%s", diff)
			}
		})
	}
}

// answers runs the table on one server.
func answers(t *testing.T, config *rest.Config, namespace string) []conformance.Answer {
	t.Helper()
	out, err := conformance.Run(t.Context(), config, namespace)
	if err != nil {
		t.Error(err)
	}
	if len(out) == 0 {
		t.Fatal("no step was carried out")
	}
	return out
}
