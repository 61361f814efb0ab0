package findings

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

const (
	osLabel     = corev1.LabelOSStable
	oldOSLabel  = "beta.kubernetes.io/os"
	noPlatform  = "no match for platform"
	noManifest  = "no matching manifest"
	wrongOS     = "PodOSNotSupported" // kubelet, pkg/kubelet/lifecycle
	wrongBuild  = "container operating system does not match the host operating system"
	wrongBuildN = "0xc0370101"
)

// isWindows reports whether a pod is made for Windows: it says so, selects Windows
// nodes, or runs on one. What has strayed onto a Windows node is no Windows pod.
func (w *World) isWindows(v *model.NodeView, p *model.Pod) bool {
	if os := w.meantFor(p); os != model.OSUnknown {
		return os == model.OSWindows
	}
	return v != nil && v.OS == model.OSWindows && !isLost(p)
}

// meantFor returns the system that a pod's spec asks for; unknown where it does not say.
func (w *World) meantFor(p *model.Pod) model.OS {
	switch {
	case p.OS != model.OSUnknown:
		return p.OS
	case p.HostProcess:
		return model.OSWindows
	}
	if p.Shape != nil {
		if os := selectedOS(p.Shape.NodeSelector); os != model.OSUnknown {
			return os
		}
		if os := requiredOS(p.Shape.Affinity); os != model.OSUnknown {
			return os
		}
	}
	if c, ok := w.class(p.RuntimeClass); ok {
		return selectedOS(c.NodeSelector)
	}
	return model.OSUnknown
}

func selectedOS(selector map[string]string) model.OS {
	if selector[model.WindowsBuildLabel] != "" {
		return model.OSWindows
	}
	if os := selector[osLabel]; os != "" {
		return model.OS(strings.ToLower(os))
	}
	return model.OS(strings.ToLower(selector[oldOSLabel]))
}

// requiredOS reads a required node affinity of which every term names the same system.
func requiredOS(a *corev1.Affinity) model.OS {
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return model.OSUnknown
	}
	var found model.OS
	for i, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		j := slices.IndexFunc(term.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool {
			return (r.Key == osLabel || r.Key == oldOSLabel) && r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1
		})
		if j < 0 {
			return model.OSUnknown
		}
		os := model.OS(strings.ToLower(term.MatchExpressions[j].Values[0]))
		if i > 0 && os != found {
			return model.OSUnknown
		}
		found = os
	}
	return found
}

// isLost reports whether the kubelet has refused the pod, or found no image for its
// platform: it is on the wrong node.
func isLost(p *model.Pod) bool {
	return p.State == wrongOS || strings.Contains(p.Message, noPlatform) || strings.Contains(p.Message, noManifest)
}

// linuxOnly reports whether fields are set that say something on Linux alone.
func linuxOnly(p *model.Pod) bool {
	if p.Shape == nil || p.HostProcess {
		return false
	}
	return len(p.Shape.NotOnWindows) > 0 || slices.ContainsFunc(p.Shape.Volumes, func(v model.PodVolume) bool {
		return v.Kind == "hostPath" && strings.HasPrefix(v.Path, "/")
	})
}

// names joins at most three names and the number of the others.
func names(all []string) string {
	const shown = 3
	if len(all) <= shown {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:shown], ", ") + " and " + count(len(all)-shown, "more", "more")
}
