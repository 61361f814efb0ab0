//go:build !windows

package main

import (
	"strings"
	"testing"

	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// TestMemoryOnTheScreen finds the seed's figures on the screen of the program: the
// Windows node has committed 0.31 of its limit, hello-win 98 of 256 MiB, of which a
// tool that compares working sets sees 42.
func TestMemoryOnTheScreen(t *testing.T) {
	v := demo(t, vterm.Options{Cols: 120, Rows: 40})
	v.WaitFor("the commit of the Windows node among the nodes", func(s string) bool {
		return strings.Contains(rowOf(s, "k8s-lab-win-1"), "31% 2.9/9.2Gi")
	})
	v.Press("2")
	v.WaitFor("its commit on the memory screen", func(s string) bool {
		row := rowOf(s, "k8s-lab-win-1")
		return strings.Contains(row, "31%") && strings.Contains(row, "2.9 GiB of 9.2 commit · 1.3 working set") && strings.Contains(row, "kubelet")
	})
	v.Press("/")
	v.WaitForText("enter keep · esc undo")
	v.Press("hello-win", "enter")
	v.WaitFor("what hello-win has committed", func(s string) bool {
		row := rowOf(s, "win-demo/hello-win")
		return strings.Contains(row, "38%") && strings.Contains(row, "98 MiB of 256 commit · 42 working set")
	})
	v.WaitForText("Why commit:")
	v.Press("q")
	v.CheckRestored()
}

// rowOf returns the first line below the header that holds a text.
func rowOf(screen, text string) string {
	_, body, _ := strings.Cut(screen, "\n")
	for line := range strings.SplitSeq(body, "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}
