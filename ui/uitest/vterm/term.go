//go:build !windows

package vterm

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// Options say what to start and on which terminal.
type Options struct {
	Path string   // the binary
	Args []string // without the name of the binary
	// Env is added to an environment of TERM, COLORTERM, LANG, PATH and a HOME that
	// is empty, so that a test never depends on the machine's own configuration.
	Env        []string
	Dir        string        // "": the test's own
	Cols, Rows int           // 0: 80 by 24
	Light      bool          // the terminal says that its background is white
	Patience   time.Duration // how long output may fail to come; 0: a minute
}

// Term is a running binary and its screen. Its methods are for the goroutine of
// the test, which they fail on any error.
type Term struct {
	t        testing.TB
	patience time.Duration
	cmd      *exec.Cmd
	pty      *os.File
	before   *term.State   // the line settings that the binary found
	exited   chan struct{} // closed when it is gone and its output is read
	code     int           // valid once exited is closed
	escaped  bool          // the last key was esc, and nothing was waited for since

	mu      sync.Mutex
	screen  *vt.Emulator
	modes   map[int]bool // DEC private modes that the binary changed
	raw     bytes.Buffer
	changed chan struct{} // closed and replaced at each change
}

// Start runs the binary until the end of the test at most.
func Start(t testing.TB, o Options) *Term {
	t.Helper()
	o.Cols, o.Rows = cmp.Or(o.Cols, 80), cmp.Or(o.Rows, 24)
	o.Patience = cmp.Or(o.Patience, time.Minute)
	v := &Term{
		t: t, patience: o.Patience,
		exited:  make(chan struct{}),
		screen:  vt.NewEmulator(o.Cols, o.Rows),
		modes:   map[int]bool{},
		changed: make(chan struct{}),
	}
	v.watchModes()
	if o.Light {
		v.screen.SetDefaultForegroundColor(color.Black)
		v.screen.SetDefaultBackgroundColor(color.White)
	}
	if err := v.start(o); err != nil {
		t.Fatalf("start %s on a pseudo-terminal: %v", o.Path, err)
	}
	return v
}

func (v *Term) start(o Options) error {
	primary, secondary, err := pty.Open()
	if err != nil {
		return err
	}
	defer secondary.Close()
	v.pty = primary
	if err := pty.Setsize(primary, size(o.Cols, o.Rows)); err != nil {
		return err
	}
	if v.before, err = lineSettings(primary); err != nil {
		return err
	}
	v.cmd = exec.Command(o.Path, o.Args...)
	v.cmd.Dir = o.Dir
	v.cmd.Env = append([]string{
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"PATH=" + os.Getenv("PATH"), "HOME=" + v.t.TempDir(), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}, o.Env...)
	v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr = secondary, secondary, secondary
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := v.cmd.Start(); err != nil {
		return err
	}
	v.follow()
	return nil
}

// follow moves bytes both ways until the binary is gone.
func (v *Term) follow() {
	var output, answers sync.WaitGroup
	output.Go(func() {
		// The read ends with EIO when the last holder of the terminal is gone.
		_, _ = io.Copy(writer(v.feed), v.pty)
	})
	answers.Go(func() {
		// Read on when the binary is gone: a screen whose answers nobody takes stops.
		_, _ = io.Copy(writer(func(p []byte) { _, _ = v.pty.Write(p) }), v.screen)
	})
	go func() {
		_ = v.cmd.Wait()
		output.Wait()
		v.code = v.cmd.ProcessState.ExitCode()
		close(v.exited)
	}()
	v.t.Cleanup(func() {
		select {
		case <-v.exited:
		default:
			// The binary leads a group of its own, with what it started.
			_ = syscall.Kill(-v.cmd.Process.Pid, syscall.SIGKILL)
			<-v.exited
		}
		// Not Emulator.Close: it races with the read that it is to end.
		_ = v.screen.InputPipe().(io.Closer).Close()
		answers.Wait()
		_ = v.pty.Close()
	})
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

func (v *Term) feed(p []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.raw.Write(p)
	_, _ = v.screen.Write(p)
	v.wake()
}

// wake is called with the lock held.
func (v *Term) wake() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// Resize changes the size of the terminal, as dragging its window does.
func (v *Term) Resize(cols, rows int) {
	v.t.Helper()
	v.mu.Lock()
	v.screen.Resize(cols, rows)
	v.wake()
	v.mu.Unlock()
	if err := pty.Setsize(v.pty, size(cols, rows)); err != nil {
		v.t.Fatalf("resize the pseudo-terminal to %d×%d: %v", cols, rows, err)
	}
}

func size(cols, rows int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}
}

// Pid is the binary's process ID, for those who measure it.
func (v *Term) Pid() int { return v.cmd.Process.Pid }

// Signal sends the binary a signal.
func (v *Term) Signal(sig os.Signal) {
	v.t.Helper()
	if err := v.cmd.Process.Signal(sig); err != nil {
		v.t.Fatalf("send %v to %s: %v", sig, v.cmd.Path, err)
	}
}

func (v *Term) fail(format string, args ...any) {
	v.t.Helper()
	v.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), frame(v.Screen()))
}

func frame(screen string) string {
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		lines[i] = fmt.Sprintf("%3d│%s", i+1, line)
	}
	return strings.Join(lines, "\n")
}
