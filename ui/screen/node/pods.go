package node

import (
	"fmt"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// podTable is the width from which pods stand in a table; below it each has two lines.
const podTable = 140

// podPairs draws the pods where a table would have to leave out their owners.
func (s *Screen) podPairs(p *page) {
	var rows [][]cell
	for _, pod := range s.view.Pods {
		state, role := podState(pod)
		rows = append(rows, []cell{
			{model.Clean(pod.Namespace) + "/" + part.Named(pod.Name), part.Text},
			{fmt.Sprintf("%d/%d", pod.Ready, pod.Total), readyRole(pod)},
			{state, role},
			{say.Since(p.now, pod.Created), part.Dim},
		})
	}
	first := len(p.lines)
	p.table([]part.Column{
		{Title: "POD, OWNER, RUNTIMECLASS", Min: 30, Need: true, Rank: 1}, {Title: "READY", Min: 5, Right: true, Need: true},
		{Title: "STATE", Min: 12, Need: true, Rank: 0}, {Title: "AGE", Min: 4, Right: true, Need: true},
	}, rows)
	table := p.lines[first:]
	p.lines = append(p.lines[:first:first], table[0])
	for i, pod := range s.view.Pods {
		line := part.NewLine(&p.ink.Ground)
		line.Add(p.role(part.Dim), "   "+ownerText(s.snap.OwnerOf(pod)))
		if pod.RuntimeClass != "" {
			line.Add(p.role(part.Dim), " · "+model.Clean(pod.RuntimeClass))
		}
		if words, meaning := s.podMemoryWords(pod); words != "" {
			line.Add(p.role(part.Dim), " · ").Add(p.role(meaning), words)
		}
		if k := kindOf(pod); k != "–" {
			line.Add(p.role(part.Dim), " · "+k)
		}
		if pod.Message != "" {
			line.Add(p.role(part.Dim), " · ").Add(p.role(part.Warn), model.Clean(pod.Message))
		}
		p.lines = append(p.lines, table[i+1], part.Cut(line.String(), p.w))
	}
}

func (s *Screen) podLines(p *page) {
	if f := s.snap.Feed(model.KindPod); !f.Listed {
		p.text(part.Warn, "The pods are not known: the feed is "+f.State.String()+". "+model.Clean(f.Error))
		return
	}
	if len(s.view.Pods) == 0 {
		p.text(part.Text, "No pod is on this node.")
		return
	}
	if p.w < podTable {
		s.podPairs(p)
		return
	}
	rows := make([][]cell, 0, len(s.view.Pods))
	for _, pod := range s.view.Pods {
		state, role := podState(pod)
		rows = append(rows, []cell{
			{model.Clean(pod.Namespace), part.Dim},
			{model.Clean(pod.Name), part.Text},
			{fmt.Sprintf("%d/%d", pod.Ready, pod.Total), readyRole(pod)},
			{state, role},
			{fmt.Sprint(pod.Restart), part.Dim},
			{say.Since(p.now, pod.Created), part.Dim},
			{ownerText(s.snap.OwnerOf(pod)), part.Text},
			{orDash(model.Clean(pod.RuntimeClass)), part.Text},
			{kindOf(pod), part.Dim},
			s.podMemory(p, pod),
			{requests(pod), part.Dim},
			{orDash(model.Clean(pod.IP)), part.Dim},
			{model.Clean(pod.Message), part.Warn},
		})
	}
	p.table([]part.Column{
		{Title: "NAMESPACE", Min: 9, Rank: 4, Need: true}, {Title: "NAME", Min: 20, Need: true, Rank: 1},
		{Title: "READY", Min: 5, Right: true, Rank: 4}, {Title: "STATE", Min: 11, Need: true, Rank: 0},
		{Title: "RESTARTS", Min: 8, Right: true, Rank: 8}, {Title: "AGE", Min: 4, Right: true, Rank: 5},
		{Title: "OWNER", Min: 12, Need: true, Rank: 2}, {Title: "RUNTIMECLASS", Min: 12, Need: true, Rank: 2},
		{Title: "KIND", Min: 11, Rank: 7}, {Title: memoryTitle(s.view.OS), Min: 12, Rank: 3}, {Title: "CPU/MEM REQ", Min: 11, Right: true, Rank: 9}, {Title: "IP", Min: 10, Rank: 10},
		{Title: "WHY", Min: 20, Rank: whyRank(s.view)},
	}, rows)
}

// whyRank gives the reasons room only where there are some.
func whyRank(n *model.NodeView) int {
	for _, p := range n.Pods {
		if p.Message != "" {
			return 3
		}
	}
	return 20
}

func podState(p *model.Pod) (string, part.Role) {
	text := model.Clean(p.State)
	if text == "" {
		text = model.Clean(p.Phase)
	}
	switch {
	case p.Terminating():
		return "◌ " + text, part.Warn
	case p.Finished() && p.Phase == "Succeeded":
		return "· " + text, part.Dim
	case p.Phase == "Running" && p.Ready == p.Total && text == "Running":
		return part.GlyphGood + " " + text, part.Good
	case p.Phase == "Running" && text == "Running", p.Phase == "Pending" && p.Message == "":
		return "◌ " + text, part.Warn
	default:
		return part.GlyphBad + " " + text, part.Bad
	}
}

func readyRole(p *model.Pod) part.Role {
	if p.Ready < p.Total && !p.Finished() {
		return part.Warn
	}
	return part.Text
}

func kindOf(p *model.Pod) string {
	switch {
	case p.HostProcess:
		return "HostProcess"
	case p.Mirror:
		return "static"
	case p.HostNetwork:
		return "hostNetwork"
	default:
		return "–"
	}
}

func ownerText(o model.Owner) string {
	if o.Name == "" {
		return "none"
	}
	return model.Clean(o.Kind + "/" + o.Name)
}

func requests(p *model.Pod) string {
	return say.Cores(p.Requests.CPU) + "/" + say.Bytes(p.Requests.Memory)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
