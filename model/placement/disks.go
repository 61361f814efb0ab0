package placement

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/mullion-tui/mullion/model"
)

// disk is a volume of a pod with what it asks of a node.
type disk struct {
	name       string // how the pod's owner knows it: the claim, or the volume's name in the pod
	driver     string // CSI driver that mounts it; empty is none
	affinity   *nodeaffinity.LazyErrorNodeSelector
	zones      map[string]string
	topologies []corev1.TopologySelectorTerm
}

// volumes finds what is behind the pod's volumes.
func (b *Board) volumes(q *question) {
	for _, v := range q.shape.Volumes {
		if v.Driver != "" {
			q.disks = append(q.disks, disk{name: "volume " + v.Name, driver: v.Driver})
		}
		if name, ok := q.pod.ClaimName(v); ok {
			b.claim(q, name)
		}
	}
}

func (b *Board) claim(q *question, name string) {
	say := func(e Effect, format string, args ...any) {
		q.whole = append(q.whole, Reason{Claim, e, "claim " + name + " " + fmt.Sprintf(format, args...), ""})
	}
	c, ok := b.snap.Claim(q.pod.Namespace, name)
	switch {
	case !ok && !b.listed(model.KindClaim):
		say(Doubt, "cannot be looked at: %s", b.blind(model.KindClaim))
		return
	case !ok:
		say(Refuses, "does not exist")
		return
	case c.Deleted && q.pod.Node == "":
		say(Refuses, "is being deleted")
	}
	if c.OnePod && b.inUse(q, name) {
		q.whole = append(q.whole, Reason{InUse, Refuses, "claim " + name + " may be used by one pod (ReadWriteOncePod), and another one uses it", ""})
	}
	if c.Volume == "" || c.Phase == string(corev1.ClaimPending) {
		b.unbound(q, c, say)
		return
	}
	v, ok := b.snap.Volume(c.Volume)
	switch {
	case !ok && !b.listed(model.KindVolume):
		say(Doubt, "is bound to volume %s, which cannot be looked at: %s", c.Volume, b.blind(model.KindVolume))
	case !ok:
		say(Refuses, "is bound to volume %s, which does not exist", c.Volume)
	default:
		d := disk{name: "claim " + name, driver: v.Driver, zones: v.Zones}
		if v.NodeAffinity != nil {
			d.affinity = nodeaffinity.NewLazyErrorNodeSelector(v.NodeAffinity)
		}
		q.disks = append(q.disks, d)
	}
}

// unbound tells what is known of a claim that has no volume yet.
func (b *Board) unbound(q *question, c *model.Claim, say func(Effect, string, ...any)) {
	class, ok := b.snap.StorageClass(c.Class)
	switch {
	case c.Class == "":
		say(Refuses, "is not bound to a volume, and names no class that makes one")
	case !ok && !b.listed(model.KindStorageClass):
		say(Doubt, "is not bound to a volume, and its class %s cannot be looked at: %s", c.Class, b.blind(model.KindStorageClass))
	case !ok:
		say(Refuses, "is not bound to a volume, and its class %s does not exist", c.Class)
	case !class.WaitsForPod:
		say(Refuses, "is not bound to a volume yet")
	case class.CannotCreate:
		say(Doubt, "waits for a volume of class %s that somebody has made; which nodes reach one is not looked at", c.Class)
	default:
		q.disks = append(q.disks, disk{name: "claim " + c.Name, driver: csiName(class.Provisioner), topologies: class.Topologies})
	}
}

// csiName leaves out the provisioners that are no CSI drivers by their names.
func csiName(provisioner string) string {
	if strings.HasPrefix(provisioner, "kubernetes.io/") {
		return ""
	}
	return provisioner
}

// inUse looks for another pod of the namespace with the claim.
func (b *Board) inUse(q *question, claim string) bool {
	found := false
	for _, s := range b.seats {
		b.guests(s, q.self, func(p *model.Pod) {
			if p.Namespace == q.pod.Namespace && p.Shape != nil {
				found = found || slices.ContainsFunc(p.Shape.Volumes, func(v model.PodVolume) bool {
					name, ok := p.ClaimName(v)
					return ok && name == claim
				})
			}
		})
	}
	return found
}

// listed reports whether what the snapshot holds of a kind was once complete.
func (b *Board) listed(k model.Kind) bool { return b.snap.Feed(k).Listed }

// blind says why a kind cannot be looked at.
func (b *Board) blind(k model.Kind) string {
	if f := b.snap.Feed(k); f.Error != "" {
		return f.Error
	}
	return "the list of " + string(k) + " is not here yet"
}

// disks asks where the volumes can be reached, and by which driver.
func (b *Board) disks(out []Reason, q *question, s *seat) []Reason {
	for i := range q.disks {
		d := &q.disks[i]
		if d.affinity != nil {
			if ok, _ := d.affinity.Match(b.asNode(s)); !ok {
				out = append(out, Reason{Volume, Refuses, d.name + " is on a volume that this node does not reach", ""})
			}
		}
		if key, ok := outside(d.zones, s.Labels); ok {
			out = append(out, Reason{Volume, Refuses, fmt.Sprintf("%s is on a volume of %s=%s", d.name, key, d.zones[key]), ""})
		}
		if !allowed(d.topologies, s.Labels) {
			out = append(out, Reason{Volume, Refuses, d.name + " gets no volume here: the allowedTopologies of its class leave the node out", ""})
		}
		out = b.driver(out, d, s)
	}
	return out
}

// outside returns the zone or region label in which the node differs from the volume.
// Several zones are written "a__b"; a node without the label is in none
// (volumezone Filter).
func outside(zones, labels map[string]string) (key string, ok bool) {
	for _, k := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion} {
		value, has := zones[k]
		if has && !slices.Contains(strings.Split(value, "__"), zoneOf(k, labels)) && hasZones(labels) {
			return k, true
		}
	}
	return "", false
}

// zoneOf reads a label by its present or its old name.
func zoneOf(key string, labels map[string]string) string {
	if v, ok := labels[key]; ok {
		return v
	}
	return labels[map[string]string{
		corev1.LabelTopologyZone: corev1.LabelFailureDomainBetaZone, corev1.LabelTopologyRegion: corev1.LabelFailureDomainBetaRegion,
		corev1.LabelFailureDomainBetaZone: corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
	}[key]]
}

// hasZones: in a cluster without zones the rule says nothing.
func hasZones(labels map[string]string) bool {
	for _, k := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion} {
		if _, ok := labels[k]; ok {
			return true
		}
	}
	return false
}

// allowed: terms are alternatives; no term allows every node
// (component-helpers MatchTopologySelectorTerms has the same rule for volumes).
func allowed(terms []corev1.TopologySelectorTerm, labels map[string]string) bool {
	if len(terms) == 0 {
		return true
	}
	return slices.ContainsFunc(terms, func(t corev1.TopologySelectorTerm) bool {
		for _, e := range t.MatchLabelExpressions {
			if v, ok := labels[e.Key]; !ok || !slices.Contains(e.Values, v) {
				return false
			}
		}
		return len(t.MatchLabelExpressions) > 0
	})
}

// driver: the scheduler does not ask whether the node has the driver. The pod is bound
// and hangs in ContainerCreating.
func (b *Board) driver(out []Reason, d *disk, s *seat) []Reason {
	switch {
	case d.driver == "" || slices.Contains(s.Drivers, d.driver):
		return out
	case s.CSIKnown || b.listed(model.KindCSINode):
		has := "has none"
		if len(s.Drivers) > 0 {
			has = "has " + join(s.Drivers)
		}
		return append(out, Reason{Driver, Fails, fmt.Sprintf("%s needs CSI driver %s, which the node does not have", d.name, d.driver), has})
	default:
		return append(out, Reason{Driver, Doubt, fmt.Sprintf("whether the node has CSI driver %s for %s is not known: %s", d.driver, d.name, b.blind(model.KindCSINode)), ""})
	}
}
