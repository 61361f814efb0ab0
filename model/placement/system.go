package placement

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// OSOf returns the operating system that a pod is for, and how that is known. Only the
// first of these is a promise; without any sign it is unknown.
func OSOf(p *model.Pod) (os model.OS, from string) {
	switch {
	case p.OS != model.OSUnknown:
		return p.OS, "spec.os.name"
	case p.HostProcess:
		return model.OSWindows, "it is a HostProcess pod"
	case p.Shape == nil:
		return model.OSUnknown, ""
	}
	if os := p.Shape.NodeSelector[corev1.LabelOSStable]; os != "" {
		return model.OS(os), "its node selector"
	}
	if _, ok := p.Shape.NodeSelector[model.WindowsBuildLabel]; ok {
		return model.OSWindows, "its node selector"
	}
	for _, i := range p.Shape.Images {
		if BaseOf(ParseImage(i.Image)).Windows {
			return model.OSWindows, "the name of image " + i.Image
		}
	}
	return model.OSUnknown, ""
}

// imageBase is an image of a pod with what is known of its Windows builds.
type imageBase struct {
	name     string
	inferred Base
	manifest bool  // the manifest is known, and builds is what it says
	builds   []int // 0 is an entry without os.version
}

// basesOf looks at each image of a template once.
func (b *Board) basesOf(s *model.Shape) []imageBase {
	var out []imageBase
	for _, i := range s.Images {
		if slices.ContainsFunc(out, func(o imageBase) bool { return o.name == i.Image }) {
			continue
		}
		base := imageBase{name: i.Image, inferred: BaseOf(ParseImage(i.Image))}
		if b.versions != nil {
			versions, known := b.versions(i.Image)
			base.manifest = known
			for _, v := range versions {
				base.builds = append(base.builds, parseOSVersion(v))
			}
		}
		out = append(out, base)
	}
	return out
}

// on returns how the image fits a host: the runtime takes the entry that fits best.
func (i *imageBase) on(host int) (fit Fit, build int) {
	if !i.manifest {
		return FitOf(host, i.inferred.Build), i.inferred.Build
	}
	fit = FitNever
	for _, n := range i.builds {
		if f := FitOf(host, n); f < fit {
			fit, build = f, n
		}
	}
	if fit == FitNever && len(i.builds) == 1 {
		build = i.builds[0]
	}
	return fit, build
}

// machine is what system looks at of a node.
type machine struct {
	os     model.OS
	build  string
	number int
	proven bool
}

// systemOf asks system once for all nodes of a kind.
func (b *Board) systemOf(q *question, s *seat) []Reason {
	m := machine{s.OS, s.Windows.Build, s.Windows.Number, b.proves(q, s)}
	known, ok := q.systems[m]
	if !ok {
		known = b.system(nil, q, s, m.proven)
		q.systems[m] = known
	}
	return known
}

// system asks what only the kubelet and the runtime do: the operating system and the
// Windows builds.
func (b *Board) system(out []Reason, q *question, s *seat, proven bool) []Reason {
	os, from := OSOf(q.pod)
	switch {
	case s.OS == model.OSUnknown:
		return append(out, Reason{System, Doubt, "the operating system of the node is not known", ""})
	case os != model.OSUnknown && os != s.OS && q.pod.OS != model.OSUnknown:
		return append(out, Reason{System, Fails, fmt.Sprintf("the pod is for %s (spec.os.name): a kubelet on %s refuses it with PodOSNotSupported", os, s.OS), ""})
	case os != model.OSUnknown && os != s.OS:
		return append(out, Reason{System, Fails, fmt.Sprintf("the pod is for %s, inferred from %s; nothing of it starts on %s", os, from, s.OS), ""})
	case s.OS != model.OSWindows || q.pod.HostProcess:
		return out
	case os == model.OSUnknown && !proven:
		out = append(out, Reason{System, Doubt, "nothing says that the pod is for Windows: with an image for Linux it hangs in ErrImagePull", ""})
	}
	if c, ok := b.snap.RuntimeClass(q.pod.RuntimeClass); ok && strings.Contains(strings.ToLower(c.Handler), "hypervisor") {
		return append(out, Reason{Build, Note, "Hyper-V isolation runs images of other builds; Kubernetes neither tests nor supports it", ""})
	}
	return b.builds(out, q, s, os == model.OSUnknown, proven)
}

// proves reports whether the pod runs now on a node like this one.
func (b *Board) proves(q *question, s *seat) bool {
	if q.pod.Node == "" || q.pod.Total == 0 || q.pod.Ready < q.pod.Total {
		return false
	}
	i, ok := b.index[q.pod.Node]
	if !ok {
		return q.pod.Node == s.Name
	}
	on := b.seats[i]
	return on == s || on.OS == s.OS && on.Windows.Number == s.Windows.Number && s.Windows.Number != 0
}

// builds compares the host's build with that of each image. quiet leaves out what is
// not known: the pod need not be for Windows at all. That it runs on such a host proves
// a tag or a doubt wrong, and makes no rule of an exception.
func (b *Board) builds(out []Reason, q *question, s *seat, quiet, proven bool) []Reason {
	for i := range q.plan.images {
		image := &q.plan.images[i]
		fit, build := image.on(s.Windows.Number)
		how := "says its manifest"
		if !image.manifest {
			how = "inferred from its tag"
		}
		switch {
		case fit == FitNever && !proven:
			what := "has no entry for it in its manifest"
			if build != 0 {
				what = fmt.Sprintf("is built on 10.0.%d (%s)", build, how)
			}
			out = append(out, Reason{Build, Fails, fmt.Sprintf("a host of build %s cannot run image %s, which %s", s.Windows.Build, image.name, what), ""})
		case fit == FitException:
			out = append(out, Reason{Build, Note, fmt.Sprintf("image %s is built on 10.0.%d (%s): that it runs on a host of build %s is an exception, not to build on",
				image.name, build, how, s.Windows.Build), ""})
		case fit == FitUnknown && !quiet && !proven:
			out = append(out, Reason{Build, Doubt, unknownBuild(image, s), ""})
		}
	}
	return out
}

func unknownBuild(image *imageBase, s *seat) string {
	switch {
	case s.Windows.Number == 0:
		return "the Windows build of the node is not known: image " + image.name + " may fail at start"
	case image.manifest:
		return "image " + image.name + " has no os.version in its manifest: any host pulls it, and it may fail at start"
	default:
		return "the Windows build of image " + image.name + " is not known: it may fail at start"
	}
}

// class compares the pod with its RuntimeClass as that is now.
func (b *Board) class(out []Reason, q *question, s *seat) []Reason {
	name := q.pod.RuntimeClass
	if name == "" {
		return out
	}
	class, ok := b.snap.RuntimeClass(name)
	switch {
	case !ok && !b.listed(model.KindRuntimeClass):
		return append(out, Reason{Class, Doubt, "RuntimeClass " + name + " cannot be looked at: " + b.blind(model.KindRuntimeClass), ""})
	case !ok:
		return append(out, Reason{Class, Fails, "RuntimeClass " + name + " does not exist: the kubelet starts no pod of it", ""})
	}
	var missing []pair
	for k, v := range class.NodeSelector {
		if q.shape.NodeSelector[k] != v {
			missing = append(missing, pair{k, v})
		}
	}
	sortPairs(missing)
	if r, differs := mismatch(missing, s.Labels); differs {
		return append(out, Reason{Class, Note, "the pod is older than RuntimeClass " + name + " is now: a new pod would not come here", r.Text})
	}
	return out
}
