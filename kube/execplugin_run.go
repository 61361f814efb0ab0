package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pluginVerb is the first argument with which a program is asked to run a plug-in.
const pluginVerb = "__credential-plugin"

// Exit codes of RunPlugin where the plug-in has none.
const (
	pluginUnusable = 1
	pluginTimedOut = 124
	pluginNotFound = 127
)

const (
	maxCredential = 1 << 20 // bytes of a plug-in's answer
	maxSaid       = 4 << 10 // bytes kept of what it says
	lookEvery     = 300 * time.Millisecond
	pipesAfter    = 2 * time.Second // how long a child that it leaves behind may hold our pipes
)

// pluginReport is what the keeper of a plug-in leaves for the one who needs it.
type pluginReport struct {
	Reason   string
	Text     string
	NotFound bool
}

// RunPlugin runs a credential plug-in if args, the process's own, ask for that, and
// then returns ours = true and the code to exit with. A main whose program is given as
// ContextsOptions.Keeper calls it before anything else.
func RunPlugin(args []string) (code int, ours bool) {
	if len(args) < 5 || args[1] != pluginVerb {
		return 0, false
	}
	file, argv := args[2], args[4:]
	limit, err := time.ParseDuration(args[3])
	if err != nil {
		limit = pluginLimit
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	go func() {
		awaitRemoval(ctx, filepath.Dir(file))
		stop()
	}()
	credential, report, code := runPlugin(ctx, limit, argv)
	if report != nil {
		err = leave(file, report)
	} else if err = os.Remove(file); errors.Is(err, fs.ErrNotExist) {
		err = nil // no failure of an earlier run to take away
	}
	if err == nil && code == 0 {
		_, err = os.Stdout.Write(credential)
	}
	if err != nil {
		return pluginUnusable, true
	}
	return code, true
}

// awaitRemoval returns when dir is gone, with which Contexts.Close tells that nobody
// waits for the plug-in any more, or when ctx ends.
func awaitRemoval(ctx context.Context, dir string) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				return
			}
		}
	}
}

// runPlugin returns what the plug-in printed, or a report of why that is nothing.
func runPlugin(ctx context.Context, limit time.Duration, argv []string) ([]byte, *pluginReport, int) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out, said tail
	out.limit, said.limit = maxCredential, maxSaid
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = pipesAfter
	detach(cmd)
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		err = nil // only a child of its own still holds the pipes
	}
	if err == nil {
		return out.Bytes(), nil, 0
	}
	text := strings.ToValidUTF8(said.String(), "\uFFFD")
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &pluginReport{Reason: fmt.Sprintf("did not answer within %v and was stopped", limit), Text: text}, pluginTimedOut
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return nil, &pluginReport{Reason: fmt.Sprintf("failed with exit code %d", exit.ExitCode()), Text: text}, exit.ExitCode()
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, &pluginReport{Reason: "is not installed, or not on the PATH", NotFound: true}, pluginNotFound
	}
	return nil, &pluginReport{Reason: "failed: " + err.Error(), Text: text}, pluginUnusable
}

// leave writes the report in one step: its reader may come at any time.
func leave(file string, report *pluginReport) error {
	data, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// tail keeps the last bytes that were written to it.
type tail struct {
	bytes.Buffer
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if over := t.Len() - t.limit; over > 0 {
		t.Next(over)
	}
	return n, err
}
