package apiserver

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

var asTable = map[string]string{"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"}

// rows shows a table as kubectl's reader gets it: the namespace and name of each row's object, and its cells.
func rows(t *testing.T, r got) []string {
	t.Helper()
	if r.at("kind") != "Table" || r.at("apiVersion") != "meta.k8s.io/v1" {
		t.Fatalf("no table: %s", r.text)
	}
	list, _ := r.at("rows").([]any)
	var out []string
	for i := range list {
		row := fmt.Sprintf("rows.%d.", i)
		if r.at(row+"object.kind") != "PartialObjectMetadata" || r.at(row+"object.spec") != nil {
			t.Errorf("the object of row %d is %v", i, r.at(row+"object"))
		}
		out = append(out, fmt.Sprint(r.at(row+"object.metadata.namespace"), " ", r.at(row+"cells")))
	}
	return out
}

func TestTables(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, _ := start(t, Options{Clock: clocktesting.NewFakeClock(now)}, "")
	n := node("n1")
	n.CreationTimestamp = metav1.NewTime(now.Add(-49 * time.Hour))
	n.Labels["node-role.kubernetes.io/worker"] = ""
	n.Spec.Unschedulable = true
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse}}
	n.Status.NodeInfo = corev1.NodeSystemInfo{KubeletVersion: "v1.37.2", OSImage: "Windows", KernelVersion: "10.0.26100.1"}
	waiting := working("waiting", false)
	waiting.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: 3, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
	going := working("going", true)
	going.DeletionTimestamp = &metav1.Time{Time: now}
	going.Status.ContainerStatuses = []corev1.ContainerStatus{{Ready: true}}
	if err := s.Load(shop(), n, waiting, going); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/api/v1/nodes":                     "[<nil> [n1 NotReady,SchedulingDisabled worker 2d1h v1.37.2 Windows 10.0.26100.1]]",
		"/api/v1/nodes/n1":                  "[<nil> [n1 NotReady,SchedulingDisabled worker 2d1h v1.37.2 Windows 10.0.26100.1]]",
		"/api/v1/pods":                      "[shop [going 1/1 Terminating 0 <unknown>  n1] shop [waiting 0/1 CrashLoopBackOff 3 <unknown>  n1]]",
		"/api/v1/namespaces/shop":           "[<nil> [shop <unknown>]]",
		"/apis/apps/v1/daemonsets?limit=10": "[]",
	} {
		r := do(t, s, sent{method: "GET", path: path, header: asTable})
		if got := fmt.Sprint(rows(t, r)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if r.at("columnDefinitions.0.name") != "Name" {
			t.Errorf("%s: columns are %v", path, r.at("columnDefinitions"))
		}
	}
	if r := do(t, s, sent{method: "GET", path: "/api/v1/nodes/none", header: asTable}); r.code != 404 || r.at("kind") != "Status" {
		t.Errorf("an error in a table: %s", r.text)
	}
}
