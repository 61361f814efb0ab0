//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// scale says how big the cluster is and how long each figure is measured. The
// small one only shows that the measuring works.
type scale struct {
	nodes, pods int
	repeat      int           // of what is measured once in a run
	settle      time.Duration // without changes, until memory is read
	idle        time.Duration // over which CPU is measured
	keys        int
	updates     int // of pods, a second
}

var (
	smallScale = scale{nodes: 200, pods: 1000, repeat: 1, settle: 0, idle: time.Second, keys: 20, updates: 50}
	fullScale  = scale{nodes: 5000, pods: 50000, repeat: 3, settle: time.Minute, idle: 30 * time.Second, keys: 500, updates: 500}
)

// scaleVar names the file that takes the figures at full scale.
const scaleVar = "MULLION_SCALE"

// TestScale measures the built binary beside a real API server. With MULLION_SCALE
// it does so at full scale and writes the figures, as Markdown, to that file; no
// other test can run then.
func TestScale(t *testing.T) {
	out, s := os.Getenv(scaleVar), smallScale
	if out != "" {
		s = fullScale
	}
	b := &bench{t: t, scale: s}
	b.load()
	b.measureLists()
	v := b.measureStart()
	b.measureMemory(v)
	b.measureIdle(v)
	b.measureKeys(v)
	v.Press("q")
	v.CheckRestored()

	t.Log("\n" + b.table())
	if out == "" {
		return
	}
	if err := os.WriteFile(out, []byte(b.table()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bench is one run and its figures.
type bench struct {
	t          *testing.T
	scale      scale
	plane      *cluster.Cluster
	client     *kubernetes.Clientset
	kubeconfig string

	loaded, listed, started time.Duration
	listedCPU, startedCPU   time.Duration // of this process and of mullion, in the last round
	memory, peak            int64
	idle                    float64 // share of one core
	idleBytes               int     // written to the terminal meanwhile
	keys                    []time.Duration
	updates                 float64 // a second, as reached
}

// load starts an API server without controllers and fills it.
func (b *bench) load() {
	t := b.t
	var err error
	if b.plane, err = cluster.Start(t.Context(), cluster.Options{APIServerOnly: true, NoAudit: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.plane.Close(); err != nil {
			t.Error(err)
		}
	})
	if b.client, err = b.plane.Admin(); err != nil {
		t.Fatal(err)
	}
	b.kubeconfig = filepath.Join(t.TempDir(), "config")
	if err := b.plane.WriteKubeconfig(b.kubeconfig, cluster.Context{Name: "scale", User: "operator", Groups: []string{cluster.AdminGroup}}); err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Scale(b.scale.nodes, b.scale.pods, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := b.plane.Load(t.Context(), sc.Objects, cluster.LoadOptions{Status: true}); err != nil {
		t.Fatal(err)
	}
	b.loaded = time.Since(begin)
	t.Logf("%d objects loaded in %v", len(sc.Objects), b.loaded.Round(time.Second))
}

// measureLists takes the time of listing what mullion shows with client-go and
// protobuf, all kinds at once and each in one piece: the yardstick for the start.
func (b *bench) measureLists() {
	b.listed = median(b.scale.repeat, func() time.Duration {
		config, err := b.plane.Config("lister", cluster.AdminGroup)
		if err != nil {
			b.t.Fatal(err)
		}
		config.ContentType = "application/vnd.kubernetes.protobuf"
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			b.t.Fatal(err)
		}
		runtime.GC()
		begin, used := time.Now(), cpuTime(b.t, os.Getpid())
		if err := listAll(b.t.Context(), client); err != nil {
			b.t.Fatal(err)
		}
		b.listedCPU = cpuTime(b.t, os.Getpid()) - used
		return time.Since(begin)
	})
}

func listAll(ctx context.Context, c *kubernetes.Clientset) error {
	all := metav1.ListOptions{ResourceVersion: "0"}
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { _, err := c.CoreV1().Nodes().List(ctx, all); return err })
	work.Go(func() error { _, err := c.CoreV1().Pods("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.NodeV1().RuntimeClasses().List(ctx, all); return err })
	work.Go(func() error { _, err := c.PolicyV1().PodDisruptionBudgets("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.AppsV1().DaemonSets("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.AppsV1().ReplicaSets("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.AppsV1().Deployments("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.AppsV1().StatefulSets("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.BatchV1().Jobs("").List(ctx, all); return err })
	work.Go(func() error { _, err := c.StorageV1().CSINodes().List(ctx, all); return err })
	work.Go(func() error { _, err := c.CoordinationV1().Leases("kube-node-lease").List(ctx, all); return err })
	return work.Wait()
}

// measureStart takes the time from the start of the binary to the first frame on
// which every node is in its group and every feed is synced. The last one stays.
func (b *bench) measureStart() *vterm.Term {
	var v *vterm.Term
	full := fmt.Sprintf("all synced · %d nodes", b.scale.nodes)
	b.started = median(b.scale.repeat, func() time.Duration {
		if v != nil {
			v.Press("q")
			v.ExitCode()
		}
		begin := time.Now()
		v = vterm.Start(b.t, vterm.Options{Path: binary, Args: []string{"--kubeconfig", b.kubeconfig}, Cols: 200, Rows: 50, Patience: patience})
		v.WaitFor("the full table", func(s string) bool { return strings.Contains(header(s), full) && cursorRow(s) != "" })
		b.startedCPU = cpuTime(b.t, v.Pid())
		return time.Since(begin)
	})
	return v
}

func (b *bench) measureMemory(v *vterm.Term) {
	b.peak = residentBytes(b.t, v.Pid())
	pause(b.scale.settle)
	b.memory = residentBytes(b.t, v.Pid())
}

func (b *bench) measureIdle(v *vterm.Term) {
	before, written := cpuTime(b.t, v.Pid()), len(v.Raw())
	pause(b.scale.idle)
	b.idle = (cpuTime(b.t, v.Pid()) - before).Seconds() / b.scale.idle.Seconds()
	b.idleBytes = len(v.Raw()) - written
}

// pause lets time go by: what is measured here is a process that does nothing.
func pause(d time.Duration) { time.Sleep(d) }

func median(n int, measure func() time.Duration) time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = measure()
	}
	slices.Sort(all)
	return all[n/2]
}

// table is the figures as docs/performance.md shows them.
func (b *bench) table() string {
	slices.Sort(b.keys)
	at := func(p float64) time.Duration {
		return b.keys[min(int(p*float64(len(b.keys))), len(b.keys)-1)].Round(100 * time.Microsecond)
	}
	const mib = 1 << 20
	rows := [][2]string{
		{"the same objects listed with client-go and protobuf", fmt.Sprintf("%v, %v of CPU", b.listed.Round(10*time.Millisecond), b.listedCPU)},
		{"start to the first full table", fmt.Sprintf("%v (%.2f×), %v of CPU", b.started.Round(10*time.Millisecond), b.started.Seconds()/b.listed.Seconds(), b.startedCPU)},
		{"resident memory, settled", fmt.Sprintf("%d MiB (%d MiB at the first full table)", b.memory/mib, b.peak/mib)},
		{fmt.Sprintf("a key to its frame, with %.0f pod updates a second", b.updates), fmt.Sprintf("p50 %v, p99 %v, worst %v", at(.5), at(.99), at(1))},
		{"idle, nothing changing", fmt.Sprintf("%.2f %% of a core, %d bytes drawn in %v", b.idle*100, b.idleBytes, b.scale.idle)},
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| %d nodes, %d pods | measured |\n|---|---|\n", b.scale.nodes, b.scale.pods)
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %s |\n", r[0], r[1])
	}
	return out.String()
}
