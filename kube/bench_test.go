//go:build linux

package kube

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/model"
)

// follow reads snapshots until ok.
func follow(b *testing.B, s *Session, seen uint64, ok func(*model.Snapshot) bool) (last *model.Snapshot, count int) {
	b.Helper()
	for {
		next, err := s.Next(b.Context(), seen)
		if err != nil {
			b.Fatal(err)
		}
		last, seen, count = next, next.Serial, count+1
		if ok(last) {
			return last, count
		}
	}
}

func openBench(b *testing.B, url string) *Session {
	b.Helper()
	s, err := Open(Target{Config: &rest.Config{Host: url, BearerToken: "admin"}})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkSessionSync measures a session from Open to the full table, against a
// plain list of the same objects by client-go.
func BenchmarkSessionSync(b *testing.B) {
	server := startServer(b, benchNodes, benchPods)
	for b.Loop() {
		began, cpu := time.Now(), cpuTime()
		s := openBench(b, server.url)
		first, early := follow(b, s, 0, func(s *model.Snapshot) bool { return len(s.Nodes()) > 0 })
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-to-first-rows")
		full, later := follow(b, s, first.Serial, all(model.FeedSynced))
		took, used := time.Since(began), cpuTime()-cpu
		if full.PodCount() != server.pods || len(full.Nodes()) != benchNodes {
			b.Fatalf("%d nodes, %d pods", len(full.Nodes()), full.PodCount())
		}
		b.ReportMetric(float64(took.Milliseconds()), "ms-to-full-table")
		b.ReportMetric(float64(early+later), "snapshots")
		b.ReportMetric(rss()/(1<<20), "MiB-RSS-at-sync")
		reportMemory(b)
		runtime.KeepAlive(full)
		s.Close()
		plain, plainCPU := plainList(b, server.url)
		b.ReportMetric(float64(plain.Milliseconds()), "ms-plain-list")
		b.ReportMetric(float64(took)/float64(plain), "ratio")
		b.ReportMetric(float64(used.Milliseconds()), "ms-CPU")
		b.ReportMetric(float64(plainCPU.Milliseconds()), "ms-CPU-plain-list")
	}
}

// BenchmarkSessionUpdates measures what 500 updates of pods a second cost.
func BenchmarkSessionUpdates(b *testing.B) { benchChanges(b, model.KindPod) }

// BenchmarkSessionHeartbeats measures a cluster at rest, in which every node renews
// its lease each ten seconds.
func BenchmarkSessionHeartbeats(b *testing.B) { benchChanges(b, model.KindLease) }

func benchChanges(b *testing.B, kind model.Kind) {
	const rate, seconds = 500, 20
	server := startServer(b, benchNodes, benchPods)
	s := openBench(b, server.url)
	defer s.Close()
	full, _ := follow(b, s, 0, all(model.FeedSynced))
	seen := full.Serial
	for b.Loop() {
		ctx, stop := context.WithCancel(b.Context())
		count := make(chan int)
		go func() {
			n := 0
			for {
				next, err := s.Next(ctx, seen)
				if err != nil {
					count <- n
					return
				}
				seen, n = next.Serial, n+1
			}
		}()
		began, cpu := time.Now(), cpuTime()
		server.change(b, kind, rate, seconds)
		used, took := cpuTime()-cpu, time.Since(began)
		stop()
		b.ReportMetric(100*float64(used)/float64(took), "%-of-a-core")
		b.ReportMetric(float64(<-count)/took.Seconds(), "snapshots/s")
		reportMemory(b)
	}
}

// plainList is the yardstick: the typed clients of client-go, protobuf, one request
// a kind, in a process of its own.
func plainList(b *testing.B, url string) (wall, cpu time.Duration) {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBeTheLister$")
	cmd.Env = append(os.Environ(), benchLister+"="+url)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscan(string(out), &wall, &cpu); err != nil {
		b.Fatalf("%s: %v", out, err)
	}
	return wall, cpu
}

func reportMemory(b *testing.B) {
	b.Helper()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-heap")
	b.ReportMetric(rss()/(1<<20), "MiB-RSS")
}

// rss returns the resident memory of this process in bytes, 0 where there is no /proc.
func rss() float64 {
	stat, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(stat))[1])
	if err != nil {
		return 0
	}
	return float64(pages * os.Getpagesize())
}

// cpuTime returns what this process has used so far, 0 when that is not known.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
