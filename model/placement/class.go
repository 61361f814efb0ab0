package placement

import (
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// ClassEffect is what a pod has of its RuntimeClass, compared with the class as it is
// now. Admission copies the class's selector, tolerations and overhead into a pod once;
// a pod does not say which of its own were there before.
type ClassEffect struct {
	Name    string
	Missing bool // no such class; the rest is empty
	Handler string

	Selector    []string // "key=value" that the pod has, as the class has it
	Tolerations []string // that both have
	Overhead    model.Resources

	// What a new pod would get and this one does not have: the class is newer.
	LacksSelector    []string
	LacksTolerations []string
	OtherOverhead    bool // the pod's overhead is not the class's
}

// Older reports whether the pod's copy differs from the class as it is now.
func (c *ClassEffect) Older() bool {
	return len(c.LacksSelector)+len(c.LacksTolerations) > 0 || c.OtherOverhead
}

func (b *Board) effectOf(p *model.Pod) *ClassEffect {
	if p.RuntimeClass == "" {
		return nil
	}
	class, ok := b.snap.RuntimeClass(p.RuntimeClass)
	if !ok {
		// A feed that is not here proves nothing.
		if !b.listed(model.KindRuntimeClass) {
			return nil
		}
		return &ClassEffect{Name: p.RuntimeClass, Missing: true}
	}
	return EffectOf(class, p)
}

// EffectOf compares a pod with its RuntimeClass.
func EffectOf(class *model.RuntimeClass, p *model.Pod) *ClassEffect {
	out := &ClassEffect{Name: class.Name, Handler: class.Handler}
	shape := p.Shape
	if shape == nil {
		return out
	}
	for _, k := range slices.Sorted(maps.Keys(class.NodeSelector)) {
		v := class.NodeSelector[k]
		if got, has := shape.NodeSelector[k]; has && got == v {
			out.Selector = append(out.Selector, k+"="+v)
		} else {
			out.LacksSelector = append(out.LacksSelector, k+"="+v)
		}
	}
	for _, t := range class.Tolerations {
		if slices.ContainsFunc(shape.Tolerations, func(o corev1.Toleration) bool { return covers(o, t) }) {
			out.Tolerations = append(out.Tolerations, TolerationWords(t))
		} else {
			out.LacksTolerations = append(out.LacksTolerations, TolerationWords(t))
		}
	}
	out.Overhead = shape.Overhead
	out.OtherOverhead = shape.Overhead != class.Overhead
	return out
}

// covers reports whether o tolerates all that t does: admission leaves out what another
// toleration covers already (pkg/util/tolerations MergeTolerations).
func covers(o, t corev1.Toleration) bool {
	if reflect.DeepEqual(o, t) {
		return true
	}
	switch {
	case o.Key != t.Key && (o.Key != "" || o.Operator != corev1.TolerationOpExists),
		o.Effect != "" && o.Effect != t.Effect:
		return false
	case o.TolerationSeconds != nil && (t.TolerationSeconds == nil || *o.TolerationSeconds < *t.TolerationSeconds):
		return false
	case o.Operator == corev1.TolerationOpExists:
		return true
	}
	equal := func(op corev1.TolerationOperator) bool { return op == "" || op == corev1.TolerationOpEqual }
	return equal(o.Operator) && equal(t.Operator) && o.Value == t.Value
}

// TolerationWords writes a toleration as taints are written: key=value:effect.
func TolerationWords(t corev1.Toleration) string {
	key := t.Key
	if key == "" {
		key = "any taint"
	}
	if t.Operator != corev1.TolerationOpExists && t.Value != "" {
		key += "=" + t.Value
	}
	if t.Effect != "" {
		key += ":" + string(t.Effect)
	}
	return key
}
