//go:build e2e && linux

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
	"github.com/mullion-tui/mullion/kube/e2e/lab"
	"github.com/mullion-tui/mullion/kube/sim"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
)

var (
	plane  *cluster.Cluster // a control plane with the lab on it
	other  *sim.Cluster     // another cluster: the scenario "fleet", simulated and standing still
	binary string           // mullion, built as a release is
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "mullion-e2e-bin-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if binary, err = build(dir); err != nil {
		return 0, err
	}
	if os.Getenv(scaleVar) != "" {
		return m.Run(), nil // the measured cluster has the machine to itself
	}
	ctx := context.Background()
	if plane, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, plane.Close()) }()
	sc, err := scenario.Lab(time.Now())
	if err != nil {
		return 0, err
	}
	l, err := lab.Start(ctx, plane, sc)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	fleet, err := scenario.Named("fleet", time.Now())
	if err != nil {
		return 0, err
	}
	if other, err = sim.Start(ctx, fleet, sim.Options{Still: true}); err != nil {
		return 0, err
	}
	defer other.Close()
	return m.Run(), nil
}

// build makes the binary of this tree. MULLION_BINARY takes another one.
func build(dir string) (string, error) {
	if path := os.Getenv("MULLION_BINARY"); path != "" {
		return path, nil
	}
	path := filepath.Join(dir, "mullion")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", path, "github.com/mullion-tui/mullion/cmd/mullion")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build mullion: %w\n%s", err, out)
	}
	return path, nil
}
