package findings

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/mullion-tui/mullion/model"
)

// since137 are the builds that Kubernetes supports from 1.37 on, Server 2022 and 2025
// (seed 003). What older minors supported is not in the table, so nothing is said of them.
var since137 = []int{20348, 26100}

var f14 = Rule{
	ID:       "F14",
	Title:    "Windows version that this Kubernetes version does not support, or out of Microsoft's support",
	Severity: Warning,
	Looks:    "The build of each Windows node against Microsoft's lifecycle dates, and from Kubernetes 1.37 on against the builds that Kubernetes supports (Server 2022 and 2025). Extended support is support. Which builds older Kubernetes versions supported is not looked at, and a build that the table does not know has no dates.",
	Why:      "Nobody tests the pair any more: faults stay, and a system out of support gets no security updates.",
	Remedy:   "Move the workloads to Windows Server 2022 or 2025, with images of that build, and remove the node.",
	Node: func(w *World, v *model.NodeView) []Finding {
		if v.OS != model.OSWindows || v.Windows.Number == 0 {
			return nil
		}
		name := "build " + v.Windows.Build
		product, known := model.ProductOf(v.Windows.Number)
		var why []string
		if known {
			name = product.Name
			switch phase, end := product.Support(w.Now); phase {
			case model.SupportEnded:
				why = append(why, "Microsoft's support ended on "+end.Format("2006-01-02"))
			default:
				w.past(end.AddDate(0, 0, 1))
			}
		}
		if k := kubernetes(w, v); k != nil && k.AtLeast(version.MajorMinor(1, 37)) && !slices.Contains(since137, v.Windows.Number) {
			why = append(why, fmt.Sprintf("Kubernetes %d.%d does not support it", k.Major(), k.Minor()))
		}
		if len(why) == 0 {
			return nil
		}
		return []Finding{{Object: v.Key(), Evidence: name + ": " + strings.Join(why, "; ")}}
	},
}

// kubernetes is the version of the API server, else that of the node's kubelet; nil is unknown.
func kubernetes(w *World, v *model.NodeView) *version.Version {
	for _, s := range []string{serverVersion(w), v.Kubelet} {
		if k, err := version.ParseGeneric(s); err == nil {
			return k
		}
	}
	return nil
}

func serverVersion(w *World) string {
	if w.Snapshot == nil {
		return ""
	}
	return w.Snapshot.Server.Version
}
