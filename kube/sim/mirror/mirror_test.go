package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/mirror"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type change struct{ old, now string }

func start(t *testing.T) (context.Context, *apiserver.Server, kubernetes.Interface, *mirror.Mirror[*corev1.ConfigMap], *[]change) {
	t.Helper()
	s, err := apiserver.New(apiserver.Options{})
	must(t, err)
	client, err := kubernetes.NewForConfig(s.Config("admin"))
	must(t, err)
	changes := &[]change{}
	value := func(c *corev1.ConfigMap) string {
		if c == nil {
			return ""
		}
		return c.Name + "=" + c.Data["v"]
	}
	m := mirror.New[*corev1.ConfigMap, *corev1.ConfigMapList](client, "configmaps", client.CoreV1().ConfigMaps(""),
		func(old, now *corev1.ConfigMap) { *changes = append(*changes, change{value(old), value(now)}) }, nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	done := make(chan struct{})
	go func() { defer close(done); m.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done; s.Close() })
	must(t, m.WaitForSync(ctx))
	return ctx, s, client, m, changes
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(ctx context.Context, t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string]string{"v": value}}
	_, err := client.CoreV1().ConfigMaps("default").Update(ctx, c, metav1.UpdateOptions{})
	if err != nil {
		_, err = client.CoreV1().ConfigMaps("default").Create(ctx, c, metav1.CreateOptions{})
	}
	must(t, err)
}

func TestCatchUpShowsEveryWriteOfBefore(t *testing.T) {
	ctx, _, client, m, changes := start(t)
	for i := range 50 {
		name := fmt.Sprint("c", i%7)
		write(ctx, t, client, name, fmt.Sprint(i))
		must(t, m.CatchUp(ctx))
		if c, ok := m.Get("default", name); !ok || c.Data["v"] != fmt.Sprint(i) {
			t.Fatalf("after write %d the copy has %v", i, c)
		}
	}
	must(t, client.CoreV1().ConfigMaps("default").Delete(ctx, "c3", metav1.DeleteOptions{}))
	must(t, m.CatchUp(ctx))
	if _, ok := m.Get("default", "c3"); ok || len(m.List()) != 6 {
		t.Errorf("after the delete: %d objects, c3 there: %v", len(m.List()), ok)
	}
	if last := (*changes)[len(*changes)-1]; last.now != "" || last.old != "c3=45" || len(*changes) != 51 {
		t.Errorf("%d changes noted, the last %+v", len(*changes), last)
	}
}

func TestCopyRecoversFromARestart(t *testing.T) {
	ctx, s, client, m, changes := start(t)
	write(ctx, t, client, "a", "1")
	must(t, m.CatchUp(ctx))
	s.Stop()
	must(t, s.Load(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "b"}, Data: map[string]string{"v": "2"}}))
	must(t, s.Start())
	for {
		if err := m.CatchUp(ctx); err == nil {
			break
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	if len(m.List()) != 2 || len(*changes) != 2 {
		t.Errorf("copy of %d objects after %d changes; what did not change must not be noted again: %v", len(m.List()), len(*changes), *changes)
	}
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	s, err := apiserver.New(apiserver.Options{})
	must(t, err)
	defer s.Close()
	client, err := kubernetes.NewForConfig(s.Config("admin"))
	must(t, err)
	m := mirror.New[*corev1.Node, *corev1.NodeList](client, "nodes", client.CoreV1().Nodes(), nil, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := m.WaitForSync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitForSync: %v", err)
	}
	if err := m.CatchUp(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("CatchUp: %v", err)
	}
}
