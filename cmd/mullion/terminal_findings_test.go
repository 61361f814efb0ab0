//go:build !windows

package main

import (
	"strings"
	"testing"

	"github.com/mullion-tui/mullion/ui/uitest/vterm"
)

// TestFindingsOnTheScreen finds on the screen what is wrong in the cluster where
// everything is, and goes from a finding to its node and back.
func TestFindingsOnTheScreen(t *testing.T) {
	v := demo(t, vterm.Options{Cols: 160, Rows: 45})
	v.Press(":context trouble", "enter")
	v.WaitForText("trouble", "16 nodes", "all synced")
	v.Press("3")
	v.WaitFor("the image that does not fit", func(s string) bool {
		row := rowOf(s, "F13")
		return strings.Contains(row, "✗ critical") && strings.Contains(row, "pod placement/f13-2025-on-2022") && strings.Contains(row, "is of build 26100")
	})
	v.Press("/")
	v.WaitForText("enter keep · esc undo")
	v.Press("f13-2025", "enter")
	v.WaitForText("seen     container app: image", "why      In process isolation", "do       Use the image of the node's build", "filter f13-2025 · 1 of ")
	v.Press("enter")
	v.WaitForText("[Overview]", "Windows Server 2022")
	v.Press("esc")
	v.WaitForText("Findings by severity", "filter f13-2025")
	v.Press("q")
	v.CheckRestored()
}
