package placement

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// claim gives the pod a volume of a claim, with the objects behind it.
func claim(c *model.Claim, more ...model.Object) func(*stage) {
	return func(s *stage) {
		s.pod.Shape.Volumes = []model.PodVolume{{Name: "data", Kind: "persistentVolumeClaim", Claim: "data"}}
		if c != nil {
			c.Namespace, c.Name = "shop", "data"
			s.objects = append(s.objects, c)
		}
		s.objects = append(s.objects, more...)
	}
}

func drivers(names ...string) func(*stage) {
	return func(s *stage) { s.objects = append(s.objects, &model.CSINode{Name: "w1", Drivers: names}) }
}

func blind(kinds ...model.Kind) func(*stage) {
	return func(s *stage) { s.blind = kinds }
}

func TestDisks(t *testing.T) {
	inZone := func(values ...string) *corev1.NodeSelector {
		return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{expression(zoneKey, "In", values...)}}
	}
	bound := func(v model.Volume, more ...model.Object) func(*stage) {
		v.Name = "pv"
		return claim(&model.Claim{Volume: "pv"}, append(more, &v)...)
	}
	waits := func(c model.StorageClass) func(*stage) {
		c.Name = "fast"
		return claim(&model.Claim{Class: "fast"}, &c)
	}
	check(t, []verdictCase{
		{"a volume that the node reaches", bound(model.Volume{NodeAffinity: inZone("a")}), nil},
		{"a volume of another zone", bound(model.Volume{NodeAffinity: inZone("b")}), []string{
			"refuses volume: claim data is on a volume that this node does not reach"}},
		{"a zone by label", bound(model.Volume{Zones: map[string]string{zoneKey: "b__c"}}), []string{
			"refuses volume: claim data is on a volume of " + zoneKey + "=b__c"}},
		{"one of its zones", bound(model.Volume{Zones: map[string]string{zoneKey: "b__a"}}), nil},
		{"a node in no zone", all(bound(model.Volume{Zones: map[string]string{zoneKey: "b"}}), func(s *stage) { delete(s.node.Labels, zoneKey) }), nil},
		{"the old name of the label", all(bound(model.Volume{Zones: map[string]string{corev1.LabelFailureDomainBetaZone: "a"}})), nil},

		{"no claim", claim(nil), []string{"refuses claim: claim data does not exist"}},
		{"claims that may not be listed", all(claim(nil), blind(model.KindClaim)), []string{
			"doubt claim: claim data cannot be looked at: persistentvolumeclaims is forbidden"}},
		{"a claim that is going", claim(&model.Claim{Volume: "pv", Deleted: true}, &model.Volume{Name: "pv"}), []string{"refuses claim: claim data is being deleted"}},
		{"no volume behind it", claim(&model.Claim{Volume: "pv"}), []string{"refuses claim: claim data is bound to volume pv, which does not exist"}},
		{"volumes that may not be listed", all(claim(&model.Claim{Volume: "pv"}), blind(model.KindVolume)), []string{
			"doubt claim: claim data is bound to volume pv, which cannot be looked at: persistentvolumes is forbidden"}},
		{"no class", claim(&model.Claim{}), []string{"refuses claim: claim data is not bound to a volume, and names no class that makes one"}},
		{"a class that is not there", claim(&model.Claim{Class: "fast"}), []string{
			"refuses claim: claim data is not bound to a volume, and its class fast does not exist"}},
		{"a class that binds at once", waits(model.StorageClass{}), []string{"refuses claim: claim data is not bound to a volume yet"}},
		{"a class that waits for the pod", waits(model.StorageClass{WaitsForPod: true, Provisioner: "kubernetes.io/aws-ebs"}), nil},
		{"a class for another zone", waits(model.StorageClass{WaitsForPod: true, Topologies: []corev1.TopologySelectorTerm{
			{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: zoneKey, Values: []string{"b"}}}}}}), []string{
			"refuses volume: claim data gets no volume here: the allowedTopologies of its class leave the node out"}},
		{"a class of local disks", waits(model.StorageClass{WaitsForPod: true, CannotCreate: true}), []string{
			"doubt claim: claim data waits for a volume of class fast that somebody has made; which nodes reach one is not looked at"}},

		{"a volume for one pod", bound(model.Volume{}), nil},
		{"a volume for one pod that has one", all(claim(&model.Claim{Volume: "pv", OnePod: true}, &model.Volume{Name: "pv"}), func(s *stage) {
			s.other("a", func(p *model.Pod) { p.Shape = &model.Shape{Volumes: s.pod.Shape.Volumes} })
		}), []string{"refuses claimInUse: claim data may be used by one pod (ReadWriteOncePod), and another one uses it"}},
		{"a volume for one pod, and it is the one", all(claim(&model.Claim{Volume: "pv", OnePod: true}, &model.Volume{Name: "pv"}), running), nil},
		{"a claim of an ephemeral volume", func(s *stage) {
			s.pod.Shape.Volumes = []model.PodVolume{{Name: "tmp", Kind: "ephemeral", OwnClaim: true}}
			s.objects = append(s.objects, &model.Claim{Namespace: "shop", Name: "web-1-tmp", Volume: "pv"}, &model.Volume{Name: "pv"})
		}, nil},

		{"a driver that the node has", all(bound(model.Volume{Driver: "smb.csi.k8s.io"}), drivers("smb.csi.k8s.io")), nil},
		{"a driver that it has not", all(bound(model.Volume{Driver: "nfs.csi.k8s.io"}), drivers("smb.csi.k8s.io")), []string{
			"fails csiDriver: claim data needs CSI driver nfs.csi.k8s.io, which the node does not have; has smb.csi.k8s.io"}},
		{"a node without drivers", all(bound(model.Volume{Driver: "nfs.csi.k8s.io"})), []string{
			"fails csiDriver: claim data needs CSI driver nfs.csi.k8s.io, which the node does not have; has none"}},
		{"drivers that may not be listed", all(bound(model.Volume{Driver: "nfs.csi.k8s.io"}), blind(model.KindCSINode)), []string{
			"doubt csiDriver: whether the node has CSI driver nfs.csi.k8s.io for claim data is not known: csinodes is forbidden"}},
		{"a driver in the pod itself", func(s *stage) {
			s.pod.Shape.Volumes = []model.PodVolume{{Name: "share", Kind: "csi", Driver: "nfs.csi.k8s.io"}}
		}, []string{"fails csiDriver: volume share needs CSI driver nfs.csi.k8s.io, which the node does not have; has none"}},
		{"the driver of a class", all(waits(model.StorageClass{WaitsForPod: true, Provisioner: "nfs.csi.k8s.io"})), []string{
			"fails csiDriver: claim data needs CSI driver nfs.csi.k8s.io, which the node does not have; has none"}},
		{"volumes of no driver", func(s *stage) {
			s.pod.Shape.Volumes = []model.PodVolume{{Name: "a", Kind: "emptyDir"}, {Name: "b", Kind: "hostPath", Path: `C:\`}, {Name: "c", Kind: "nfs"}}
		}, nil},
	})
}
