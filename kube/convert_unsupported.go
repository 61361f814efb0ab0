package kube

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// notOnWindows returns the paths of the fields that Windows has nothing for: those
// that the API refuses beside spec.os.name windows (pkg/apis/core/validation
// validateWindows) and those that the documentation of Windows containers names.
func notOnWindows(spec *corev1.PodSpec) []string {
	var out paths
	out.add(spec.HostPID, "hostPID")
	out.add(spec.HostIPC, "hostIPC")
	out.add(spec.HostNetwork && !isHostProcess(spec), "hostNetwork")
	out.add(spec.HostUsers != nil, "hostUsers")
	out.add(spec.ShareProcessNamespace != nil && *spec.ShareProcessNamespace, "shareProcessNamespace")
	out.ofPod(spec.SecurityContext)
	for i := range spec.InitContainers {
		out.ofContainer("initContainers", &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		out.ofContainer("containers", &spec.Containers[i])
	}
	for i := range spec.Volumes {
		if e := spec.Volumes[i].EmptyDir; e != nil {
			out.add(e.Medium == corev1.StorageMediumMemory || strings.HasPrefix(string(e.Medium), string(corev1.StorageMediumHugePages)),
				fmt.Sprintf("volumes[%s].emptyDir.medium", cut(spec.Volumes[i].Name)))
		}
	}
	return out
}

type paths []string

func (p *paths) add(set bool, path string) {
	if set {
		*p = append(*p, path)
	}
}

func (p *paths) ofPod(s *corev1.PodSecurityContext) {
	if s == nil {
		return
	}
	const at = "securityContext."
	p.add(s.SELinuxOptions != nil, at+"seLinuxOptions")
	p.add(s.SeccompProfile != nil, at+"seccompProfile")
	p.add(s.AppArmorProfile != nil, at+"appArmorProfile")
	p.add(s.FSGroup != nil, at+"fsGroup")
	p.add(s.FSGroupChangePolicy != nil, at+"fsGroupChangePolicy")
	p.add(len(s.Sysctls) > 0, at+"sysctls")
	p.add(s.RunAsUser != nil, at+"runAsUser")
	p.add(s.RunAsGroup != nil, at+"runAsGroup")
	p.add(len(s.SupplementalGroups) > 0, at+"supplementalGroups")
}

func (p *paths) ofContainer(list string, c *corev1.Container) {
	at := fmt.Sprintf("%s[%s].", list, cut(c.Name))
	if s := c.SecurityContext; s != nil {
		in := at + "securityContext."
		p.add(s.Privileged != nil && *s.Privileged, in+"privileged")
		p.add(s.AllowPrivilegeEscalation != nil, in+"allowPrivilegeEscalation")
		p.add(s.Capabilities != nil, in+"capabilities")
		p.add(s.ReadOnlyRootFilesystem != nil && *s.ReadOnlyRootFilesystem, in+"readOnlyRootFilesystem")
		p.add(s.ProcMount != nil, in+"procMount")
		p.add(s.SELinuxOptions != nil, in+"seLinuxOptions")
		p.add(s.SeccompProfile != nil, in+"seccompProfile")
		p.add(s.AppArmorProfile != nil, in+"appArmorProfile")
		p.add(s.RunAsUser != nil, in+"runAsUser")
		p.add(s.RunAsGroup != nil, in+"runAsGroup")
	}
	for name := range c.Resources.Limits {
		if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
			p.add(true, at+"resources.limits.hugepages")
			break
		}
	}
	p.add(len(c.VolumeDevices) > 0, at+"volumeDevices")
	for i := range c.VolumeMounts {
		if m := c.VolumeMounts[i].MountPropagation; m != nil && *m != corev1.MountPropagationNone {
			p.add(true, at+"volumeMounts.mountPropagation")
			break
		}
	}
}
