//go:build linux

package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pretend fills a directory with scripts in place of the components.
func pretend(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	for _, name := range components {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("MULLION_CONTROLPLANE", bin)
}

// ownTemp gives the test a short directory for temporary files and fails when
// something is left in it.
func ownTemp(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "own")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		os.RemoveAll(dir)
	})
}

func TestStartShowsTheLogOfAComponentThatEnds(t *testing.T) {
	ownTemp(t)
	pretend(t, "echo no space on this disk >&2; exit 3")
	c, err := Start(t.Context(), Options{})
	if err == nil {
		c.Close()
		t.Fatal("a control plane whose etcd ends at once has started")
	}
	for _, want := range []string{"etcd ended before it was ready", "exit status 3", "no space on this disk"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}

func TestStartSaysHowToBuildWhatIsMissing(t *testing.T) {
	ownTemp(t)
	t.Setenv("MULLION_CONTROLPLANE", t.TempDir())
	c, err := Start(t.Context(), Options{})
	if err == nil {
		c.Close()
		t.Fatal("a control plane without components has started")
	}
	if !strings.Contains(err.Error(), "make controlplane") {
		t.Errorf("the error does not say how to build the control plane: %v", err)
	}
}

func TestMutatingCountsEverythingButReadsAndSelfReviews(t *testing.T) {
	for _, c := range []struct {
		verb, resource string
		want           bool
	}{
		{"get", "nodes", false},
		{"list", "pods", false},
		{"watch", "pods", false},
		{"create", "selfsubjectaccessreviews", false},
		{"create", "subjectaccessreviews", true},
		{"create", "pods", true},
		{"update", "nodes", true},
		{"patch", "nodes", true},
		{"delete", "pods", true},
		{"deletecollection", "pods", true},
	} {
		e := Event{Verb: c.verb}
		e.Object.Resource = c.resource
		if got := e.Mutating(); got != c.want {
			t.Errorf("%s %s: got %v, want %v", c.verb, c.resource, got, c.want)
		}
	}
}
