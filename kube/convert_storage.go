package kube

import (
	"cmp"
	"reflect"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/mullion-tui/mullion/model"
)

// volumes leaves out what every node can mount: config maps, secrets, projections.
func (t interner) volumes(p *corev1.Pod) []model.PodVolume {
	var out []model.PodVolume
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		kept := model.PodVolume{Name: t.of(cut(v.Name)), Kind: sourceKind(&v.VolumeSource)}
		switch kept.Kind {
		case "", "configMap", "secret", "projected", "downwardAPI":
			continue
		case "persistentVolumeClaim":
			claim := v.PersistentVolumeClaim.ClaimName
			kept.OwnClaim = claim == v.Name+"-"+p.Name
			if !kept.OwnClaim {
				kept.Claim = t.of(claim)
			}
		case "ephemeral":
			kept.OwnClaim = true
		case "csi":
			kept.Driver = t.of(v.CSI.Driver)
		case "hostPath":
			kept.Path = t.of(cut(v.HostPath.Path))
		case "emptyDir":
			kept.Medium = t.of(cut(string(v.EmptyDir.Medium)))
		}
		out = append(out, kept)
	}
	return out
}

// sourceKind returns the JSON name of the one source that is set in a VolumeSource or
// PersistentVolumeSource: the API has some thirty, and gets new ones.
func sourceKind(source any) string {
	v := reflect.ValueOf(source).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return name
		}
	}
	return ""
}

func (t interner) volume(v *corev1.PersistentVolume) *model.Volume {
	out := &model.Volume{
		Name:  v.Name,
		Kind:  sourceKind(&v.Spec.PersistentVolumeSource),
		Phase: t.of(cut(string(v.Status.Phase))),
	}
	if v.Spec.CSI != nil {
		out.Driver = t.of(v.Spec.CSI.Driver)
	}
	if c := v.Spec.ClaimRef; c != nil {
		out.Claim = model.Key{Kind: model.KindClaim, Namespace: t.of(c.Namespace), Name: c.Name}
	}
	if v.Spec.NodeAffinity != nil {
		out.NodeAffinity = v.Spec.NodeAffinity.Required
	}
	for _, l := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion} {
		if z, ok := v.Labels[l]; ok {
			if out.Zones == nil {
				out.Zones = map[string]string{}
			}
			out.Zones[l] = t.of(z)
		}
	}
	return out
}

func (t interner) claim(c *corev1.PersistentVolumeClaim) *model.Claim {
	out := &model.Claim{
		Namespace: t.of(c.Namespace),
		Name:      c.Name,
		Volume:    c.Spec.VolumeName,
		Phase:     t.of(cut(string(c.Status.Phase))),
		Block:     c.Spec.VolumeMode != nil && *c.Spec.VolumeMode == corev1.PersistentVolumeBlock,
		Deleted:   c.DeletionTimestamp != nil,
	}
	// The annotation is older than the field and goes before it (component-helpers storage/volume).
	out.Class = t.of(c.Annotations[corev1.BetaStorageClassAnnotation])
	if out.Class == "" && c.Spec.StorageClassName != nil {
		out.Class = t.of(*c.Spec.StorageClassName)
	}
	for _, m := range c.Spec.AccessModes {
		out.OnePod = out.OnePod || m == corev1.ReadWriteOncePod
	}
	return out
}

// noProvisioner is the provisioner of classes whose volumes somebody else makes.
const noProvisioner = "kubernetes.io/no-provisioner"

func (t interner) storageClass(c *storagev1.StorageClass) *model.StorageClass {
	return &model.StorageClass{
		Name:         t.of(c.Name),
		Provisioner:  t.of(c.Provisioner),
		WaitsForPod:  c.VolumeBindingMode != nil && *c.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer,
		IsDefault:    cmp.Or(c.Annotations["storageclass.kubernetes.io/is-default-class"], c.Annotations["storageclass.beta.kubernetes.io/is-default-class"]) == "true",
		Topologies:   c.AllowedTopologies,
		CannotCreate: c.Provisioner == noProvisioner,
	}
}

func (t interner) namespace(n *corev1.Namespace) *model.Namespace {
	return &model.Namespace{Name: t.of(n.Name), Labels: t.mapOf(n.Labels), Terminating: n.Status.Phase == corev1.NamespaceTerminating}
}

func (t interner) certificateRequest(c *certificatesv1.CertificateSigningRequest) *model.CertificateRequest {
	out := &model.CertificateRequest{Name: c.Name, User: t.of(cut(c.Spec.Username)), Created: at(c.CreationTimestamp), Issued: len(c.Status.Certificate) > 0}
	for i := range c.Status.Conditions {
		switch c.Status.Conditions[i].Type {
		case certificatesv1.CertificateApproved:
			out.Granted = true
		case certificatesv1.CertificateDenied:
			out.Denied = true
		case certificatesv1.CertificateFailed:
			out.Failed = true
		}
	}
	return out
}
