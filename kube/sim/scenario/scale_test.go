package scenario

import (
	"reflect"
	"testing"
)

// TestScaleHasWhatWasAskedFor also runs every consistency check on generated clusters, see eachScenario.
func TestScaleHasWhatWasAskedFor(t *testing.T) {
	for _, tt := range []struct{ nodes, pods int }{{1, 0}, {1, 3}, {3, 50}, {50, 500}, {120, 300}} {
		sc, err := Scale(tt.nodes, tt.pods, testNow)
		if err != nil {
			t.Fatal(err)
		}
		c := index(t, sc)
		if len(c.nodes) != tt.nodes || len(c.pods) != tt.pods {
			t.Errorf("Scale(%d, %d): %d nodes, %d pods", tt.nodes, tt.pods, len(c.nodes), len(c.pods))
		}
	}
	sc, err := Scale(100, 1000, testNow)
	if err != nil {
		t.Fatal(err)
	}
	windows := map[string]int{}
	for _, n := range index(t, sc).nodes {
		windows[n.Labels["node.kubernetes.io/windows-build"]]++
	}
	if want := map[string]int{"": 60, "10.0.26100": 20, "10.0.20348": 10, "10.0.17763": 10}; !reflect.DeepEqual(windows, want) {
		t.Errorf("nodes by Windows build %v, want %v", windows, want)
	}
	again, err := Scale(100, 1000, testNow)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sc, again) {
		t.Error("two clusters of the same size differ")
	}
	if _, err := Scale(1, 1000, testNow); err == nil {
		t.Error("1,000 pods on one node: no error")
	}
}

func BenchmarkScale(b *testing.B) {
	for b.Loop() {
		if _, err := Scale(5000, 50000, testNow); err != nil {
			b.Fatal(err)
		}
	}
}
