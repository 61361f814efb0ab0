package apiserver

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// setDefaults fills what the real server fills in on every write, for the kinds and fields that mullion or its tests look at
// (k8s.io/kubernetes pkg/apis/*/v1/defaults.go).
func setDefaults(obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		defaultPod(o)
	case *corev1.ReplicationController:
		setDefault(&o.Spec.Replicas, 1)
		if o.Spec.Template != nil {
			defaultPodSpec(&o.Spec.Template.Spec)
		}
	case *corev1.Node:
		if o.Status.Allocatable == nil && o.Status.Capacity != nil {
			o.Status.Allocatable = o.Status.Capacity.DeepCopy()
		}
	case *corev1.Namespace:
		defaultNamespace(o)
	case *corev1.Secret:
		defaultSecret(o)
	case *corev1.Service:
		defaultService(o)
	case *appsv1.Deployment:
		defaultDeployment(o)
	case *appsv1.DaemonSet:
		defaultDaemonSet(o)
	case *appsv1.ReplicaSet:
		setDefault(&o.Spec.Replicas, 1)
		defaultPodSpec(&o.Spec.Template.Spec)
	case *appsv1.StatefulSet:
		defaultStatefulSet(o)
	case *batchv1.Job:
		defaultJob(&o.Spec)
	case *batchv1.CronJob:
		defaultCronJob(o)
	}
}

func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func setText[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}

func defaultPod(p *corev1.Pod) {
	defaultPodSpec(&p.Spec)
	for _, list := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			requestsFromLimits(&list[i].Resources)
		}
	}
	setDefault(&p.Spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
}

func requestsFromLimits(r *corev1.ResourceRequirements) {
	for name, q := range r.Limits {
		if _, ok := r.Requests[name]; ok {
			continue
		}
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[name] = q.DeepCopy()
	}
}

func defaultPodSpec(s *corev1.PodSpec) {
	if s.ServiceAccountName == "" {
		s.ServiceAccountName = s.DeprecatedServiceAccount
	}
	s.DeprecatedServiceAccount = s.ServiceAccountName
	setText(&s.DNSPolicy, corev1.DNSClusterFirst)
	setText(&s.RestartPolicy, corev1.RestartPolicyAlways)
	setText(&s.SchedulerName, corev1.DefaultSchedulerName)
	setDefault(&s.SecurityContext, corev1.PodSecurityContext{})
	setDefault(&s.TerminationGracePeriodSeconds, int64(corev1.DefaultTerminationGracePeriodSeconds))
	for _, list := range [][]corev1.Container{s.Containers, s.InitContainers} {
		for i := range list {
			defaultContainer(&list[i], s.HostNetwork)
		}
	}
	for i := range s.Volumes {
		defaultVolume(&s.Volumes[i])
	}
}

func defaultContainer(c *corev1.Container, hostNetwork bool) {
	setText(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	setText(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	pull := corev1.PullIfNotPresent
	if tag := imageTag(c.Image); tag == "latest" {
		pull = corev1.PullAlways
	}
	setText(&c.ImagePullPolicy, pull)
	for i := range c.Ports {
		setText(&c.Ports[i].Protocol, corev1.ProtocolTCP)
		if hostNetwork && c.Ports[i].HostPort == 0 {
			c.Ports[i].HostPort = c.Ports[i].ContainerPort
		}
	}
	for i := range c.Env {
		if v := c.Env[i].ValueFrom; v != nil && v.FieldRef != nil {
			setText(&v.FieldRef.APIVersion, "v1")
		}
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		defaultProbe(p)
	}
}

func defaultProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	for _, f := range []struct {
		field *int32
		value int32
	}{{&p.TimeoutSeconds, 1}, {&p.PeriodSeconds, 10}, {&p.SuccessThreshold, 1}, {&p.FailureThreshold, 3}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if p.HTTPGet != nil {
		setText(&p.HTTPGet.Path, "/")
		setText(&p.HTTPGet.Scheme, corev1.URISchemeHTTP)
	}
}

// imageTag is "latest" for an image with neither tag nor digest.
func imageTag(image string) string {
	name, _, digest := strings.Cut(image, "@")
	last := name[strings.LastIndex(name, "/")+1:]
	_, tag, tagged := strings.Cut(last, ":")
	if !tagged && !digest {
		return "latest"
	}
	return tag
}

func defaultVolume(v *corev1.Volume) {
	switch {
	case v.Secret != nil:
		setDefault(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	case v.ConfigMap != nil:
		setDefault(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	case v.Projected != nil:
		setDefault(&v.Projected.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	case v.DownwardAPI != nil:
		setDefault(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
	case v.HostPath != nil:
		setDefault(&v.HostPath.Type, corev1.HostPathUnset)
	case v.VolumeSource == corev1.VolumeSource{}:
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
}

func defaultNamespace(n *corev1.Namespace) {
	setText(&n.Status.Phase, corev1.NamespaceActive)
	if n.Name == "" {
		return // one with a generated name gets its label once it has one
	}
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelMetadataName] = n.Name
}

// defaultSecret also moves stringData, which is for writers only, to where it is kept.
func defaultSecret(s *corev1.Secret) {
	setText(&s.Type, corev1.SecretTypeOpaque)
	for k, v := range s.StringData {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[k] = []byte(v)
	}
	s.StringData = nil
}

func defaultService(s *corev1.Service) {
	setText(&s.Spec.SessionAffinity, corev1.ServiceAffinityNone)
	setText(&s.Spec.Type, corev1.ServiceTypeClusterIP)
	if s.Spec.Type != corev1.ServiceTypeExternalName {
		setDefault(&s.Spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		setText(&p.Protocol, corev1.ProtocolTCP)
		if p.TargetPort == (intstr.IntOrString{}) {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
}

func defaultDeployment(d *appsv1.Deployment) {
	setDefault(&d.Spec.Replicas, 1)
	setDefault(&d.Spec.RevisionHistoryLimit, 10)
	setDefault(&d.Spec.ProgressDeadlineSeconds, 600)
	setText(&d.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		setDefault(&d.Spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		setDefault(&d.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		setDefault(&d.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	defaultPodSpec(&d.Spec.Template.Spec)
}

func defaultDaemonSet(d *appsv1.DaemonSet) {
	setDefault(&d.Spec.RevisionHistoryLimit, 10)
	setText(&d.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if d.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		setDefault(&d.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		setDefault(&d.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		setDefault(&d.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
	defaultPodSpec(&d.Spec.Template.Spec)
}

func defaultStatefulSet(s *appsv1.StatefulSet) {
	setDefault(&s.Spec.Replicas, 1)
	setDefault(&s.Spec.RevisionHistoryLimit, 10)
	setText(&s.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	if s.Spec.UpdateStrategy.Type == "" {
		s.Spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		setDefault(&s.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if r := s.Spec.UpdateStrategy.RollingUpdate; r != nil && s.Spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType {
		setDefault(&r.Partition, 0)
		setDefault(&r.MaxUnavailable, intstr.FromInt32(1))
	}
	setDefault(&s.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
		WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.RetainPersistentVolumeClaimRetentionPolicyType})
	defaultPodSpec(&s.Spec.Template.Spec)
}

func defaultJob(j *batchv1.JobSpec) {
	if j.Completions == nil && j.Parallelism == nil {
		j.Completions = ptr.To[int32](1)
	}
	setDefault(&j.Parallelism, 1)
	setDefault(&j.BackoffLimit, 6)
	setDefault(&j.CompletionMode, batchv1.NonIndexedCompletion)
	setDefault(&j.Suspend, false)
	setDefault(&j.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	defaultPodSpec(&j.Template.Spec)
}

func defaultCronJob(c *batchv1.CronJob) {
	setText(&c.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
	setDefault(&c.Spec.Suspend, false)
	setDefault(&c.Spec.SuccessfulJobsHistoryLimit, 3)
	setDefault(&c.Spec.FailedJobsHistoryLimit, 1)
	defaultPodSpec(&c.Spec.JobTemplate.Spec.Template.Spec)
}
