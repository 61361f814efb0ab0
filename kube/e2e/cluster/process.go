//go:build linux

package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is one component.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string // path
	done chan struct{}
	err  error // why it ended; to be read once done is closed
}

// run starts a component. Its output goes to a file that is appended to when the
// component runs again.
func (c *Cluster) run(name string, args ...string) (*process, error) {
	p := &process{name: name, log: c.path(name + ".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer log.Close()
	p.cmd = exec.Command(filepath.Join(c.bin, name), args...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Dir = c.dir
	// A group of its own keeps the terminal's ctrl+c away from it; the death signal
	// ends it even when this process is killed.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// kill ends the process at once and waits until it is gone.
func (p *process) kill() error {
	err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end %s: %w", p.name, err)
	}
	return nil
}

// await asks url until it answers 200. It ends early when the process does.
func (p *process) await(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		// Only readiness is asked here, and of a port that was just handed out.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	for {
		answer, err := ask(ctx, client, url)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before it was ready: %v\n%s", p.name, p.err, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; last answer of %s: %w\n%s%s", p.name, ctx.Err(), url, err, answer, p.tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ask returns nil when url answers 200, else what came back.
func ask(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 8<<10))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return string(body), err
}

// tail returns the end of the component's log, for error messages.
func (p *process) tail() string {
	const lines = 25
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(string(bytes.TrimSpace(data)), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return fmt.Sprintf("the end of the log of %s:\n%s", p.name, strings.Join(all, "\n"))
}
