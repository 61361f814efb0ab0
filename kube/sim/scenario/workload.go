package scenario

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// Labels that the controllers write; the apps API names only the first as a constant.
const (
	hashLabel       = appsv1.DefaultDeploymentUniqueLabelKey // pod-template-hash
	revisionLabel   = appsv1.ControllerRevisionHashLabelKey
	generationLabel = "pod-template-generation"
	revisionNote    = "deployment.kubernetes.io/revision"
)

func controlledBy(kind, api string, o metav1.Object) *metav1.OwnerReference {
	return &metav1.OwnerReference{
		APIVersion: api, Kind: kind, Name: o.GetName(), UID: o.GetUID(), Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// deployment adds a Deployment with its ReplicaSet and its pods. hash is the ReplicaSet's pod-template-hash, made up when empty.
func (s *stage) deployment(d *appsv1.Deployment, hash string, age time.Duration, pods []Placed) error {
	if hash == "" {
		hash = suffix(s.name, d.Namespace, d.Name) + suffix(d.Name, d.Namespace, s.name)
	}
	complete(&d.Spec.Template.Spec)
	if d.Spec.Replicas == nil {
		d.Spec.Replicas = ptr.To(int32(len(pods)))
	}
	if d.Spec.Strategy.Type == "" {
		quarter := ptr.To(intstr.FromString("25%"))
		d.Spec.Strategy = appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: quarter, MaxUnavailable: quarter},
		}
	}
	d.Spec.RevisionHistoryLimit, d.Spec.ProgressDeadlineSeconds = ptr.To[int32](10), ptr.To[int32](600)
	d.Generation = 1
	d.Annotations = with(d.Annotations, revisionNote, "1")
	s.add("Deployment", d, age)

	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.Namespace, Name: d.Name + "-" + hash, Generation: 1,
			Labels: with(d.Spec.Template.Labels, hashLabel, hash),
			Annotations: map[string]string{
				revisionNote: "1", "deployment.kubernetes.io/desired-replicas": strconv.Itoa(int(*d.Spec.Replicas)),
				"deployment.kubernetes.io/max-replicas": strconv.Itoa(int(*d.Spec.Replicas) + int(*d.Spec.Replicas+3)/4),
			},
			OwnerReferences: []metav1.OwnerReference{*controlledBy("Deployment", "apps/v1", d)},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: d.Spec.Replicas, Selector: d.Spec.Selector.DeepCopy(), Template: *d.Spec.Template.DeepCopy(),
		},
	}
	rs.Spec.Selector.MatchLabels[hashLabel] = hash
	rs.Spec.Template.Labels = with(rs.Spec.Template.Labels, hashLabel, hash)
	total, ok, err := s.replicas(rs, age, pods)
	if err != nil {
		return err
	}
	d.Status = appsv1.DeploymentStatus{
		ObservedGeneration: 1, Replicas: total, UpdatedReplicas: total, ReadyReplicas: ok, AvailableReplicas: ok,
		UnavailableReplicas: *d.Spec.Replicas - ok, Conditions: s.deploymentConditions(d, rs.Name, ok, age),
	}
	return nil
}

// replicas adds a ReplicaSet and its pods, and says how many there are and how many are ready.
func (s *stage) replicas(rs *appsv1.ReplicaSet, age time.Duration, pods []Placed) (total, ok int32, err error) {
	s.add("ReplicaSet", rs, age)
	owner := controlledBy("ReplicaSet", "apps/v1", rs)
	var leaving int32
	for i, p := range pods {
		name := p.Name
		if name == "" {
			name = rs.Name + "-" + suffix(s.name, rs.Namespace, rs.Name, strconv.Itoa(i))
		}
		pod, err := s.pod(rs.Namespace, name, &rs.Spec.Template, owner, p, age)
		if err != nil {
			return 0, 0, fmt.Errorf("replica set %s/%s: %w", rs.Namespace, rs.Name, err)
		}
		if pod.DeletionTimestamp != nil {
			leaving++
			continue
		}
		total++
		if ready(pod) {
			ok++
		}
	}
	rs.Status = appsv1.ReplicaSetStatus{
		ObservedGeneration: 1, Replicas: total, FullyLabeledReplicas: total, ReadyReplicas: ok, AvailableReplicas: ok,
		TerminatingReplicas: ptr.To(leaving),
	}
	return total, ok, nil
}

func (s *stage) deploymentConditions(d *appsv1.Deployment, rs string, ok int32, age time.Duration) []appsv1.DeploymentCondition {
	available := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable",
		Message: "Deployment has minimum availability.", LastUpdateTime: s.ago(age), LastTransitionTime: s.ago(age),
	}
	// Rounded down as the Deployment controller rounds maxUnavailable.
	if ok < *d.Spec.Replicas-*d.Spec.Replicas/4 {
		available.Status, available.Reason = corev1.ConditionFalse, "MinimumReplicasUnavailable"
		available.Message = "Deployment does not have minimum availability."
	}
	return []appsv1.DeploymentCondition{available, {
		Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable",
		Message:        fmt.Sprintf("ReplicaSet %q has successfully progressed.", rs),
		LastUpdateTime: s.ago(age), LastTransitionTime: s.ago(age),
	}}
}

// daemonTolerations are those that the DaemonSet controller adds to its pods.
var daemonTolerations = []corev1.Toleration{
	{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
}

// daemonSet adds a DaemonSet and its pods.
func (s *stage) daemonSet(d *appsv1.DaemonSet, age time.Duration, pods []Placed) error {
	complete(&d.Spec.Template.Spec)
	d.Generation = 1
	d.Annotations = with(d.Annotations, appsv1.DeprecatedTemplateGeneration, "1")
	d.Spec.RevisionHistoryLimit = ptr.To[int32](10)
	if d.Spec.UpdateStrategy.Type == "" {
		d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
			Type: appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{
				MaxUnavailable: ptr.To(intstr.FromInt32(1)), MaxSurge: ptr.To(intstr.FromInt32(0)),
			},
		}
	}
	s.add("DaemonSet", d, age)
	owner := controlledBy("DaemonSet", "apps/v1", d)
	hash := suffix(s.name, d.Namespace, d.Name) + suffix(d.Name, d.Namespace)
	var ok int32
	for _, p := range pods {
		t := d.Spec.Template.DeepCopy()
		t.Labels = with(with(t.Labels, revisionLabel, hash), generationLabel, "1")
		bind(&t.Spec, p.Node)
		t.Spec.Tolerations = append(t.Spec.Tolerations, daemonTolerations...)
		if t.Spec.HostNetwork {
			t.Spec.Tolerations = append(t.Spec.Tolerations, corev1.Toleration{
				Key: corev1.TaintNodeNetworkUnavailable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
			})
		}
		name := p.Name
		if name == "" {
			name = d.Name + "-" + suffix(s.name, d.Namespace, d.Name, p.Node)
		}
		pod, err := s.pod(d.Namespace, name, t, owner, p, age)
		if err != nil {
			return fmt.Errorf("daemon set %s/%s: %w", d.Namespace, d.Name, err)
		}
		if ready(pod) {
			ok++
		}
	}
	n := int32(len(pods))
	d.Status = appsv1.DaemonSetStatus{
		ObservedGeneration: 1, DesiredNumberScheduled: n, CurrentNumberScheduled: n, UpdatedNumberScheduled: n,
		NumberReady: ok, NumberAvailable: ok, NumberUnavailable: n - ok,
	}
	return nil
}

// bind is how the DaemonSet controller ties a pod to its node: by the node's name, for the scheduler to follow.
func bind(spec *corev1.PodSpec, node string) {
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
			}},
		}}},
	}}
}

// statefulSet adds a StatefulSet and its pods; the first pod is number 0.
func (s *stage) statefulSet(d *appsv1.StatefulSet, age time.Duration, pods []Placed) error {
	complete(&d.Spec.Template.Spec)
	d.Generation = 1
	if d.Spec.Replicas == nil {
		d.Spec.Replicas = ptr.To(int32(len(pods)))
	}
	d.Spec.RevisionHistoryLimit = ptr.To[int32](10)
	d.Spec.PodManagementPolicy = appsv1.OrderedReadyPodManagement
	d.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
		Type:          appsv1.RollingUpdateStatefulSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: ptr.To[int32](0)},
	}
	s.add("StatefulSet", d, age)
	owner := controlledBy("StatefulSet", "apps/v1", d)
	revision := d.Name + "-" + suffix(s.name, d.Namespace, d.Name) + suffix(d.Name, d.Namespace)
	var ok int32
	for i, p := range pods {
		name := d.Name + "-" + strconv.Itoa(i)
		t := d.Spec.Template.DeepCopy()
		t.Labels = with(t.Labels, revisionLabel, revision)
		maps.Copy(t.Labels, map[string]string{
			appsv1.StatefulSetPodNameLabel: name, appsv1.PodIndexLabel: strconv.Itoa(i),
		})
		t.Spec.Hostname, t.Spec.Subdomain = name, d.Spec.ServiceName
		pod, err := s.pod(d.Namespace, name, t, owner, p, age)
		if err != nil {
			return fmt.Errorf("stateful set %s/%s: %w", d.Namespace, d.Name, err)
		}
		if ready(pod) {
			ok++
		}
	}
	n := int32(len(pods))
	d.Status = appsv1.StatefulSetStatus{
		ObservedGeneration: 1, Replicas: n, CurrentReplicas: n, UpdatedReplicas: n, ReadyReplicas: ok, AvailableReplicas: ok,
		CurrentRevision: revision, UpdateRevision: revision, CollisionCount: ptr.To[int32](0),
	}
	return nil
}

// job adds a Job and its pods, which are still running.
func (s *stage) job(j *batchv1.Job, age time.Duration, pods []Placed) error {
	complete(&j.Spec.Template.Spec)
	j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	j.UID = s.uid("Job", j.Namespace, j.Name)
	own := map[string]string{
		batchv1.ControllerUidLabel: string(j.UID), batchv1.JobNameLabel: j.Name, "controller-uid": string(j.UID), "job-name": j.Name,
	}
	j.Generation = 1
	j.Spec.Completions, j.Spec.Parallelism = ptr.To(int32(len(pods))), ptr.To(int32(len(pods)))
	j.Spec.BackoffLimit, j.Spec.Suspend = ptr.To[int32](6), ptr.To(false)
	j.Spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion)
	j.Spec.ManualSelector = ptr.To(true) // a real API server would otherwise insist on making up UID and selector itself
	j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: string(j.UID)}}
	j.Spec.Template.Labels = maps.Clone(j.Spec.Template.Labels)
	if j.Spec.Template.Labels == nil {
		j.Spec.Template.Labels = map[string]string{}
	}
	maps.Copy(j.Spec.Template.Labels, own)
	s.add("Job", j, age)
	owner := controlledBy("Job", "batch/v1", j)
	for i, p := range pods {
		name := j.Name + "-" + suffix(s.name, j.Namespace, j.Name, strconv.Itoa(i))
		if _, err := s.pod(j.Namespace, name, &j.Spec.Template, owner, p, age); err != nil {
			return fmt.Errorf("job %s/%s: %w", j.Namespace, j.Name, err)
		}
	}
	j.Status = batchv1.JobStatus{
		Active: int32(len(pods)), Ready: ptr.To(int32(len(pods))), Terminating: ptr.To[int32](0), StartTime: ptr.To(s.ago(age)),
		UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{},
	}
	return nil
}

func with(m map[string]string, key, value string) map[string]string {
	out := make(map[string]string, len(m)+1)
	maps.Copy(out, m)
	out[key] = value
	return out
}
