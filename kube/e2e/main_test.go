//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/mullion-tui/mullion/kube/e2e/cluster"
)

// plane is the control plane that all tests of this package share. A test works in
// a namespace of its own, or on nodes of names of its own.
var plane *cluster.Cluster

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if plane, err = cluster.Start(context.Background(), cluster.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := plane.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
