package findings

import "github.com/mullion-tui/mullion/model"

// Book finds what is wrong with one snapshot after the other, and looks again only at
// nodes whose view has changed. The zero value is ready; one goroutine owns it.
type Book struct {
	rules []Rule // nil is Rules()
	pages map[string]page
}

// page is what was found on one version of a node's view.
type page struct {
	version  uint64
	findings []Finding
}

// Find returns every finding of the snapshot, the worst first.
func (b *Book) Find(s *model.Snapshot) []Finding {
	if b.rules == nil {
		b.rules = Rules()
	}
	pages := make(map[string]page, len(s.Nodes()))
	var all []Finding
	for _, v := range s.Nodes() {
		p, ok := b.pages[v.Name]
		if !ok || p.version != v.Version {
			p = page{v.Version, ofNode(b.rules, v)}
		}
		pages[v.Name] = p
		all = append(all, p.findings...)
	}
	b.pages = pages
	for _, r := range b.rules {
		if r.Pod != nil {
			all = append(all, ofPods(r, nil, s.Unbound())...)
		}
		if r.Cluster != nil {
			all = append(all, r.fill(r.Cluster(s))...)
		}
	}
	Sort(all)
	return all
}
