package screen

import (
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// Source is where a screen's data come from and what they are worth.
type Source struct {
	Lineage  uint64 // the session that the snapshot is of; serials of two lineages do not compare
	Context  string
	Old      bool      // the data are what was last seen, not what is
	OldSince time.Time // since when
	Why      string    // why they are old
	Waiting  bool      // a session is there, its first data are not
	Opening  bool      // there is no session yet
}

// OldText says since when and why the data are old.
func (src Source) OldText(now time.Time) string {
	text := say.Since(now, src.OldSince)
	if src.Why != "" {
		text += ": " + model.Clean(src.Why)
	}
	return text
}

// Empty explains why there are no rows, and what to do about it.
type Empty struct {
	Head string
	Role part.Role
	Body []string
}

// View draws the explanation on h lines of at most w cells.
func (e Empty) View(w, h int, ink *part.Inks) []string {
	indent := "  "
	out := []string{"", indent + ink.Paint(e.Role, part.Cut(e.Head, w-4)), ""}
	for _, paragraph := range e.Body {
		for _, l := range part.Wrap(paragraph, min(w-4, 90), 8) {
			out = append(out, indent+ink.Paint(part.Text, l))
		}
	}
	return part.Block(out, w, h)
}

// WhyEmpty explains why a snapshot, nil while there is none, has no nodes to show;
// false where it has some.
func (src Source) WhyEmpty(snap *model.Snapshot, now time.Time) (Empty, bool) {
	if snap == nil {
		return src.whyNothing(), true
	}
	feed := snap.Feed(model.KindNode)
	since := say.Since(now, feed.Since)
	switch {
	case feed.State == model.FeedForbidden:
		return Empty{"This user must not read nodes.", part.Bad, []string{
			"The API server refuses the right to list and watch nodes: " + model.Clean(feed.Error), "",
			"Needed is a ClusterRole with the verbs get, list and watch on nodes. To see what is allowed: kubectl auth can-i --list. c chooses another context."}}, true
	case feed.State == model.FeedAbsent:
		return Empty{"This server has no nodes.", part.Bad, []string{
			"It does not serve the resource at all, so it is probably not a Kubernetes API server. " + model.Clean(feed.Error), "",
			"c chooses another context."}}, true
	case feed.State == model.FeedFailing && !feed.Listed:
		return Empty{"No answer from the API server for " + since + ".", part.Bad, []string{
			model.Clean(feed.Error), "",
			"It is tried again by itself. c chooses another context; f shows all feeds."}}, true
	case !feed.Listed && feed.State == model.FeedWaiting:
		return Empty{"Waiting for the list of nodes …", part.Warn, []string{
			"The API server has been asked. f shows how far each feed is; c chooses another context."}}, true
	case len(snap.Nodes()) == 0:
		return Empty{"The cluster has no nodes.", part.Text, []string{
			"The list is complete and empty: no machine has joined yet. The screen follows by itself when one does."}}, true
	default:
		return Empty{}, false
	}
}

func (src Source) whyNothing() Empty {
	switch {
	case src.Opening:
		return Empty{"Opening " + model.Clean(src.Context) + " …", part.Warn,
			[]string{"Its kubeconfig entry is read and its credentials are fetched. esc gives up; c chooses another context."}}
	case !src.Waiting:
		return Empty{"No context is open.", part.Text, []string{"Press c to choose one."}}
	default:
		return Empty{"Waiting for " + model.Clean(src.Context) + " …", part.Warn,
			[]string{"The session is open, its first data are not here yet. c chooses another context."}}
	}
}
