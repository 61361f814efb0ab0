package findings

import (
	"maps"
	"slices"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// Book finds what is wrong with one snapshot after the other, and looks again only at
// nodes whose view has changed, or of which time alone changes what is said. It
// remembers the nodes' boot IDs, so that a reboot between two looks is seen. The zero
// value is ready, and is for one session: versions of views mean nothing in another. One
// goroutine owns it.
type Book struct {
	rules  []Rule // nil is Rules()
	pages  map[string]*page
	server string // its version when the pages were made
	turn   uint64 // how often it was asked
	found  int    // how much the last time
	boots  map[string]boot

	answers map[*model.Shape]answer
}

// page is what was found on one version of a node's view.
type page struct {
	turn     uint64 // when it was last read
	version  uint64
	until    time.Time // when to look again although nothing has changed; zero is never
	findings []Finding
}

// Find returns every finding of the world's snapshot, the worst first.
func (b *Book) Find(w World) []Finding {
	if b.rules == nil {
		b.rules = Rules()
	}
	if b.boots == nil {
		b.pages, b.boots, b.answers = map[string]*page{}, map[string]boot{}, map[*model.Shape]answer{}
	}
	b.forget(&w)
	w.boots, w.answers = b.boots, b.answers
	all := b.ofNodes(&w)
	for _, r := range b.rules {
		if why := r.blind(w.Snapshot); why != "" {
			all = append(all, r.unknown(why))
			continue
		}
		switch {
		case r.Pod != nil:
			all = append(all, ofPods(r, &w, nil, w.homeless())...)
		case r.Cluster != nil:
			all = append(all, r.fill(r.Cluster(&w))...)
		}
	}
	all = append(all, ofTemplates(b.rules, &w)...)
	all = gather(all)
	Sort(all)
	b.found = len(all)
	return all
}

// gather makes one finding of a rule's that could not look at a node: with a pool of
// nodes down each has a reason that differs in an address.
func gather(all []Finding) []Finding {
	if !slices.ContainsFunc(all, func(f Finding) bool { return f.Unknown && f.Object != (model.Key{}) }) {
		return all
	}
	var kept []Finding
	at, whys := map[string]int{}, map[string][]string{}
	for _, f := range all {
		if !f.Unknown || f.Object == (model.Key{}) {
			kept = append(kept, f)
			continue
		}
		i, ok := at[f.ID]
		if !ok {
			i = len(kept)
			at[f.ID] = i
			kept = append(kept, f)
			kept[i].Object, kept[i].Related = model.Key{}, nil
		}
		kept[i].Related = append(kept[i].Related, f.Object)
		if !slices.Contains(whys[f.ID], f.Evidence) {
			whys[f.ID] = append(whys[f.ID], f.Evidence)
		}
	}
	for id, i := range at {
		var who []string
		for _, k := range kept[i].Related {
			who = append(who, k.Name)
		}
		kept[i].Evidence = count(len(who), "node", "nodes") + " (" + names(who) + "): " + whys[id][0]
		if n := len(whys[id]) - 1; n > 0 {
			kept[i].Evidence += "; " + count(n, "other reason", "other reasons")
		}
	}
	return kept
}

// remembered bounds what a Book keeps of nodes and templates that are gone.
const remembered = 1 << 14

// forget drops old answers, and boot IDs once far more than the present nodes are kept.
func (b *Book) forget(w *World) {
	for shape, a := range b.answers {
		if !w.Now.Before(a.until.Add(answerHolds)) {
			delete(b.answers, shape)
		}
	}
	if len(b.boots) > remembered+len(w.Snapshot.Nodes()) {
		clear(b.boots)
	}
}

func (b *Book) ofNodes(w *World) []Finding {
	nodes := w.Snapshot.Nodes()
	if v := w.Snapshot.Server.Version; v != b.server {
		clear(b.pages)
		b.server = v
	}
	b.turn++
	all := make([]Finding, 0, b.found+b.found/8)
	for _, v := range nodes {
		p := b.pages[v.Name]
		if p == nil {
			p = &page{}
			b.pages[v.Name] = p
		}
		if p.turn == 0 || p.version != v.Version || !p.until.IsZero() && !w.Now.Before(p.until) {
			w.look(v)
			w.again = time.Time{}
			p.version, p.findings = v.Version, ofNode(b.rules, w, v)
			p.until = w.again
		}
		p.turn = b.turn
		all = append(all, p.findings...)
	}
	if len(b.pages) > len(nodes) {
		maps.DeleteFunc(b.pages, func(_ string, p *page) bool { return p.turn != b.turn })
	}
	return all
}

// ofTemplates asks the rules for pods of the workloads that run none: what is wrong
// with them is known before the first pod starts.
func ofTemplates(rules []Rule, w *World) []Finding {
	idle := map[model.Key]*model.Workload{}
	for _, o := range w.Snapshot.Workloads() {
		if o.Template != nil && o.Ready == 0 {
			idle[o.Key()] = o
		}
	}
	if len(idle) == 0 {
		return nil
	}
	seen := map[string]bool{} // owners, by UID
	w.pods(func(_ *model.NodeView, p *model.Pod) {
		if len(idle) == 0 || p.Owner.Name == "" || seen[p.Owner.UID] {
			return
		}
		if p.Owner.UID != "" {
			seen[p.Owner.UID] = true
		}
		delete(idle, ownerKey(w.Snapshot.OwnerOf(p), p.Namespace))
	})
	var all []Finding
	for key, o := range idle {
		for _, r := range rules {
			if r.Pod == nil {
				continue
			}
			found := r.fill(r.Pod(w, nil, o.Template))
			for i := range found {
				found[i].Object = key
			}
			all = append(all, found...)
		}
	}
	return all
}

// ownerKey finds the workload that an owner reference names.
func ownerKey(o model.Owner, namespace string) model.Key {
	return model.Key{Kind: workloadKinds[o.Kind], Namespace: namespace, Name: o.Name}
}

var workloadKinds = map[string]model.Kind{
	"DaemonSet": model.KindDaemonSet, "Deployment": model.KindDeployment, "ReplicaSet": model.KindReplicaSet,
	"StatefulSet": model.KindStatefulSet, "Job": model.KindJob,
}
