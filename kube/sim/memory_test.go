package sim

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

func loaded(t *testing.T, name string) *simtest.Cluster {
	t.Helper()
	sc, err := scenario.Named(name, time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)) // simtest's clock
	if err != nil {
		t.Fatal(err)
	}
	return simtest.New(t, simtest.Options{Objects: sc.Objects, Profiles: sc.Profiles, NoControllers: true})
}

func get(h http.Handler, path string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Body.String()
}

func summary(t *testing.T, c *simtest.Cluster, node string) *stats.Summary {
	t.Helper()
	var s stats.Summary
	if err := json.Unmarshal([]byte(get(c.Fleet.Kubelet(node), "/stats/summary")), &s); err != nil {
		t.Fatalf("%s: %v", node, err)
	}
	return &s
}

// In the fleet one machine pages, one container leaks, and the kubelets of Server 2022 do not tell what containers commit.
func TestMemoryOfTheFleet(t *testing.T) {
	c := loaded(t, "fleet")
	paging := summary(t, c, "w25-03").Node
	if committed := *paging.Memory.UsageBytes; committed <= 32<<30 || committed >= 39<<30 {
		t.Errorf("w25-03 has committed %d MiB, with 32 GiB of memory and a limit of 40", committed>>20)
	}
	worker := func() uint64 {
		for _, p := range summary(t, c, "w25-06").Pods {
			if strings.HasPrefix(p.PodRef.Name, "worker-") {
				return *p.Containers[0].Memory.UsageBytes
			}
		}
		t.Fatal("no worker on w25-06")
		return 0
	}
	before := worker()
	c.Clock.Step(5 * time.Minute)
	if grown := int64(worker()-before) >> 20; grown < 60 || grown > 100 {
		t.Errorf("the worker leaked %d MiB in 5 minutes, want about 80", grown)
	}
	for _, p := range summary(t, c, "w22-01").Pods {
		if u := p.Containers[0].Memory.UsageBytes; u != nil {
			t.Errorf("w22-01 tells that %s has committed %d", p.PodRef.Name, *u)
		}
	}
}

// Every Windows node of the scenarios that has an exporter says the same on both pages.
func TestPagesOfTheScenariosAgree(t *testing.T) {
	for _, name := range []string{"lab", "fleet", "trouble"} {
		c := loaded(t, name)
		compared := 0
		for _, p := range c.Pods("monitoring", "") {
			h := c.Fleet.PodPort(p.Namespace, p.Name, 9182)
			if h == nil {
				continue
			}
			var s stats.Summary
			if json.Unmarshal([]byte(get(c.Fleet.Kubelet(p.Spec.NodeName), "/stats/summary")), &s) != nil {
				continue // its kubelet has a fault
			}
			compared++
			if want := sample(*s.Node.Memory.UsageBytes); !strings.Contains(get(h, "/metrics"), "windows_memory_committed_bytes "+want+"\n") {
				t.Errorf("%s: the exporter of %s does not say %s", name, p.Spec.NodeName, want)
			}
		}
		if compared == 0 {
			t.Errorf("%s: nothing was compared", name)
		}
	}
}

// sample writes a number as an exposition does.
func sample(n uint64) string { return strconv.FormatFloat(float64(n), 'g', -1, 64) }
