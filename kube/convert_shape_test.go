package kube

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/model"
)

// daemonAffinity is the affinity that the DaemonSet controller writes for a node.
func daemonAffinity(node string, edit func(*corev1.NodeSelectorTerm)) *corev1.Affinity {
	term := corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
		Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}
	if edit != nil {
		edit(&term)
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}}}
}

func TestShape(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0", Namespace: "shop"}}
	p.Spec = corev1.PodSpec{
		NodeSelector:    map[string]string{"kubernetes.io/os": "windows"},
		Tolerations:     tolerateWindows,
		Priority:        ptr.To[int32](7),
		SchedulerName:   "default-scheduler",
		SchedulingGates: []corev1.PodSchedulingGate{{Name: "quota"}},
		Overhead:        corev1.ResourceList{"memory": resource.MustParse("64Mi")},
		ResourceClaims:  []corev1.PodResourceClaim{{Name: "gpu"}},
		InitContainers: []corev1.Container{
			{Name: "init", Image: "a:1", Ports: []corev1.ContainerPort{{HostPort: 1}}},
			{Name: "side", Image: "b:1", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways), Ports: []corev1.ContainerPort{{HostPort: 2}}},
		},
		Containers: []corev1.Container{{
			Name: "app", Image: "c:1", Ports: []corev1.ContainerPort{{ContainerPort: 80}, {HostPort: 3, HostIP: "10.0.0.1", Protocol: "UDP"}},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1"), "nvidia.com/gpu": resource.MustParse("2")}},
		}},
		Volumes: []corev1.Volume{
			{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-web-0"}}},
			{Name: "logs", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "logs"}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
			{Name: "share", VolumeSource: corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "nfs.csi.k8s.io"}}},
			{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: `C:\data`}}},
			{Name: "fast", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: "Memory"}}},
			{Name: "export", VolumeSource: corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}}},
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}},
			{Name: "kube-api-access-x7z2p", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}},
			{Name: "nothing"},
		},
	}
	want := &model.Shape{
		NodeSelector: map[string]string{"kubernetes.io/os": "windows"},
		Tolerations:  tolerateWindows,
		Ports:        []model.HostPort{{Protocol: "TCP", Port: 2}, {IP: "10.0.0.1", Protocol: "UDP", Port: 3}},
		Images:       []model.ContainerImage{{Container: "init", Image: "a:1", Init: true}, {Container: "side", Image: "b:1"}, {Container: "app", Image: "c:1"}},
		Extended:     map[string]int64{"nvidia.com/gpu": 2},
		Overhead:     model.Resources{Memory: 64 << 20},
		DeviceClaims: true, Priority: 7, Gates: []string{"quota"},
		Volumes: []model.PodVolume{
			{Name: "data", Kind: "persistentVolumeClaim", OwnClaim: true},
			{Name: "logs", Kind: "persistentVolumeClaim", Claim: "logs"},
			{Name: "tmp", Kind: "ephemeral", OwnClaim: true},
			{Name: "share", Kind: "csi", Driver: "nfs.csi.k8s.io"},
			{Name: "host", Kind: "hostPath", Path: `C:\data`},
			{Name: "fast", Kind: "emptyDir", Medium: "Memory"},
			{Name: "export", Kind: "nfs"},
		},
		NotOnWindows: []string{"volumes[fast].emptyDir.medium"},
	}
	got := interner{}.pod(p)
	if !reflect.DeepEqual(got.Shape, want) {
		t.Errorf("shape\n%+v\nwant\n%+v", got.Shape, want)
	}
	var claims []string
	for _, v := range got.Shape.Volumes {
		if c, ok := got.ClaimName(v); ok {
			claims = append(claims, c)
		}
	}
	if want := []string{"data-web-0", "logs", "web-0-tmp"}; !slices.Equal(claims, want) {
		t.Errorf("claims %q, want %q", claims, want)
	}
}

func TestTarget(t *testing.T) {
	preferred := daemonAffinity("w1", nil)
	preferred.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 1}}
	anti := daemonAffinity("w1", nil)
	anti.PodAntiAffinity = &corev1.PodAntiAffinity{}
	two := daemonAffinity("w1", nil)
	terms := &two.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	*terms = append(*terms, (*terms)[0])
	tests := []struct {
		name   string
		in     *corev1.Affinity
		target string
		rest   *corev1.Affinity // nil is nothing
	}{
		{"no affinity", nil, "", nil},
		{"a DaemonSet's", daemonAffinity("w1", nil), "w1", nil},
		{"with a preference", preferred, "w1", &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: preferred.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution}}},
		{"with anti-affinity", anti, "w1", &corev1.Affinity{PodAntiAffinity: anti.PodAntiAffinity}},
		{"two terms", two, "", two},
	}
	for name, edit := range map[string]func(*corev1.NodeSelectorTerm){
		"two names":        func(t *corev1.NodeSelectorTerm) { t.MatchFields[0].Values = []string{"w1", "w2"} },
		"not that node":    func(t *corev1.NodeSelectorTerm) { t.MatchFields[0].Operator = corev1.NodeSelectorOpNotIn },
		"and a label":      func(t *corev1.NodeSelectorTerm) { t.MatchExpressions = make([]corev1.NodeSelectorRequirement, 1) },
		"another field":    func(t *corev1.NodeSelectorTerm) { t.MatchFields[0].Key = "metadata.namespace" },
		"no field":         func(t *corev1.NodeSelectorTerm) { t.MatchFields = nil },
		"no name in field": func(t *corev1.NodeSelectorTerm) { t.MatchFields[0].Values = nil },
	} {
		a := daemonAffinity("w1", edit)
		tests = append(tests, struct {
			name   string
			in     *corev1.Affinity
			target string
			rest   *corev1.Affinity
		}{name, a, "", a})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.in.DeepCopy()
			if got := targetOf(tt.in); got != tt.target {
				t.Errorf("target %q, want %q", got, tt.target)
			}
			if got := withoutTarget(tt.in); !reflect.DeepEqual(got, tt.rest) {
				t.Errorf("the rest is\n%+v\nwant\n%+v", got, tt.rest)
			}
			if !reflect.DeepEqual(before, tt.in) {
				t.Error("the object was written to")
			}
		})
	}
}

func TestNotOnWindows(t *testing.T) {
	container := func(edit func(*corev1.Container)) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) { edit(&s.Containers[0]) }
	}
	security := func(c corev1.SecurityContext) func(*corev1.PodSpec) {
		return container(func(of *corev1.Container) { of.SecurityContext = &c })
	}
	hostProcess := &corev1.WindowsSecurityContextOptions{HostProcess: ptr.To(true)}
	tests := []struct {
		name string
		edit func(*corev1.PodSpec)
		want []string
	}{
		{"nothing", func(*corev1.PodSpec) {}, nil},
		{"host network", func(s *corev1.PodSpec) { s.HostNetwork = true }, []string{"hostNetwork"}},
		{"host network of a HostProcess pod", func(s *corev1.PodSpec) {
			s.HostNetwork, s.SecurityContext = true, &corev1.PodSecurityContext{WindowsOptions: hostProcess}
		}, nil},
		{"namespaces of the host", func(s *corev1.PodSpec) { s.HostPID, s.HostIPC = true, true }, []string{"hostPID", "hostIPC"}},
		{"the pod's security", func(s *corev1.PodSpec) {
			s.SecurityContext = &corev1.PodSecurityContext{FSGroup: ptr.To[int64](1), RunAsUser: ptr.To[int64](0), RunAsNonRoot: ptr.To(true)}
		}, []string{"securityContext.fsGroup", "securityContext.runAsUser"}},
		{"privileged", security(corev1.SecurityContext{Privileged: ptr.To(true)}), []string{"containers[app].securityContext.privileged"}},
		{"not privileged", security(corev1.SecurityContext{Privileged: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(false), RunAsNonRoot: ptr.To(true)}), nil},
		{"read-only root", security(corev1.SecurityContext{ReadOnlyRootFilesystem: ptr.To(true)}), []string{"containers[app].securityContext.readOnlyRootFilesystem"}},
		{"capabilities", security(corev1.SecurityContext{Capabilities: &corev1.Capabilities{}}), []string{"containers[app].securityContext.capabilities"}},
		{"huge pages", container(func(c *corev1.Container) {
			c.Resources.Limits = corev1.ResourceList{"hugepages-2Mi": resource.MustParse("4Mi"), "hugepages-1Gi": resource.MustParse("1Gi")}
		}), []string{"containers[app].resources.limits.hugepages"}},
		{"a block device", container(func(c *corev1.Container) { c.VolumeDevices = make([]corev1.VolumeDevice, 1) }), []string{"containers[app].volumeDevices"}},
		{"mount propagation", container(func(c *corev1.Container) {
			c.VolumeMounts = []corev1.VolumeMount{{}, {MountPropagation: ptr.To(corev1.MountPropagationBidirectional)}}
		}), []string{"containers[app].volumeMounts.mountPropagation"}},
		{"no mount propagation", container(func(c *corev1.Container) {
			c.VolumeMounts = []corev1.VolumeMount{{MountPropagation: ptr.To(corev1.MountPropagationNone)}}
		}), nil},
		{"disk of the pod", func(s *corev1.PodSpec) {
			s.Volumes = []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := &corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}}
			tt.edit(spec)
			if got := notOnWindows(spec); !slices.Equal(got, tt.want) {
				t.Errorf("not on Windows: %q, want %q", got, tt.want)
			}
		})
	}
}

// owned is a pod of an owner and a revision.
func owned(owner, hash, name string, edit func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": "web", "pod-template-hash": hash}}}
	if owner != "" {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: owner, UID: types.UID(owner), Controller: ptr.To(true)}}
	}
	p.Spec.NodeSelector = map[string]string{"kubernetes.io/os": "windows"}
	p.Spec.Containers = []corev1.Container{{Name: "app", Image: "web:1"}}
	p.Spec.Volumes = []corev1.Volume{{Name: "kube-api-access-" + name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}}
	if edit != nil {
		edit(p)
	}
	return p
}

func TestTemplatesAreShared(t *testing.T) {
	table, in := templates{}, interner{}
	first := table.pod(in, owned("a", "1", "a-1", nil))
	for _, tt := range []struct {
		name          string
		pod           *corev1.Pod
		shape, labels bool // shared with the first
	}{
		{"a second pod", owned("a", "1", "a-2", nil), true, true},
		{"the same pod again", owned("a", "1", "a-1", nil), true, true},
		{"another owner", owned("b", "1", "b-1", nil), false, false},
		{"another revision", owned("a", "2", "a-3", nil), false, false},
		{"no owner", owned("", "1", "c", nil), false, false},
		{"another image", owned("a", "1", "a-4", func(p *corev1.Pod) { p.Spec.Containers[0].Image = "web:2" }), false, true},
		{"a label of its own", owned("a", "1", "a-5", func(p *corev1.Pod) { p.Labels["pod-index"] = "5" }), true, false},
		{"behind a gate", owned("a", "1", "a-6", func(p *corev1.Pod) { p.Spec.SchedulingGates = make([]corev1.PodSchedulingGate, 1) }), false, true},
		{"a pod after all of them", owned("a", "1", "a-7", nil), true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, alone := table.pod(in, tt.pod), in.pod(tt.pod)
			if !reflect.DeepEqual(got, alone) {
				t.Errorf("shared\n%+v\nalone\n%+v", got, alone)
			}
			if shared := got.Shape == first.Shape; shared != tt.shape {
				t.Errorf("the shape is shared: %v", shared)
			}
			if shared := reflect.ValueOf(got.Labels).Pointer() == reflect.ValueOf(first.Labels).Pointer(); shared != tt.labels {
				t.Errorf("the labels are shared: %v", shared)
			}
		})
	}
}

func TestTemplatesAreBounded(t *testing.T) {
	table, in := templates{}, interner{}
	for i := range 3 * variants {
		p := owned("a", "1", "a", func(p *corev1.Pod) { p.Spec.Priority = ptr.To(int32(i)) })
		if got := table.pod(in, p); got.Shape.Priority != int32(i) {
			t.Fatalf("pod %d has the shape of another", i)
		}
	}
	if n := len(table[templateKey{"a", "1"}]); n > variants {
		t.Errorf("%d shapes of one template are kept", n)
	}
	for i := range maxTemplates + 10 {
		table.pod(in, owned(string(rune('A'+i)), "1", "x", nil))
	}
	if len(table) > maxTemplates {
		t.Errorf("%d templates are kept", len(table))
	}
}
