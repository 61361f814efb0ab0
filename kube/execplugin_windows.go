package kube

import (
	"os/exec"
	"syscall"
)

// createNoWindow is CREATE_NO_WINDOW of the Windows API's process creation flags.
const createNoWindow = 0x08000000

// detach gives the plug-in a console of its own that is not shown, so that it cannot
// read ours or write to it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNoWindow}
}
