package node

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// memoryBar and memorySpark are the cells of the drawings in the memory section.
const (
	memoryBar   = 30
	memorySpark = 30
)

// memory is what counts against the node's limit, what its pods were promised, and
// where the figures are from.
func memory(p *page, n *model.NodeView, k known) {
	use := n.Memory()
	p.heading("Memory")
	line := part.NewLine(&p.ink.Ground)
	percent, meaning := part.MemoryPercent(use)
	line.Add(p.role(part.Dim), part.Fit("used", label))
	for _, piece := range part.MemoryBar(use, memoryBar) {
		line.Add(p.role(piece.Role), piece.Text)
	}
	line.Add(p.role(meaning), part.Blank(part.Gap)+percent)
	p.lines = append(p.lines, part.Cut(line.String(), p.w))
	counts, beside := part.MemoryWords(use)
	if beside != "" {
		counts += " · " + beside
	}
	p.fact("", part.MemoryRole(use), counts)
	headroom(p, n, use)
	p.fact("kubelet evicts", part.Text, evictionText(n, use))
	if n.Usage != nil && n.Usage.Physical.Known() {
		p.fact("physical memory", part.Text, say.Amounts(n.Usage.Physical.Value)[0])
	}
	if k.pods {
		promised(p, n)
	}
	if len(n.History) > 1 {
		p.fact("last 30 minutes", part.Accent, part.Spark(n.History, use.Limit, memorySpark))
	}
	if n.Usage != nil && !n.Usage.Boot.IsZero() {
		p.fact("started", part.Text, say.Moment(n.Usage.Boot)+", "+say.Since(p.now, n.Usage.Boot)+" ago")
	}
	origin(p, n, use)
}

func headroom(p *page, n *model.NodeView, use model.MemoryUse) {
	left, ok := use.Headroom()
	switch {
	case !ok:
	case left < 0:
		p.fact("headroom", part.Bad, "none: the limit is passed by "+say.Amounts(-left)[0])
	case n.OS == model.OSWindows:
		p.fact("headroom", part.Text, say.Amounts(left)[0]+" until every allocation on the node fails")
	default:
		p.fact("headroom", part.Text, say.Amounts(left)[0]+" until the OOM killer acts")
	}
}

func evictionText(n *model.NodeView, use model.MemoryUse) string {
	switch {
	case use.Eviction > 0:
		return "when less than " + say.Amounts(use.Limit - use.Eviction)[0] + " is left, unless configured otherwise"
	case n.OS == model.OSWindows && use.Limit > 0:
		return "never on memory: on Windows it does so from 1.31 on"
	default:
		return "unknown, because the limit is"
	}
}

// promised are the sums of what the pods ask for and may take.
func promised(p *page, n *model.NodeView) {
	sums := say.Amounts(n.Requests.Memory, n.Limits.Memory)
	text, meaning := fmt.Sprintf("requests %s, limits %s", sums[0], sums[1]), part.Text
	if n.Unlimited > 0 {
		text += ", " + say.Count(n.Unlimited, "container") + " without a limit"
	}
	p.fact("pods together", meaning, text)
	if n.HighContainers > 0 {
		p.fact("", part.Warn, "! "+say.Count(n.HighContainers, "container")+" at 90% of the limit or more")
	}
}

func origin(p *page, n *model.NodeView, use model.MemoryUse) {
	if f := use.Used.Or(use.Second); f.Known() {
		text := f.Source.String()
		if !f.At.IsZero() {
			text += ", " + say.Since(p.now, f.At) + " ago"
		}
		p.fact("read from", part.Text, text)
	}
	if why := n.WhyNodeUnknown(); why != "" {
		p.fact("not known because", part.Warn, "? "+model.Clean(why))
		return
	}
	if n.Usage == nil {
		return
	}
	for i, problem := range n.Usage.Problems {
		name := ""
		if i == 0 {
			name = "problems"
		}
		p.fact(name, part.Warn, model.Clean(problem))
	}
}

// podMemory is the pod's memory in a cell of the table; nothing for a pod that has
// ended.
func (s *Screen) podMemory(p *page, pod *model.Pod) cell {
	if pod.Finished() {
		return cell{"–", part.Dim}
	}
	use := s.view.PodMemory(pod)
	text := part.MemoryCell(use, p.now)
	_, meaning := part.MemoryPercent(use)
	return cell{text, meaning}
}

// podMemoryWords are the same in words.
func (s *Screen) podMemoryWords(pod *model.Pod) (string, part.Role) {
	if pod.Finished() || s.view.Usage == nil {
		return "", part.Dim
	}
	use := s.view.PodMemory(pod)
	counts, _ := part.MemoryWords(use)
	if use.High() {
		counts = "! " + counts
	}
	return counts, part.MemoryRole(use)
}

func memoryTitle(os model.OS) string {
	if os == model.OSWindows {
		return "COMMIT"
	}
	return "WORKING SET"
}
