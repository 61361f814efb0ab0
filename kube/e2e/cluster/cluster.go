//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options say what runs. The zero value is the whole control plane with an audit log.
type Options struct {
	// APIServerOnly leaves out the controller manager and the scheduler: objects
	// stay as they were written. Nothing makes the "default" service account then,
	// so the admission plug-in that asks for it is off.
	APIServerOnly bool
	// SchedulerOnly leaves out the controller manager alone: pods are bound, and nobody
	// taints the nodes whose kubelets are not there.
	SchedulerOnly bool
	// NoAudit turns the audit log off, for loads that would fill a disk.
	NoAudit bool
}

// Cluster is a running control plane. Its methods can be called from any goroutine,
// but for Start/StopAPIServer and Close, which one goroutine calls in turn.
type Cluster struct {
	options Options
	dir     string // holds everything this cluster writes
	bin     string // holds the components
	ca      *authority

	etcdURL     string
	apiPort     int
	controlPort int
	schedPort   int

	etcd, apiserver, controllers, scheduler *process
	kubelets                                *kubeletGate
}

// Start brings a control plane up and returns when the API server is ready and
// the controllers have begun to work, or with the reason and the end of the log of
// the component that did not come up. The caller closes what it got.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	// The path must stay short: a Unix socket's may have no more than 107 bytes.
	dir, err := os.MkdirTemp("", "mullion-e2e-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the control plane: %w", err)
	}
	c := &Cluster{options: options, dir: dir, bin: bin}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start the control plane: %w", err), c.Close())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	var err error
	if c.ca, err = newAuthority(); err != nil {
		return err
	}
	if err := c.pickPorts(); err != nil {
		return err
	}
	if c.kubelets, err = openKubeletGate(c.path("egress.sock"), c.ca); err != nil {
		return err
	}
	if err := c.writeFiles(); err != nil {
		return err
	}
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	if c.options.APIServerOnly {
		return nil
	}
	both, ctx := errgroup.WithContext(ctx)
	if !c.options.SchedulerOnly {
		both.Go(func() error { return c.startControllers(ctx) })
	}
	both.Go(func() error { return c.startScheduler(ctx) })
	return both.Wait()
}

// Close ends all components and removes everything the cluster wrote. Nothing is
// asked to end by itself: no data is worth keeping.
func (c *Cluster) Close() error {
	var errs []error
	for _, p := range []*process{c.scheduler, c.controllers, c.apiserver, c.etcd} {
		if p != nil {
			errs = append(errs, p.kill())
		}
	}
	if c.kubelets != nil {
		errs = append(errs, c.kubelets.close())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// components are the binaries of a control plane.
var components = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// binaries returns the directory that build.sh fills.
func binaries() (string, error) {
	dir := os.Getenv("MULLION_CONTROLPLANE")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find the control plane: %w; set MULLION_CONTROLPLANE to its directory", err)
		}
		dir = filepath.Join(cache, "mullion", "controlplane", Version)
	}
	for _, name := range components {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("find the control plane: %w; run `make controlplane` first", err)
		}
	}
	return dir, nil
}

// Version is the Kubernetes version of the control plane, as kube/e2e/controlplane/go.mod has it.
const Version = "v1.37.2"

// startTimeout is how long a component may take until it says that it is ready. A
// loaded machine with a cold disk cache needs a good part of it.
const startTimeout = 2 * time.Minute
