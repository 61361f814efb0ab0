package fleet_test

import (
	"bytes"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

// moving is the lab with everything in motion; hello-win leaks towards a limit of 256 MiB.
func moving(t *testing.T, leak int64, edit func(*fleet.Profile)) *simtest.Cluster {
	t.Helper()
	exporter := simtest.HostDaemonSet("windows-exporter", "windows")
	exporter.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 9182}}
	hello := simtest.Deployment("hello-win", "windows", 1)
	hello.Spec.Template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")}
	p := fleet.Profile{
		Memory:     fleet.Memory{Physical: 8192 * mib, PageFile: 2048 * mib, SystemCommit: 2000 * mib, SystemWorkingSet: 1000 * mib, Noise: 0.02},
		Containers: map[string]fleet.ContainerMemory{"default/hello-win/main": {Commit: 98 * mib, WorkingSet: 42 * mib, Leak: leak}},
	}
	if edit != nil {
		edit(&p)
	}
	return windowsNode(t, p, exporter, hello)
}

// seen is what both pages say at one moment.
type seen struct{ commit, limit, workingSet, hello, helloSet int64 }

// look reads both pages and proves that they agree.
func look(t *testing.T, c *simtest.Cluster) seen {
	t.Helper()
	s := summaryOf(t, c, "/stats/summary?only_cpu_and_memory=true")
	global := s.Node.SystemContainers[1].Memory
	out := seen{commit: int64(*global.UsageBytes), limit: int64(*global.UsageBytes + *global.AvailableBytes), workingSet: int64(*s.Node.Memory.WorkingSetBytes)}
	if c := containerOf(s, "default"); c != nil {
		out.helloSet = int64(*c.Memory.WorkingSetBytes)
		if c.Memory.UsageBytes != nil {
			out.hello = int64(*c.Memory.UsageBytes)
		}
	}
	page := ask(c.Fleet.PodPort("kube-system", c.Pods("kube-system", "app=windows-exporter")[0].Name, 9182), "/metrics").Body.Bytes()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	metrics, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	must(t, err)
	for family, want := range map[string]int64{"windows_memory_committed_bytes": out.commit, "windows_memory_commit_limit": out.limit} {
		if got := int64(gauge(metrics[family], "")); got != want {
			t.Errorf("%s is %d, the summary says %d", family, got, want)
		}
	}
	commit := int64(gauge(metrics["windows_container_memory_usage_commit_bytes"], "hello-win"))
	if out.hello == 0 {
		out.hello = max(0, commit)
	}
	if set := int64(gauge(metrics["windows_container_memory_usage_private_working_set_bytes"], "hello-win")); commit > 0 && (commit != out.hello || set != out.helloSet) {
		t.Errorf("the exporter says %d and %d of hello-win, the summary %d and %d", commit, set, out.hello, out.helloSet)
	}
	return out
}

func containerOf(s stats.Summary, namespace string) *stats.ContainerStats {
	for _, p := range s.Pods {
		if p.PodRef.Namespace == namespace {
			return &p.Containers[0]
		}
	}
	return nil
}

func TestFiguresWaver(t *testing.T) {
	c := moving(t, 0, nil)
	differ := map[int64]bool{}
	for range 40 {
		s := look(t, c)
		differ[s.commit] = true
		if off := math.Abs(float64(s.hello)/(98*mib) - 1); off > 0.02 {
			t.Errorf("hello-win is off by %.3f", off)
		}
		if s.limit != 10240*mib {
			t.Errorf("the limit moves: %d", s.limit)
		}
		c.Clock.Step(15 * time.Second)
		c.Settle()
	}
	if len(differ) < 30 {
		t.Errorf("only %d different figures in 40", len(differ))
	}
}

// Without the feature gate the summary has no commit of containers, and the exporter still has it.
func TestSummaryWithoutContainerCommit(t *testing.T) {
	c := moving(t, 0, func(p *fleet.Profile) { p.Memory.NoContainerCommit = true })
	if u := containerOf(summaryOf(t, c, "/stats/summary"), "default").Memory.UsageBytes; u != nil {
		t.Errorf("usageBytes %d", *u)
	}
	if s := look(t, c); s.hello < 90*mib {
		t.Errorf("the exporter says %d", s.hello)
	}
}

// 158 MiB are left to the limit; at 10 MiB a minute an allocation fails after 15.8 minutes. Nobody kills the container: it
// ends with its own code, the kubelet starts it again, and it begins anew.
func TestLeakEndsInAFailedAllocation(t *testing.T) {
	c := moving(t, 10*mib, func(p *fleet.Profile) { p.Memory.Noise = 0 })
	hello := func() corev1.ContainerStatus { return c.Pods("default", "")[0].Status.ContainerStatuses[0] }
	before, firstID := look(t, c), hello().ContainerID
	for range 10 {
		c.Clock.Step(30 * time.Second)
		c.Settle()
	}
	if grown := look(t, c).hello - before.hello; grown != 50*mib {
		t.Errorf("leaked %d in 5 minutes", grown)
	}
	coarse(t, c, "an allocation that fails", func() bool { return hello().State.Waiting != nil })
	st := hello()
	if end := st.LastTerminationState.Terminated; end == nil || end.ExitCode != 2 || end.Reason != "Error" || st.State.Waiting.Reason != "CrashLoopBackOff" || st.Ready {
		t.Errorf("status %+v", st)
	}
	if s := look(t, c); s.hello != 0 {
		t.Errorf("a container that does not run uses %d", s.hello)
	}
	c.Until(time.Minute, "the next start", func() bool { return hello().State.Running != nil })
	st = hello()
	if st.RestartCount != 1 || st.ContainerID == firstID || !st.Ready || st.LastTerminationState.Terminated.ExitCode != 2 {
		t.Errorf("status %+v", st)
	}
	if s := look(t, c); s.hello != 98*mib {
		t.Errorf("it begins anew with %d", s.hello)
	}
	coarse(t, c, "the next failure", func() bool { return hello().State.Waiting != nil })
	if got := c.Events("BackOff"); len(got) != 1 || got[0].Count != 2 {
		t.Errorf("events %+v", got)
	}
}

// coarse steps are shorter than what makes a node silent, and there are few of them.
func coarse(t *testing.T, c *simtest.Cluster, what string, is func() bool) {
	t.Helper()
	for range 40 {
		if is() {
			return
		}
		c.Clock.Step(30 * time.Second)
		c.Settle()
	}
	t.Fatalf("%s: not within 20 minutes", what)
}

func TestLeakEndsWithItsPod(t *testing.T) {
	c := moving(t, 10*mib, nil)
	p := c.Pods("default", "")[0]
	must(t, c.Client.AppsV1().Deployments("default").Delete(c.Context(), "hello-win", deleteOptions))
	must(t, c.Client.CoreV1().Pods("default").Delete(c.Context(), p.Name, deleteOptions))
	for range 40 {
		c.Clock.Step(30 * time.Second)
		c.Settle()
	}
	if pods := c.Pods("default", ""); len(pods) != 0 {
		t.Errorf("%d pods are left", len(pods))
	}
	if got := c.Events("BackOff"); len(got) != 0 {
		t.Errorf("a pod that is gone backs off: %+v", got)
	}
}

// A machine that commits more than its memory pages: what is in memory fits there, and the commit stays under its limit.
func TestPaging(t *testing.T) {
	for _, commit := range []int64{9000 * mib, 20000 * mib} {
		c := moving(t, 0, func(p *fleet.Profile) { p.Memory.SystemCommit, p.Memory.SystemWorkingSet = commit, 8500*mib })
		s := look(t, c)
		if s.commit <= 8192*mib || s.commit > s.limit {
			t.Errorf("commit %d of %d", s.commit/mib, s.limit/mib)
		}
		if s.workingSet >= 8192*mib || s.helloSet >= 42*mib*98/100 {
			t.Errorf("in memory %d MiB, of hello-win %d bytes", s.workingSet/mib, s.helloSet)
		}
	}
}

func TestKubeletFaults(t *testing.T) {
	for fault, want := range map[fleet.Fault]struct {
		code int
		text string
	}{
		fleet.FaultUnauthorized: {401, "Unauthorized"}, fleet.FaultForbidden: {403, "Forbidden (user="}, fleet.FaultNotFound: {404, "404 page"},
		fleet.FaultInternal: {500, "failed to list pod stats"}, fleet.FaultTLS: {503, "tls: internal error"},
		fleet.FaultNothing: {200, ""}, fleet.FaultHTML: {200, "<html>"},
	} {
		c := windowsNode(t, fleet.Profile{StatsFault: fault})
		w := ask(c.Fleet.Kubelet("win-1"), "/stats/summary")
		if w.Code != want.code || !strings.Contains(w.Body.String(), want.text) || fault == fleet.FaultNothing && w.Body.Len() > 0 {
			t.Errorf("%s: %d %s", fault, w.Code, w.Body)
		}
		if w := ask(c.Fleet.Kubelet("win-1"), "/healthz"); w.Code != http.StatusOK {
			t.Errorf("%s: healthz %d", fault, w.Code)
		}
	}
}
