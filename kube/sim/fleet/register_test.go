package fleet_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

func TestRegisteredNodeIsAsAKubeletWritesIt(t *testing.T) {
	given := simtest.Machine("win-1", "windows")
	given.Labels = map[string]string{"pool": "win22"}
	given.Status.NodeInfo.KernelVersion, given.Status.NodeInfo.OSImage = "10.0.20348.4893", "Windows Server 2022 Datacenter"
	c := simtest.New(t, simtest.Options{Register: []*corev1.Node{given}, NoControllers: true})
	c.Advance(15 * time.Second)
	n := c.Node("win-1")
	for key, want := range map[string]string{
		"pool": "win22", corev1.LabelHostname: "win-1", corev1.LabelOSStable: "windows", corev1.LabelArchStable: "amd64",
		"beta.kubernetes.io/os": "windows", corev1.LabelWindowsBuild: "10.0.20348",
	} {
		if n.Labels[key] != want {
			t.Errorf("label %s = %q, want %q", key, n.Labels[key], want)
		}
	}
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		if got := condition(n, kind); got != corev1.ConditionFalse {
			t.Errorf("%s is %q", kind, got)
		}
	}
	if condition(n, corev1.NodeReady) != corev1.ConditionTrue || n.Status.Conditions[len(n.Status.Conditions)-1].Type != corev1.NodeReady {
		t.Errorf("Ready must be true and last: %+v", n.Status.Conditions)
	}
	if i := n.Status.NodeInfo; i.BootID == "" || i.SystemUUID == "" || i.KubeletVersion == "" || i.ContainerRuntimeVersion == "" || i.OSImage != "Windows Server 2022 Datacenter" {
		t.Errorf("node info: %+v", i)
	}
	if n.Status.Capacity.Pods().Value() != 110 || n.Status.Allocatable.Cpu().IsZero() || len(n.Status.Addresses) == 0 {
		t.Errorf("capacity %v, allocatable %v, addresses %v", n.Status.Capacity, n.Status.Allocatable, n.Status.Addresses)
	}
	lease, err := c.Client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(c.Context(), "win-1", metav1.GetOptions{})
	must(t, err)
	if age := c.Clock.Now().Sub(lease.Spec.RenewTime.Time); age > 10*time.Second || *lease.Spec.HolderIdentity != "win-1" ||
		*lease.Spec.LeaseDurationSeconds != 40 || lease.OwnerReferences[0].UID != n.UID {
		t.Errorf("lease of age %s: %+v", age, lease)
	}
}

func TestNodeThatExistsIsTakenOverAsItIs(t *testing.T) {
	there := simtest.Machine("old", "linux")
	there.Labels = map[string]string{"only": "this"}
	there.Status.NodeInfo = corev1.NodeSystemInfo{OperatingSystem: "linux", KernelVersion: "5.10.0", KubeletVersion: "v1.30.1", BootID: "as-it-was"}
	there.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue}}
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{there}, Register: []*corev1.Node{simtest.Machine("old", "linux")}, NoControllers: true})
	c.Advance(10 * time.Minute)
	n := c.Node("old")
	if len(n.Labels) != 1 || n.Status.NodeInfo != there.Status.NodeInfo || condition(n, corev1.NodeMemoryPressure) != corev1.ConditionTrue {
		t.Errorf("labels %v, node info %+v, conditions %+v", n.Labels, n.Status.NodeInfo, n.Status.Conditions)
	}
}

func TestPodsOfTheWrongOSAreRefused(t *testing.T) {
	c := simtest.New(t, simtest.Options{Register: []*corev1.Node{simtest.Machine("win-1", "windows")}, NoControllers: true})
	p := podOf("lost", simtest.Template("lost", "windows"))
	p.Spec.NodeName, p.Spec.OS = "win-1", &corev1.PodOS{Name: corev1.Linux}
	_, err := c.Client.CoreV1().Pods("default").Create(c.Context(), p, createOptions)
	must(t, err)
	c.Settle()
	if p := c.Pod("default", "lost"); p.Status.Phase != corev1.PodFailed || p.Status.Reason != "PodOSNotSupported" {
		t.Errorf("status %+v", p.Status)
	}
}

func TestDeletedPodStopsWithinItsGrace(t *testing.T) {
	for name, tc := range map[string]struct {
		stop  time.Duration
		grace int64
		want  time.Duration
	}{
		"it stops by itself":             {stop: 5 * time.Second, grace: 30, want: 5 * time.Second},
		"it is killed when grace is out": {stop: time.Minute, grace: 10, want: 10 * time.Second},
		"no grace at all":                {stop: time.Minute, grace: 0, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := simtest.New(t, simtest.Options{Register: []*corev1.Node{simtest.Machine("linux-1", "linux")}, NoControllers: true,
				Profiles: map[string]fleet.Profile{"linux-1": {PodStop: tc.stop}}})
			p := podOf("web", simtest.Template("web", "linux"))
			p.Spec.NodeName = "linux-1"
			_, err := c.Client.CoreV1().Pods("default").Create(c.Context(), p, createOptions)
			must(t, err)
			c.Advance(10 * time.Second)
			must(t, c.Client.CoreV1().Pods("default").Delete(c.Context(), "web", metav1.DeleteOptions{GracePeriodSeconds: &tc.grace}))
			took := c.Until(2*time.Minute, "the pod is gone", func() bool { return len(c.Pods("default", "")) == 0 })
			if took != tc.want {
				t.Errorf("gone after %s, want %s", took, tc.want)
			}
		})
	}
}

func TestPodAddressesAreOfTheNodesBlockAndDiffer(t *testing.T) {
	c := simtest.New(t, simtest.Options{Objects: []runtime.Object{simtest.Deployment("web", "linux", 20)}, Register: []*corev1.Node{simtest.Machine("linux-1", "linux")}})
	c.Advance(5 * time.Second)
	seen := map[string]bool{}
	for _, p := range c.Pods("default", "") {
		ip := p.Status.PodIP
		if len(ip) < 8 || ip[:7] != "10.244." || seen[ip] {
			t.Errorf("%s has the address %q", p.Name, ip)
		}
		seen[ip] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d addresses, want 20", len(seen))
	}
}

func TestPodDeletedWhileItStartsNeverRuns(t *testing.T) {
	c := simtest.New(t, simtest.Options{Register: []*corev1.Node{simtest.Machine("linux-1", "linux")}, NoControllers: true,
		Profiles: map[string]fleet.Profile{"linux-1": {PodStart: 5 * time.Second, PodStop: 20 * time.Second}}})
	p := podOf("web", simtest.Template("web", "linux"))
	p.Spec.NodeName = "linux-1"
	_, err := c.Client.CoreV1().Pods("default").Create(c.Context(), p, createOptions)
	must(t, err)
	c.Advance(2 * time.Second)
	if got := c.Pod("default", "web").Status.ContainerStatuses[0].State.Waiting; got == nil || got.Reason != "ContainerCreating" {
		t.Fatalf("after 2 of 5 s its container is %+v", got)
	}
	must(t, c.Client.CoreV1().Pods("default").Delete(c.Context(), "web", metav1.DeleteOptions{}))
	c.Advance(10 * time.Second)
	if got := c.Pod("default", "web"); got.Status.Phase != corev1.PodPending {
		t.Errorf("the deleted pod is %s", got.Status.Phase)
	}
}
