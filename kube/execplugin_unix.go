//go:build !windows

package kube

import (
	"os/exec"
	"syscall"
)

// detach gives the plug-in a session of its own: it has no terminal to open, and is
// stopped together with all that it started.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
