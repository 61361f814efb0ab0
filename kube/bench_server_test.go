//go:build linux

package kube

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/model"
)

// The benchmarks run the API server in a process of its own, so that their memory
// and CPU are the session's alone.
const (
	benchServer = "MULLION_BENCH_SERVER" // "nodes pods": be the server
	benchLister = "MULLION_BENCH_LISTER" // the server's URL: be the yardstick
	benchNodes  = 5000
	benchPods   = 50000
)

// server is the API server beside a benchmark.
type server struct {
	url   string
	pods  int // that it holds
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startServer(b *testing.B, nodes, pods int) *server {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBeTheServer$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", benchServer, nodes, pods))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close() // its end is the sign to stop
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	s := &server{in: in, lines: bufio.NewScanner(out)}
	if _, err := fmt.Sscan(s.answer(b), &s.url, &s.pods); err != nil {
		b.Fatal(err)
	}
	return s
}

func (s *server) answer(b *testing.B) string {
	b.Helper()
	if !s.lines.Scan() {
		b.Fatal("the API server is gone: ", s.lines.Err())
	}
	return s.lines.Text()
}

// change updates objects of a kind, so many a second, and returns when it is done.
func (s *server) change(b *testing.B, kind model.Kind, rate, seconds int) {
	b.Helper()
	if _, err := fmt.Fprintln(s.in, kind, rate, seconds); err != nil {
		b.Fatal(err)
	}
	s.answer(b)
}

// TestBeTheServer is the process that startServer starts.
func TestBeTheServer(t *testing.T) {
	var nodes, pods int
	if _, err := fmt.Sscan(os.Getenv(benchServer), &nodes, &pods); err != nil {
		t.Skip("only for the benchmarks")
	}
	world, err := scenario.Scale(nodes, pods, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := apiserver.New(apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(world.Objects...); err != nil {
		t.Fatal(err)
	}
	changing := map[model.Kind][]runtime.Object{}
	names := map[string]bool{}
	for _, o := range world.Objects {
		switch o := o.(type) {
		case *corev1.Pod:
			names[o.Namespace+"/"+o.Name] = true
			if len(o.Status.ContainerStatuses) > 0 {
				changing[model.KindPod] = append(changing[model.KindPod], o)
			}
		case *coordinationv1.Lease:
			changing[model.KindLease] = append(changing[model.KindLease], o)
		}
	}
	world = nil
	fmt.Println(s.URL(), len(names))
	for {
		var kind model.Kind
		var rate, seconds int
		if _, err := fmt.Scanln(&kind, &rate, &seconds); err != nil {
			return
		}
		changeAll(t, s, changing[kind], rate, seconds)
		fmt.Println("done")
	}
}

// changeAll changes one object after the other.
func changeAll(t *testing.T, s *apiserver.Server, objects []runtime.Object, rate, seconds int) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for n := range rate * seconds {
		<-tick.C
		o := objects[n*7919%len(objects)]
		switch o := o.(type) {
		case *corev1.Pod:
			o.Status.ContainerStatuses[0].RestartCount++
		case *coordinationv1.Lease:
			o.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
		}
		if err := s.Load(o.DeepCopyObject()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBeTheLister is the process that plainList starts.
func TestBeTheLister(t *testing.T) {
	url := os.Getenv(benchLister)
	if url == "" {
		t.Skip("only for the benchmarks")
	}
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: url, BearerToken: "admin", QPS: -1,
		ContentConfig: rest.ContentConfig{AcceptContentTypes: "application/vnd.kubernetes.protobuf"},
	})
	if err != nil {
		t.Fatal(err)
	}
	began, cpu := time.Now(), cpuTime()
	var lists errgroup.Group
	for _, source := range sources(client) {
		lists.Go(func() error {
			_, err := source.list(t.Context(), metav1.ListOptions{})
			return err
		})
	}
	if err := lists.Wait(); err != nil {
		t.Fatal(err)
	}
	fmt.Println(int64(time.Since(began)), int64(cpuTime()-cpu))
}
