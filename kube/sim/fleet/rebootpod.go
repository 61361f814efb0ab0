package fleet

import (
	"context"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// rebootCommand is what a pod's command asks of the machine.
type rebootCommand struct {
	delay   time.Duration // until the machine goes down
	refused bool          // the command lacks the privilege and exits with 1
}

// rebootOf recognises a pod whose command reboots its host: shutdown.exe /r in a HostProcess container on Windows; on Linux
// a reboot through systemd from a privileged container that shares the host's process IDs.
func rebootOf(p *corev1.Pod, windows bool) (rebootCommand, bool) {
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		words := strings.Fields(strings.ToLower(strings.Join(append(append([]string{}, c.Command...), c.Args...), " ")))
		if windows && hostProcess(p, c) {
			if r, ok := windowsReboot(words); ok {
				return r, true
			}
		}
		if !windows && p.Spec.HostPID && ptr.Deref(security(c).Privileged, false) && linuxReboot(words) {
			return rebootCommand{delay: time.Second}, true
		}
	}
	return rebootCommand{}, false
}

func windowsReboot(words []string) (rebootCommand, bool) {
	r := rebootCommand{delay: 30 * time.Second} // shutdown.exe waits 30 s when /t is not given
	shutdown, restart := false, false
	for i, w := range words {
		w = strings.Trim(w, `"';,`)
		switch {
		case strings.HasSuffix(w, "shutdown.exe") || strings.HasSuffix(w, "shutdown"):
			shutdown = true
		case w == "/r" || w == "-r":
			restart = true
		case (w == "/t" || w == "-t") && i+1 < len(words):
			if n, err := strconv.Atoi(strings.Trim(words[i+1], `"';,`)); err == nil {
				r.delay = time.Duration(n) * time.Second
			}
		case w == "restart-computer":
			return rebootCommand{refused: true}, true
		}
	}
	return r, shutdown && restart
}

func linuxReboot(words []string) bool {
	shutdown := false
	for _, w := range words {
		w = strings.Trim(w, `"';,`)
		base := w[strings.LastIndex(w, "/")+1:]
		switch {
		case base == "shutdown":
			shutdown = true
		case base == "reboot":
			return true // "systemctl reboot", or the command that is a link to it
		case shutdown && w == "-r":
			return true
		}
	}
	return false
}

func security(c *corev1.Container) *corev1.SecurityContext {
	if c.SecurityContext == nil {
		return &corev1.SecurityContext{}
	}
	return c.SecurityContext
}

// hostProcess looks at the container first, then at its pod, as the kubelet does.
func hostProcess(p *corev1.Pod, c *corev1.Container) bool {
	if w := security(c).WindowsOptions; w != nil && w.HostProcess != nil {
		return *w.HostProcess
	}
	if p.Spec.SecurityContext != nil && p.Spec.SecurityContext.WindowsOptions != nil {
		return ptr.Deref(p.Spec.SecurityContext.WindowsOptions.HostProcess, false)
	}
	return false
}

// planReboot lets the command of a reboot pod take effect. Each start of its container reboots the machine once: with
// restartPolicy Never that is exactly once, with any other it would happen again after each boot, as in life.
func (m *machine) planReboot(s *sandbox, r rebootCommand) {
	if r.refused {
		m.later(time.Second, s, func(ctx context.Context) error { return m.exit(ctx, s, 1) })
		return
	}
	m.after(r.delay, func(context.Context) error { m.reboot(); return nil })
	if m.windows() && r.delay > time.Second {
		// shutdown.exe returns at once; what follows is the system's.
		m.later(time.Second, s, func(ctx context.Context) error { return m.exit(ctx, s, 0) })
	}
}
