package kube

import (
	"reflect"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/model"
)

func TestStorage(t *testing.T) {
	gone := metav1.Now()
	where := &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 1)}
	csi := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv", Labels: map[string]string{corev1.LabelTopologyZone: "a", "x": "y"}}}
	csi.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "smb.csi.k8s.io"}
	csi.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "shop", Name: "data"}
	csi.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: where}
	csi.Status.Phase = corev1.VolumeBound
	nfs := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
	nfs.Spec.NFS = &corev1.NFSVolumeSource{}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data", DeletionTimestamp: &gone}}
	claim.Spec = corev1.PersistentVolumeClaimSpec{VolumeName: "pv", StorageClassName: ptr.To("fast"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}, VolumeMode: ptr.To(corev1.PersistentVolumeBlock)}
	claim.Status.Phase = corev1.ClaimBound
	old := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Annotations: map[string]string{"volume.beta.kubernetes.io/storage-class": "slow"}}}
	old.Spec.StorageClassName = ptr.To("fast")
	waits := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}}, Provisioner: "disk.csi.azure.com", VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)}
	tests := []struct {
		name      string
		got, want model.Object
	}{
		{"CSI volume", interner{}.volume(csi), &model.Volume{Name: "pv", Kind: "csi", Driver: "smb.csi.k8s.io", Phase: "Bound", NodeAffinity: where,
			Claim: model.Key{Kind: model.KindClaim, Namespace: "shop", Name: "data"}, Zones: map[string]string{corev1.LabelTopologyZone: "a"}}},
		{"NFS volume", interner{}.volume(nfs), &model.Volume{Name: "pv", Kind: "nfs"}},
		{"no volume at all", interner{}.volume(&corev1.PersistentVolume{}), &model.Volume{}},
		{"claim", interner{}.claim(claim), &model.Claim{Namespace: "shop", Name: "data", Volume: "pv", Class: "fast", Phase: "Bound", OnePod: true, Block: true, Deleted: true}},
		{"claim of old", interner{}.claim(old), &model.Claim{Name: "data", Class: "slow"}},
		{"class", interner{}.storageClass(waits), &model.StorageClass{Name: "fast", Provisioner: "disk.csi.azure.com", WaitsForPod: true, IsDefault: true}},
		{"class of local disks", interner{}.storageClass(&storagev1.StorageClass{Provisioner: "kubernetes.io/no-provisioner"}),
			&model.StorageClass{Provisioner: "kubernetes.io/no-provisioner", CannotCreate: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !reflect.DeepEqual(tt.got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", tt.got, tt.want)
			}
		})
	}
}

func TestCertificateRequest(t *testing.T) {
	created := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		status  certificatesv1.CertificateSigningRequestStatus
		pending bool
		want    model.CertificateRequest
	}{
		{"nobody has decided", certificatesv1.CertificateSigningRequestStatus{}, true, model.CertificateRequest{}},
		{"approved", certificatesv1.CertificateSigningRequestStatus{Conditions: []certificatesv1.CertificateSigningRequestCondition{{Type: "Approved"}}}, false, model.CertificateRequest{Granted: true}},
		{"issued", certificatesv1.CertificateSigningRequestStatus{Certificate: []byte{1}, Conditions: []certificatesv1.CertificateSigningRequestCondition{{Type: "Approved"}}}, false, model.CertificateRequest{Granted: true, Issued: true}},
		{"denied", certificatesv1.CertificateSigningRequestStatus{Conditions: []certificatesv1.CertificateSigningRequestCondition{{Type: "Denied"}}}, false, model.CertificateRequest{Denied: true}},
		{"failed", certificatesv1.CertificateSigningRequestStatus{Conditions: []certificatesv1.CertificateSigningRequestCondition{{Type: "Failed"}}}, false, model.CertificateRequest{Failed: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "csr-1", CreationTimestamp: metav1.NewTime(created)}, Status: tt.status}
			r.Spec.Username = "system:node:win-1"
			got := interner{}.certificateRequest(r)
			tt.want.Name, tt.want.User, tt.want.Created = "csr-1", "system:node:win-1", created
			if *got != tt.want || got.Pending() != tt.pending {
				t.Errorf("request %+v, pending %v, want %+v, %v", got, got.Pending(), tt.want, tt.pending)
			}
		})
	}
}
