package findings

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/mullion-tui/mullion/model"
)

// f02 needs a sign that the image is for Linux: an image of several platforms may run everywhere.
var f02 = Rule{
	ID:       "F02",
	Title:    "DaemonSet with a Linux image that reaches a Windows node",
	Severity: Warning,
	Looks:    "DaemonSets that nothing keeps off a Windows node: no selector or affinity against it, and a toleration of its taints. That the image is for Linux is known from `spec.os.name`, from fields and host paths that only Linux has, or from a pod that found no image for its platform; a DaemonSet whose pods on Windows are ready is left alone.",
	Why:      "The Windows node holds a pod in ErrImagePull for ever, the DaemonSet never gets complete, and its rollout stops there.",
	Remedy:   "Add nodeSelector kubernetes.io/os: linux to the DaemonSet. A taint does not help: operator Exists tolerates everything.",
	Needs:    []model.Kind{model.KindNode, model.KindPod, model.KindDaemonSet},
	Cluster: func(w *World) []Finding {
		nodes := w.windows()
		if len(nodes) == 0 {
			return nil
		}
		var all []Finding
		for _, d := range w.Snapshot.Workloads() {
			if d.Kind != model.KindDaemonSet || d.Template == nil || w.meantFor(d.Template) == model.OSWindows {
				continue
			}
			if f, ok := straying(d, nodes); ok {
				all = append(all, f)
			}
		}
		return all
	},
}

func straying(d *model.Workload, nodes []*model.NodeView) (Finding, bool) {
	var reached, lost []string
	runs := false
	f := Finding{Object: d.Key()}
	for _, v := range nodes {
		if !reaches(d.Template, v) {
			continue
		}
		reached = append(reached, v.Name)
		for _, p := range v.Pods {
			if p.Owner.Kind != "DaemonSet" || p.Owner.Name != d.Name || p.Namespace != d.Namespace || p.Finished() {
				continue
			}
			f.Related = append(f.Related, p.Key())
			runs = runs || p.Total > 0 && p.Ready == p.Total
			if isLost(p) {
				lost = append(lost, v.Name)
			}
		}
	}
	switch {
	case len(reached) == 0 || runs:
		return Finding{}, false
	case len(lost) > 0:
		f.Evidence = fmt.Sprintf("its pods find no image for Windows on %s (%s)", count(len(lost), "node", "nodes"), names(lost))
	case d.Template.OS == model.OSLinux:
		f.Evidence = fmt.Sprintf("spec.os.name is linux, and nothing keeps it off %s (%s)", count(len(reached), "Windows node", "Windows nodes"), names(reached))
	case linuxOnly(d.Template):
		f.Evidence = fmt.Sprintf("it is written for Linux, and nothing keeps it off %s (%s)", count(len(reached), "Windows node", "Windows nodes"), names(reached))
	default:
		return Finding{}, false
	}
	return f, true
}

// reaches reports whether selectors, affinity and taints let the DaemonSet's pods onto
// the node. The DaemonSet controller itself tolerates what Kubernetes taints a sick node with.
func reaches(p *model.Pod, v *model.NodeView) bool {
	if p.Shape == nil {
		return false
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: v.Name, Labels: v.Labels}}
	if ok, err := nodeaffinity.NewRequiredNodeAffinity(p.Shape.NodeSelector, p.Shape.Affinity).Match(node); !ok || err != nil {
		return false
	}
	for _, t := range v.Taints {
		if guards(t) && !tolerates(p.Shape.Tolerations, t) {
			return false
		}
	}
	return true
}

// tolerates matches as the scheduler does, exactly (k8s.io/api core/v1 ToleratesTaint).
func tolerates(all []corev1.Toleration, t model.Taint) bool {
	return slices.ContainsFunc(all, func(l corev1.Toleration) bool {
		if l.Effect != "" && string(l.Effect) != t.Effect || l.Key != "" && l.Key != t.Key {
			return false
		}
		return l.Operator == corev1.TolerationOpExists || l.Key != "" && l.Value == t.Value && (l.Operator == "" || l.Operator == corev1.TolerationOpEqual)
	})
}
