package conformance_test

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/conformance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSimulatedServerAnswersAsTheRealOne compares with what kube-apiserver 1.37.2, with its controllers, answered to the same
// table. The end-to-end tests compare with a running one; a change of the table is recorded there.
func TestSimulatedServerAnswersAsTheRealOne(t *testing.T) {
	want, err := os.ReadFile("testdata/kube-apiserver-1.37.2.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, tls := range []bool{false, true} {
		s, err := apiserver.New(apiserver.Options{TLS: tls})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		if err := s.Load(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conf"}}); err != nil {
			t.Fatal(err)
		}
		answers, err := conformance.Run(t.Context(), s.Config("admin"), "conf")
		if err != nil {
			t.Fatal(err)
		}
		compare(t, string(want), conformance.Format(answers))
	}
}

// compare reports every line that differs, with the step and the request above it.
func compare(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(w) != len(g) {
		t.Errorf("%d lines of answers, want %d", len(g), len(w))
	}
	step, request := "", ""
	for i := range min(len(w), len(g)) {
		switch {
		case strings.HasPrefix(g[i], "## "):
			step = g[i]
		case !strings.HasPrefix(g[i], " "):
			request = g[i]
		}
		if w[i] != g[i] {
			t.Errorf("%s\n%s\n got %s\nwant %s", step, request, g[i], w[i])
		}
	}
}
