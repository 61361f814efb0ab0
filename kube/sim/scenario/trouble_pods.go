package scenario

import (
	_ "embed"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// bootTrouble: a node that came back from a power cut before anybody noticed. What ran on it looks Running, has no network
// and never becomes ready.
func (s *stage) bootTrouble() error {
	n := s.nodes["w25-crashed"]
	s.warn(n, "Rebooted", "Node w25-crashed has been rebooted, boot id: "+n.Status.NodeInfo.BootID, 1, 6*time.Minute)
	return s.run(work{
		ns: "boot", name: "f19-no-network", os: "windows", class: "windows-2025", replicas: 3, age: 12 * day, example: "F19",
		nodes: []string{n.Name, n.Name, n.Name}, image: "ghcr.io/example/web:2.0-ltsc2025", memory: "256Mi",
		edit: func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].ReadinessProbe = &corev1.Probe{
				ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8080)}},
			}
		},
		pod: func(_ int, p *corev1.Pod) {
			p.CreationTimestamp = s.ago(12 * day)
			p.Status.StartTime = ptr.To(s.ago(12 * day))
			for i := range p.Status.ContainerStatuses {
				c := &p.Status.ContainerStatuses[i]
				c.RestartCount, c.State.Running.StartedAt = 1, s.ago(370*time.Second)
				c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
					ExitCode: 255, Reason: "Unknown", StartedAt: s.ago(12 * day), FinishedAt: s.ago(7 * time.Minute), ContainerID: c.ContainerID,
				}
			}
			unready(p, s.ago(400*time.Second))
			hold(p)
			s.event(p, corev1.EventTypeNormal, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.", 1, 380*time.Second)
			s.warn(p, "Unhealthy", `Readiness probe failed: dial tcp `+p.Status.PodIP+`:8080: i/o timeout`, 12, 20*time.Second)
		},
	})
}

// What the kubelet says of a volume whose driver the node does not have, and of a sandbox that HNS cannot remove.
const (
	noDriver = `MountVolume.MountDevice failed for volume "f20-nfs" : kubernetes.io/csi: attacher.MountDevice failed to create ` +
		`newCsiDriverClient: driver name nfs.csi.k8s.io not found in the list of registered CSI drivers`
	noRemoval = `error killing pod: failed to "KillPodSandbox" with KillPodSandboxError: "rpc error: code = Unknown desc = ` +
		`failed to remove network namespace for sandbox: hcnDeleteNamespace failed in Win32: The specified request is unsupported. (0x32)"`
)

// stuckPods: pods that do not start because of a volume, and pods that do not end.
func (s *stage) stuckPods() error {
	s.add("CSIDriver", &storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: "nfs.csi.k8s.io"},
		Spec: storagev1.CSIDriverSpec{
			AttachRequired: ptr.To(false), VolumeLifecycleModes: []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent},
		},
	}, 60*day)
	s.volume("stuck", "f20-nfs", "nfs.csi.k8s.io")
	const image = "ghcr.io/example/web:2.0-ltsc2025"
	if err := s.runAll(
		work{ns: "stuck", name: "f20-nfs", os: "windows", class: "windows-2025", replicas: 1, nodes: []string{"w25-good"},
			image: image, memory: "256Mi", example: "F20",
			edit: func(t *corev1.PodTemplateSpec) {
				t.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "f20-nfs"},
				}}}
			},
			pod: func(_ int, p *corev1.Pod) {
				waiting(p, "ContainerCreating", "")
				s.warn(p, "FailedMount", noDriver, 36, 40*time.Second)
			}},
		work{ns: "stuck", name: "f22-sandbox", os: "windows", class: "windows-2025", leaving: 1, nodes: []string{"w25-good", "w25-behind"},
			image: image, memory: "256Mi", example: "F22",
			pod: func(i int, p *corev1.Pod) {
				if i > 0 {
					return
				}
				s.leaving(p, 25*time.Minute)
				s.warn(p, "FailedKillPod", noRemoval, 40, 30*time.Second)
			}},
		work{ns: "stuck", name: "f22-finalizer", os: "linux", leaving: 1, nodes: []string{"lin-1", "lin-2"},
			image: "docker.io/library/nginx:1.31", memory: "64Mi", example: "F22",
			pod: func(i int, p *corev1.Pod) {
				if i == 0 {
					p.Finalizers = []string{"example.com/backup"}
					s.leaving(p, 2*time.Hour)
				}
			}},
	); err != nil {
		return err
	}
	// Nothing controls it: a controller would replace a pod that has failed, over and over.
	return s.bare(work{ns: "stuck", name: "f25-linux-pod", os: "linux", nodes: []string{"w25-open"},
		image: "docker.io/library/nginx:1.31", memory: "64Mi", example: "F25",
		pod: func(_ int, p *corev1.Pod) {
			p.Status = corev1.PodStatus{
				Phase: corev1.PodFailed, Reason: "PodOSNotSupported", QOSClass: p.Status.QOSClass, StartTime: p.Status.StartTime,
				Message: "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS",
			}
			hold(p)
		}})
}

// volume adds a PersistentVolume of a CSI driver and the claim that it is bound to.
func (s *stage) volume(ns, name, driver string) {
	s.namespace(ns, 0, nil)
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, VolumeName: name, StorageClassName: ptr.To(""), VolumeMode: ptr.To(corev1.PersistentVolumeFilesystem),
			Resources: corev1.VolumeResourceRequirements{Requests: size},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, AccessModes: modes, Capacity: size},
	}
	s.add("PersistentVolumeClaim", claim, 12*day)
	s.add("PersistentVolume", &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: modes, Capacity: size, VolumeMode: ptr.To(corev1.PersistentVolumeFilesystem),
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: ns, Name: name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}, 12*day)
}

// servingRequest asks for a certificate of w25-tight; its key is kept nowhere.
//
//go:embed trouble/kubelet-serving.csr
var servingRequest []byte

// kubeletRequest is a node's request for a serving certificate that nobody has approved.
func (s *stage) kubeletRequest(name, node string) {
	s.add("CertificateSigningRequest", &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{Example: "F17"}},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			SignerName: certificatesv1.KubeletServingSignerName, Username: "system:node:" + node,
			Groups: []string{"system:nodes", "system:authenticated"}, Request: servingRequest,
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth},
		},
	}, 35*time.Minute)
}
