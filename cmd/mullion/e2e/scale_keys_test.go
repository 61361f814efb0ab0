//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// measureKeys moves the cursor while pods change, and takes the time until the
// cursor is seen on another row.
func (b *bench) measureKeys(v *vterm.Term) {
	ctx, stop := context.WithCancel(b.t.Context())
	var done atomic.Int64
	begin := time.Now()
	changing := make(chan error, 1)
	go func() { changing <- b.changePods(ctx, &done) }()

	for i := range b.scale.keys {
		// Not in step with the frames or the snapshots.
		pause(rand.N(50 * time.Millisecond))
		b.keys = append(b.keys, keyToFrame(v, i))
	}
	b.updates = float64(done.Load()) / time.Since(begin).Seconds()
	stop()
	if err := <-changing; err != nil && ctx.Err() == nil {
		b.t.Fatal(err)
	}
}

// keyToFrame presses one key, down and up by turns of twenty.
func keyToFrame(v *vterm.Term, i int) time.Duration {
	key := "down"
	if i/20%2 == 1 {
		key = "up"
	}
	before := cursorRow(v.Screen())
	begin := time.Now()
	v.Press(key)
	v.WaitFor("the cursor on another row", func(s string) bool {
		now := cursorRow(s)
		return now != "" && now != before
	})
	return time.Since(begin)
}

// cursorRow is the begin of the row under the cursor: a name, or a group of three
// words; empty is none.
func cursorRow(screen string) string {
	for line := range strings.Lines(screen) {
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			if f := strings.Fields(rest); len(f) > 3 {
				return strings.Join(f[:4], " ")
			}
		}
	}
	return ""
}

// changePods counts up the restarts of one pod after the other, at the scale's rate.
func (b *bench) changePods(ctx context.Context, done *atomic.Int64) error {
	pods, err := b.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 5000})
	if err != nil {
		return err
	}
	beat := time.NewTicker(time.Second / time.Duration(b.scale.updates))
	defer beat.Stop()
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(16)
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return work.Wait()
		case <-beat.C:
		}
		pod := &pods.Items[i%len(pods.Items)]
		work.Go(func() error {
			if err := b.restart(ctx, pod, i); err != nil {
				return err
			}
			done.Add(1)
			return nil
		})
	}
}

func (b *bench) restart(ctx context.Context, pod *corev1.Pod, n int) error {
	patch := fmt.Sprintf(`{"status":{"containerStatuses":[{"name":%q,"restartCount":%d}]}}`, pod.Spec.Containers[0].Name, n+1)
	_, err := b.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	return err
}
