package kube

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func waitingFor(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func ended(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
}

func running() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
}

func condition(kind corev1.PodConditionType, status corev1.ConditionStatus) corev1.PodCondition {
	return corev1.PodCondition{Type: kind, Status: status}
}

// podOf has one container for each status.
func podOf(phase corev1.PodPhase, statuses ...corev1.ContainerStatus) *corev1.Pod {
	p := &corev1.Pod{Status: corev1.PodStatus{Phase: phase, ContainerStatuses: statuses}}
	for range statuses {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{})
	}
	return p
}

func withInit(p *corev1.Pod, sidecar []bool, statuses ...corev1.ContainerStatus) *corev1.Pod {
	for i, s := range sidecar {
		c := corev1.Container{Name: string(rune('a' + i))}
		if s {
			c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
	for i := range statuses {
		statuses[i].Name = string(rune('a' + i))
	}
	p.Status.InitContainerStatuses = statuses
	return p
}

func deleted(p *corev1.Pod) *corev1.Pod {
	p.DeletionTimestamp = &metav1.Time{}
	return p
}

func withReason(p *corev1.Pod, reason, message string) *corev1.Pod {
	p.Status.Reason, p.Status.Message = reason, message
	return p
}

func withConditions(p *corev1.Pod, c ...corev1.PodCondition) *corev1.Pod {
	p.Status.Conditions = c
	return p
}

// The words are those that kubectl prints; the rules of the server's printer were
// also compared with lookAt on random pods when this was written.
func TestPodState(t *testing.T) {
	up := corev1.ContainerStatus{Ready: true, State: running(), RestartCount: 2}
	done := corev1.ContainerStatus{State: ended(0, "Completed")}
	creating := corev1.ContainerStatus{State: waitingFor("ContainerCreating", "")}
	initializing := corev1.ContainerStatus{State: waitingFor("PodInitializing", "")}
	tests := []struct {
		name            string
		pod             *corev1.Pod
		state           string
		ready, restarts int
		total           int
	}{
		{"nothing known", podOf(""), "", 0, 0, 0},
		{"pending", podOf("Pending"), "Pending", 0, 0, 0},
		{"gated", withConditions(podOf("Pending"), corev1.PodCondition{Type: "PodScheduled", Status: "False", Reason: "SchedulingGated"}), "SchedulingGated", 0, 0, 0},
		{"creating", podOf("Pending", creating), "ContainerCreating", 0, 0, 1},
		{"running", podOf("Running", up, up), "Running", 2, 4, 2},
		{"running, one not ready", podOf("Running", up, corev1.ContainerStatus{State: running()}), "Running", 1, 2, 2},
		{"image of the wrong platform", podOf("Pending", corev1.ContainerStatus{State: waitingFor("ErrImagePull", "no match for platform in manifest")}), "ErrImagePull", 0, 0, 1},
		{"crash loop", podOf("Running", corev1.ContainerStatus{RestartCount: 7, State: waitingFor("CrashLoopBackOff", "back-off 5m0s")}), "CrashLoopBackOff", 0, 7, 1},
		{"the first container has the word", podOf("Running", corev1.ContainerStatus{State: waitingFor("CrashLoopBackOff", "")}, creating), "CrashLoopBackOff", 0, 0, 2},
		{"completed", podOf("Succeeded", done), "Completed", 0, 0, 1},
		{"error", podOf("Failed", corev1.ContainerStatus{State: ended(1, "Error")}), "Error", 0, 0, 1},
		{"exit code", podOf("Failed", corev1.ContainerStatus{State: ended(137, "")}), "ExitCode:137", 0, 0, 1},
		{"signal", podOf("Failed", corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Signal: 9}}}), "Signal:9", 0, 0, 1},
		{"one done, one runs, pod ready", withConditions(podOf("Running", done, up), condition("Ready", "True")), "Running", 1, 2, 2},
		{"one done, one runs, pod not ready", podOf("Running", done, up), "NotReady", 1, 2, 2},
		{"one done, one failed", podOf("Running", done, corev1.ContainerStatus{State: ended(2, "Error")}), "Error", 0, 0, 2},
		{"refused by the kubelet", withReason(podOf("Failed"), "PodOSNotSupported", "Failed to admit pod"), "PodOSNotSupported", 0, 0, 0},
		{"evicted", withReason(podOf("Failed"), "Evicted", ""), "Evicted", 0, 0, 0},
		{"being deleted", deleted(podOf("Running", up)), "Terminating", 1, 2, 1},
		{"being deleted, done", deleted(podOf("Succeeded", done)), "Completed", 0, 0, 1},
		{"being deleted, node lost", deleted(withReason(podOf("Running", up), "NodeLost", "")), "Unknown", 1, 2, 1},
		{"init 0 of 2", withInit(podOf("Pending", initializing), []bool{false, false}, corev1.ContainerStatus{State: running()}), "Init:0/2", 0, 0, 1},
		{"init 1 of 2", withInit(podOf("Pending", initializing), []bool{false, false}, done, initializing), "Init:1/2", 0, 0, 1},
		{"init crash loop", withInit(podOf("Pending", initializing), []bool{false}, corev1.ContainerStatus{RestartCount: 3, State: waitingFor("CrashLoopBackOff", "")}), "Init:CrashLoopBackOff", 0, 3, 1},
		{"init error", withInit(podOf("Pending", initializing), []bool{false}, corev1.ContainerStatus{State: ended(1, "Error")}), "Init:Error", 0, 0, 1},
		{"init exit code", withInit(podOf("Pending", initializing), []bool{false}, corev1.ContainerStatus{State: ended(3, "")}), "Init:ExitCode:3", 0, 0, 1},
		{"init through", withInit(podOf("Running", up), []bool{false}, corev1.ContainerStatus{RestartCount: 5, State: ended(0, "Completed")}), "Running", 1, 2, 1},
		{"sidecar runs", withInit(podOf("Running", up), []bool{true}, corev1.ContainerStatus{Ready: true, Started: ptr.To(true), RestartCount: 1, State: running()}), "Running", 2, 3, 2},
		{"sidecar starts", withInit(podOf("Pending", initializing), []bool{true}, corev1.ContainerStatus{Started: ptr.To(false), State: running()}), "Init:0/1", 0, 0, 2},
		{"sidecar fails in a pod that was initialized", withConditions(withInit(podOf("Running", up), []bool{true},
			corev1.ContainerStatus{RestartCount: 4, State: waitingFor("CrashLoopBackOff", "")}), condition("Initialized", "True")), "Init:CrashLoopBackOff", 1, 6, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := lookAt(tt.pod)
			if got.state != tt.state || got.ready != tt.ready || got.restarts != tt.restarts || got.total != tt.total {
				t.Errorf("state %q ready %d/%d restarts %d, want %q %d/%d %d",
					got.state, got.ready, got.total, got.restarts, tt.state, tt.ready, tt.total, tt.restarts)
			}
		})
	}
}

func TestPodMessage(t *testing.T) {
	unschedulable := corev1.PodCondition{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "0/4 nodes are available"}
	tests := []struct {
		name string
		pod  *corev1.Pod
		want string
	}{
		{"nothing", podOf("Running"), ""},
		{"the pod's own", withReason(podOf("Failed", corev1.ContainerStatus{State: waitingFor("X", "container")}), "Evicted", "low on memory"), "low on memory"},
		{"the container's", podOf("Pending", corev1.ContainerStatus{State: waitingFor("ErrImagePull", "no match for platform in manifest")}), "no match for platform in manifest"},
		{"the scheduler's", withConditions(podOf("Pending"), unschedulable), "0/4 nodes are available"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := messageOf(tt.pod, lookAt(tt.pod)); got != tt.want {
				t.Errorf("message %q, want %q", got, tt.want)
			}
		})
	}
}
