package fleet_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/simtest"
)

func TestPodThatRebootsItsHost(t *testing.T) {
	hostProcess := &corev1.PodSecurityContext{WindowsOptions: &corev1.WindowsSecurityContextOptions{HostProcess: ptr.To(true)}}
	privileged := &corev1.SecurityContext{Privileged: ptr.To(true)}
	cases := map[string]struct {
		os      string
		command []string
		args    []string
		change  func(*corev1.PodSpec)
		reboots bool
		phase   corev1.PodPhase
	}{
		"shutdown at once": {os: "windows", command: []string{"shutdown.exe", "/r", "/t", "0"}, reboots: true, phase: corev1.PodFailed,
			change: func(s *corev1.PodSpec) { s.SecurityContext, s.HostNetwork = hostProcess, true }},
		"shutdown in 5 s leaves its pod succeeded": {os: "windows", command: []string{"cmd", "/c"}, args: []string{`C:\Windows\System32\shutdown.exe /r /f /t 5`}, reboots: true, phase: corev1.PodSucceeded,
			change: func(s *corev1.PodSpec) { s.SecurityContext, s.HostNetwork = hostProcess, true }},
		"shutdown in a silo reboots nothing": {os: "windows", command: []string{"shutdown.exe", "/r", "/t", "0"}, phase: corev1.PodSucceeded,
			change: func(s *corev1.PodSpec) {}},
		"Restart-Computer lacks the privilege": {os: "windows", command: []string{"powershell", "-c", "Restart-Computer -Force"}, phase: corev1.PodFailed,
			change: func(s *corev1.PodSpec) { s.SecurityContext, s.HostNetwork = hostProcess, true }},
		"systemctl in the host's namespaces": {os: "linux", command: []string{"nsenter", "-t", "1", "-m", "-u", "-i", "-n", "-p", "--", "systemctl", "reboot"}, reboots: true, phase: corev1.PodFailed,
			change: func(s *corev1.PodSpec) { s.HostPID = true; s.Containers[0].SecurityContext = privileged }},
		"systemctl without privileges": {os: "linux", command: []string{"systemctl", "reboot"}, phase: corev1.PodSucceeded,
			change: func(s *corev1.PodSpec) {}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := simtest.New(t, simtest.Options{Register: []*corev1.Node{simtest.Machine("node-1", tc.os)}, Profiles: map[string]fleet.Profile{"node-1": {}}})
			before := c.Node("node-1").Status.NodeInfo.BootID
			p := podOf("reboot", simtest.Template("reboot", tc.os))
			p.Spec.NodeName, p.Spec.RestartPolicy = "node-1", corev1.RestartPolicyNever
			p.Spec.Containers[0].Command, p.Spec.Containers[0].Args = tc.command, tc.args
			tc.change(&p.Spec)
			_, err := c.Client.CoreV1().Pods("default").Create(c.Context(), p, createOptions)
			must(t, err)
			c.Advance(10 * time.Minute)
			after := c.Node("node-1").Status.NodeInfo.BootID
			want := 0
			if tc.reboots {
				want = 1
			}
			if got := len(c.Events("Rebooted")); got != want || (after != before) != tc.reboots {
				t.Errorf("%d reboots, boot ID %s → %s; want %d", got, before, after, want)
			}
			if got := c.Pod("default", "reboot").Status.Phase; got != tc.phase {
				t.Errorf("the pod is %s, want %s", got, tc.phase)
			}
		})
	}
}
