// Command mullion is a terminal UI for the people who operate Kubernetes clusters
// with both Linux and Windows nodes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mullion-tui/mullion/kube"
	"github.com/mullion-tui/mullion/model"
)

// version is set by the linker.
var version = "dev"

// The exit codes, documented in docs/commands.md. 1 and 2 belong to commands whose
// answer is a verdict.
const (
	exitOK       = 0
	exitWarning  = 1
	exitCritical = 2
	exitCluster  = 3 // the cluster did not answer, or refused what the command needs
	exitUsage    = 4 // flags, arguments, config file, kubeconfig or dump are wrong
	exitInternal = 5 // mullion itself failed

	exitInterrupted = 130 // as a shell says it of a program that SIGINT ended
)

// verdict is the exit code of a command that has printed its answer: nothing failed.
type verdict int

func (v verdict) Error() string { return fmt.Sprintf("verdict %d", int(v)) }

// exitError carries the exit code of an error from where it is known to main.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usageError(err error) error    { return &exitError{exitUsage, err} }
func clusterError(err error) error  { return &exitError{exitCluster, err} }
func internalError(err error) error { return &exitError{exitInternal, err} }

func main() {
	if code, ours := kube.RunPlugin(os.Args); ours {
		os.Exit(code)
	}
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	cmd := newRoot(args[0], stdout, stderr)
	cmd.SetArgs(args[1:])
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted
	}
	if v := verdict(0); errors.As(err, &v) {
		return int(v)
	}
	fmt.Fprintln(stderr, "mullion:", model.CleanLines(err.Error()))
	var coded *exitError
	if errors.As(err, &coded) {
		return coded.code
	}
	return exitUsage // cobra's own errors are about the command line and carry no code
}
