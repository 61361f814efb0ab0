package sim

import (
	"encoding/json"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
)

// as is a client of the cluster for one of its users, whose connections end with the test.
func as(t *testing.T, c *Cluster, user string) *kubernetes.Clientset {
	t.Helper()
	config := c.Server().Config(user)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(httpClient.CloseIdleConnections)
	client, err := kubernetes.NewForConfigAndClient(config, httpClient)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func start(t *testing.T, o Options) *Cluster {
	t.Helper()
	sc, err := scenario.Lab(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	o.Report = func(err error) { t.Error(err) }
	c, err := Start(t.Context(), sc, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestClusterLives: kubelets answer through the API server with the scenario's figures.
func TestClusterLives(t *testing.T) {
	client := as(t, start(t, Options{}), "admin")
	var answer []byte
	for answer == nil { // the machines come up beside Start
		raw, err := client.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes/k8s-lab-win-1/proxy/stats/summary").DoRaw(t.Context())
		if err == nil {
			answer = raw
		}
	}
	var summary stats.Summary
	if err := json.Unmarshal(answer, &summary); err != nil {
		t.Fatal(err)
	}
	for _, p := range summary.Pods {
		if p.PodRef.Name == "hello-win-759c899954-tkfg6" {
			if commit := *p.Containers[0].Memory.UsageBytes >> 20; commit != 98 {
				t.Errorf("hello-win has committed %d MiB, want 98", commit)
			}
			return
		}
	}
	t.Errorf("hello-win is not in the summary's %d pods", len(summary.Pods))
}

func TestStillClusterIsAsLoadedAndKnowsItsUsers(t *testing.T) {
	read := apiserver.Role{Rules: []apiserver.Rule{{Verbs: []string{"get", "list", "watch"}, Groups: []string{"*"}, Resources: []string{"*"}}}}
	c := start(t, Options{Still: true, Users: map[string]apiserver.Role{"viewer": read}})
	viewer := as(t, c, "viewer")
	pods, err := viewer.CoreV1().Pods("win-demo").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 7 {
		t.Errorf("%d pods in win-demo, want 7", len(pods.Items))
	}
	if err := viewer.CoreV1().Pods("win-demo").Delete(t.Context(), pods.Items[0].Name, metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the viewer deletes a pod: %v, want 403", err)
	}
	if _, err := as(t, c, "stranger").CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("a stranger lists nodes: %v, want 401", err)
	}
}
