//go:build !windows

package kube

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// probeOnTerminal is what the test below starts on a terminal.
func probeOnTerminal(kubeconfig string, withKeeper bool) {
	opts := ContextsOptions{Flags: genericclioptions.NewConfigFlags(false)}
	opts.Flags.KubeConfig = &kubeconfig
	if withKeeper {
		opts.Keeper = os.Args[0]
	}
	c, err := NewContexts(opts)
	if err != nil {
		fmt.Println("NewContexts:", err)
		return
	}
	c.patience = time.Hour // a loaded machine is no failure
	fmt.Println("probe:", c.Probe(context.Background(), "plug").Error)
	_ = c.Close() // the process ends with it
}

// A plug-in under the keeper can open no terminal; the same plug-in without it can,
// which shows that the test would notice.
func TestPluginCannotReachTheTerminal(t *testing.T) {
	file := pluginConfig(t, "https://127.0.0.1:1", "asks")
	onScreen := func(mode string) string {
		cmd := exec.Command(os.Args[0], probeVerb, file, mode)
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer tty.Close()
		screen, _ := io.ReadAll(tty) // Linux ends it with EIO when the last one hangs up
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		return string(screen)
	}
	const prompt = "Enter MFA code"
	if screen := onScreen("direct"); !strings.HasPrefix(screen, prompt) {
		t.Fatalf("without the keeper the terminal shows %q, want the prompt", screen)
	}
	screen := onScreen("kept")
	if !strings.HasPrefix(screen, "probe: ") || strings.Count(screen, prompt) != 1 {
		t.Errorf("with the keeper the terminal shows %q, want the error alone", screen)
	}
}
