package findings

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/placement"
)

// f13 believes a pod that runs more than a tag: tags are names that anybody may give.
var f13 = Rule{
	ID:       "F13",
	Title:    "image base that does not fit the node's build",
	Severity: Warning,
	Looks:    "Images of Windows pods, by the build that their tag names (said to be inferred: a tag is only a name), against the build of the node, or before the pod is placed against the build that it selects. A host before Server 2025 runs its own build alone; Server 2025 takes images of Server 2022 as a documented exception. HostProcess pods and Hyper-V isolation are exempt, and so is a pod that is ready. What the container runtime itself says of a wrong build counts for any image.",
	Why:      "In process isolation the image and the host share one kernel. The container does not start, or starts and breaks with an update.",
	Remedy:   "Use the image of the node's build, most publish one per build (ltsc2022, ltsc2025), and place the pod through a RuntimeClass of that build.",
	Needs:    []model.Kind{model.KindRuntimeClass},
	Pod: func(w *World, v *model.NodeView, p *model.Pod) []Finding {
		if p.Shape == nil || p.HostProcess || !w.isWindows(v, p) {
			return nil
		}
		c, _ := w.class(p.RuntimeClass)
		if c != nil && strings.Contains(strings.ToLower(c.Handler), "hypervisor") {
			return nil
		}
		if strings.Contains(p.Message, wrongBuild) || strings.Contains(p.Message, wrongBuildN) {
			return []Finding{{Object: p.Key(), Severity: Critical, Evidence: fmt.Sprintf("%s: %s", p.State, p.Message)}}
		}
		return misfits(v, p, c)
	},
}

func misfits(v *model.NodeView, p *model.Pod, c *model.RuntimeClass) []Finding {
	host := hostBuild(v, p, c)
	if host == 0 {
		return nil
	}
	ready := p.Total > 0 && p.Ready == p.Total
	var found []Finding
	for _, i := range p.Shape.Images {
		base := placement.BaseOf(placement.ParseImage(i.Image))
		f := Finding{Object: p.Key()}
		var end string
		switch placement.FitOf(host, base.Build) {
		case placement.FitNever:
			if ready {
				continue
			}
			f.Severity, end = Critical, "it never runs there"
		case placement.FitException:
			end = "an exception, not to build on"
		default:
			continue
		}
		where := fmt.Sprintf("the pod selects build %d", host)
		if v != nil {
			where = fmt.Sprintf("node %s is %s", v.Name, v.Windows.Build)
		}
		f.Evidence = fmt.Sprintf("container %s: image %s is of build %d, inferred from %s in its tag, and %s: %s", i.Container, i.Image, base.Build, base.Part, where, end)
		found = append(found, f)
	}
	return found
}

// hostBuild is the build of the pod's node, or the one that the pod asks for; 0 is unknown.
func hostBuild(v *model.NodeView, p *model.Pod, c *model.RuntimeClass) int {
	if v != nil {
		return v.Windows.Number
	}
	label := p.Shape.NodeSelector[model.WindowsBuildLabel]
	if label == "" && c != nil {
		label = c.NodeSelector[model.WindowsBuildLabel]
	}
	return model.ParseWindowsVersion(label, "").Number
}
