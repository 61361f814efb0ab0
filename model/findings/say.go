package findings

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
)

// bytes prints an amount as MiB below 10 GiB, where the tools that set limits count
// so too, and as GiB above.
func bytes(n int64) string {
	if n < 10<<30 {
		return fmt.Sprintf("%d MiB", (n+1<<19)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

func percent(ratio float64) string { return fmt.Sprintf("%.0f %%", ratio*100) }

// onWindows reports whether a pod runs, or asks to run, on Windows.
func onWindows(v *model.NodeView, p *model.Pod) bool {
	if v != nil {
		return v.OS == model.OSWindows
	}
	return p.OS == model.OSWindows
}
