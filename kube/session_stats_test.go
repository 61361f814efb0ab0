package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mullion-tui/mullion/kube/sim"
	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
)

// live starts a scenario with its kubelets, for one test.
func live(t *testing.T, name string) *sim.Cluster {
	t.Helper()
	sc, err := scenario.Named(name, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c, err := sim.Start(t.Context(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// measured reports whether every node was asked once.
func measured(s *model.Snapshot) bool {
	for _, v := range s.Nodes() {
		if v.Usage == nil {
			return false
		}
	}
	return all(model.FeedSynced)(s) && len(s.Nodes()) > 0
}

func lookAtAll(t *testing.T, s *Session) *model.Snapshot {
	t.Helper()
	snap := until(t, s, "all feeds are synced", all(model.FeedSynced))
	var names []string
	for _, v := range snap.Nodes() {
		names = append(names, v.Name)
	}
	s.Look(names)
	return until(t, s, "figures, or the reason why there are none, of every node", measured)
}

// Each example of the scenario trouble is found, on the object that is named for it.
func TestMemoryFindingsOfTrouble(t *testing.T) {
	c := live(t, "trouble")
	snap := lookAtAll(t, openOn(t, c.Server().Config("admin")))
	found := map[string][]string{}
	for _, f := range new(findings.Book).Find(findings.World{Snapshot: snap, Now: time.Now()}) {
		found[f.ID] = append(found[f.ID], f.Object.Name)
	}
	for id, want := range map[string][]string{
		"F07": {"f07-no-limit-"}, "F08": {"f08-request-below-limit-"}, "F09": {"w25-full", "f09-container-"},
		"F10": {"w25-full", "lin-2"}, "F11": {"w25-tight"},
	} {
		for _, name := range want {
			if !strings.Contains(strings.Join(found[id], "\n"), name) {
				t.Errorf("%s names %v, want %s among them", id, found[id], name)
			}
		}
	}
	for _, id := range []string{"F09", "F11"} {
		for _, name := range found[id] {
			if strings.HasPrefix(name, "w25-good") || strings.HasPrefix(name, "f09-leak") {
				t.Errorf("%s names %s, which is well for ten minutes", id, name)
			}
		}
	}
}

// The lab as the articles left it: it keeps 500 MiB for the system, and three containers
// may take more than the scheduler counts.
func TestMemoryFindingsOfTheLab(t *testing.T) {
	c := live(t, "lab")
	snap := lookAtAll(t, openOn(t, c.Server().Config("admin")))
	var got []string
	for _, f := range new(findings.Book).Find(findings.World{Snapshot: snap, Now: time.Now()}) {
		if slices.Contains([]string{"F07", "F08", "F09", "F10", "F11"}, f.ID) {
			got = append(got, f.ID+" "+f.Object.Name+": "+f.Evidence)
		}
	}
	want := []string{
		"F11 k8s-lab-win-1: 500 MiB of 8191 MiB are kept for the system",
		"F08 aspnetapp-769559d8ff-dkp9z: container aspnetapp requests 128 MiB and is limited to 512 MiB",
		"F08 aspnetapp-769559d8ff-vk445: container aspnetapp requests 128 MiB and is limited to 512 MiB",
		"F08 reports-writer-67b96b59b-g9wrq: container writer requests 64 MiB and is limited to 128 MiB",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// The Prometheus of the config file gets none of the cluster's credentials.
func TestSessionAsksThePrometheusOfTheConfigFile(t *testing.T) {
	server := serve(t, apiserver.Options{TLS: true})
	createNode(t, admin(t, server), "win-1")
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the cluster's token went to the Prometheus")
		}
		at := time.Now().Unix()
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[
			{"metric":{"__name__":"windows_memory_committed_bytes","node":"win-1"},"values":[[%d,"300"]]},
			{"metric":{"__name__":"windows_memory_commit_limit","node":"win-1"},"values":[[%d,"1000"]]}]}}`, at, at)
	}))
	t.Cleanup(prometheus.Close)
	s, err := Open(Target{Info: model.SessionInfo{Context: "c"}, Config: server.Config("admin"), Prometheus: prometheus.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	snap := until(t, s, "the node's commit", func(s *model.Snapshot) bool { return len(s.Nodes()) == 1 && s.Nodes()[0].Memory().Used.Known() })
	if m := snap.Nodes()[0].Memory(); m.Used.Source != model.FromPrometheus || m.Used.Value != 300 || m.Limit != 1000 {
		t.Errorf("%+v", m)
	}
}
