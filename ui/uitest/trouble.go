package uitest

import (
	"time"

	"github.com/mullion-tui/mullion/model"
)

// Trouble is a small cluster in which something is wrong of every severity, and one
// list is refused.
func Trouble() model.Delta {
	d := Lab()
	open := Windows("win-open", "10.0.20348", 4294)
	open.Taints = nil
	misfit := Pod("shop", "reports-6cf4d9bb8d-7xw2m", open.Name, model.Owner{Kind: "ReplicaSet", Name: "reports-6cf4d9bb8d"})
	misfit.OS, misfit.Ready, misfit.State = model.OSWindows, 0, "CrashLoopBackOff"
	misfit.Shape = &model.Shape{
		NodeSelector: map[string]string{"kubernetes.io/os": "windows"},
		Images:       []model.ContainerImage{{Container: "app", Image: "registry.example/reports:2-ltsc2025"}},
	}
	stuck := Pod("shop", "importer-0", "k8s-lab-lin-2", model.Owner{Kind: "StatefulSet", Name: "importer"})
	stuck.Deleted, stuck.Finalizers = Now.Add(-2*time.Hour), []string{"example.com/backup"}
	nowhere := Pod("shop", "waits-5d8f6c7b9-qwert", "", model.Owner{Kind: "ReplicaSet", Name: "waits-5d8f6c7b9"})
	nowhere.Phase, nowhere.State, nowhere.Ready, nowhere.RuntimeClass = "Pending", "Pending", 0, "windows-2019"
	nowhere.OS = model.OSWindows
	d.Objects = append(d.Objects, open, misfit, stuck, nowhere, &model.RuntimeClass{
		Name: "windows-2019", Handler: "runhcs-wcow-process",
		NodeSelector: map[string]string{"kubernetes.io/os": "windows", model.WindowsBuildLabel: "10.0.17763"},
	})
	for i, f := range d.Feeds {
		if f.Kind == model.KindLease {
			d.Feeds[i] = model.Feed{Kind: f.Kind, State: model.FeedForbidden, Since: Now.Add(-time.Hour), Error: `leases is forbidden: User "dev" cannot list resource`}
		}
	}
	return d
}
