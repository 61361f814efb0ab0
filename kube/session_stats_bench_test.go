//go:build unix

package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/model"
)

// BenchmarkPolling watches a session read the memory of 500 Windows nodes for a
// minute, 40 of them on screen: requests a second to kubelets and exporters, and the
// CPU and memory of the whole process, in which the API server is simulated. Where
// the kubelets tell the commit of containers, exporters are asked for what is on
// screen alone.
func BenchmarkPolling(b *testing.B) {
	for _, kubeletsTell := range []bool{true, false} {
		b.Run(fmt.Sprintf("kubeletsTellContainers=%v", kubeletsTell), func(b *testing.B) {
			for range b.N {
				poll(b, kubeletsTell)
			}
		})
	}
}

const (
	polledNodes = 1250 // two in five are Windows
	polledPods  = 12500
	polledFor   = time.Minute
)

func poll(b *testing.B, kubeletsTell bool) {
	server, windows, asked := polledCluster(b, kubeletsTell)
	defer server.Close()
	before := liveHeap()
	s, err := Open(Target{Config: server.Config("admin")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.Look(windows[:40])
	begin := time.Now()
	awaitUsage(b, s, windows)
	b.ReportMetric(time.Since(begin).Seconds(), "s-to-all")
	cpu, start, requests := processCPU(b), time.Now(), asked.Load()
	time.Sleep(polledFor) // what is measured is what happens meanwhile
	took := time.Since(start).Seconds()
	b.ReportMetric(float64(asked.Load()-requests)/took, "requests/s")
	b.ReportMetric((processCPU(b)-cpu)/took*100, "%core")
	b.ReportMetric(float64(liveHeap()-before)/(1<<20), "MiB-live")
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// processCPU returns the seconds of CPU that this process has spent.
func processCPU(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func awaitUsage(b *testing.B, s *Session, names []string) {
	b.Helper()
	last := &model.Snapshot{}
	for {
		next, err := s.Next(b.Context(), last.Serial)
		if err != nil {
			b.Fatal(err)
		}
		last = next
		missing := 0
		for _, name := range names {
			if v, ok := last.Node(name); !ok || v.Usage == nil || !v.Usage.Commit.Known() {
				missing++
			}
		}
		if missing == 0 {
			return
		}
	}
}

// polledCluster answers with pages that a fleet wrote once, so that the writing is not
// measured.
func polledCluster(b *testing.B, kubeletsTell bool) (*apiserver.Server, []string, *atomic.Int64) {
	sc, err := scenario.Scale(polledNodes, polledPods, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	server, err := apiserver.New(apiserver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	profiles := map[string]fleet.Profile{}
	var windows []string
	objects := sc.Objects
	for _, o := range sc.Objects {
		n, ok := o.(*corev1.Node)
		if !ok || n.Labels[corev1.LabelOSStable] != "windows" {
			continue
		}
		windows = append(windows, n.Name)
		profiles[n.Name] = fleet.Profile{Memory: fleet.Memory{NoContainerCommit: !kubeletsTell}}
		objects = append(objects, exporterPod(n.Name))
	}
	if err := server.Load(objects...); err != nil {
		b.Fatal(err)
	}
	config := server.Config("admin")
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		b.Fatal(err)
	}
	f := fleet.New(client, fleet.Options{Profiles: profiles})
	if err := f.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := f.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	asked := new(atomic.Int64)
	var pages sync.Map
	once := func(name string, h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			key := name + r.URL.String()
			page, ok := pages.Load(key)
			if !ok {
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, r)
				page = rec.Body.Bytes()
				pages.Store(key, page)
			}
			_, _ = w.Write(page.([]byte))
		})
	}
	server.SetKubelets(func(node string) http.Handler { return once(node, f.Kubelet(node)) })
	server.SetPodPorts(func(ns, pod string, port int) http.Handler { return once(pod, f.PodPort(ns, pod, port)) })
	return server, windows, asked
}

func exporterPod(node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "windows-exporter-" + node},
		Spec: corev1.PodSpec{NodeName: node, HostNetwork: true, Containers: []corev1.Container{{
			Name: "windows-exporter", Image: "windows-exporter", Ports: []corev1.ContainerPort{{ContainerPort: 9182}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "192.0.2.1"},
	}
}
