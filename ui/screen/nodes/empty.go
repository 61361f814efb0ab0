package nodes

import (
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
	"github.com/mullion-tui/mullion/ui/screen"
)

// empty explains why there are no rows, and what to do about it.
func (s *Screen) empty(w, h int, look screen.Look) []string {
	head, role, body := s.whyEmpty(look)
	indent := "  "
	out := []string{"", indent + look.Ink.Paint(role, part.Cut(head, w-4)), ""}
	for _, paragraph := range body {
		for _, l := range part.Wrap(paragraph, min(w-4, 90), 8) {
			out = append(out, indent+look.Ink.Paint(part.Text, l))
		}
	}
	return part.Block(out, w, h)
}

func (s *Screen) whyEmpty(look screen.Look) (head string, role part.Role, body []string) {
	if s.want == nil {
		if s.source.Opening {
			return "Opening " + model.Clean(s.source.Context) + " …", part.Warn,
				[]string{"Its kubeconfig entry is read and its credentials are fetched. esc gives up; c chooses another context."}
		}
		if !s.source.Waiting {
			return "No context is open.", part.Text, []string{"Press c to choose one."}
		}
		return "Waiting for " + model.Clean(s.source.Context) + " …", part.Warn,
			[]string{"The session is open, its first data are not here yet. c chooses another context."}
	}
	feed := s.want.Feed(model.KindNode)
	since := say.Since(look.Now, feed.Since)
	switch {
	case feed.State == model.FeedForbidden:
		return "This user must not read nodes.", part.Bad, []string{
			"The API server refuses the right to list and watch nodes: " + model.Clean(feed.Error), "",
			"Needed is a ClusterRole with the verbs get, list and watch on nodes. To see what is allowed: kubectl auth can-i --list. c chooses another context."}
	case feed.State == model.FeedAbsent:
		return "This server has no nodes.", part.Bad, []string{
			"It does not serve the resource at all, so it is probably not a Kubernetes API server. " + model.Clean(feed.Error), "",
			"c chooses another context."}
	case feed.State == model.FeedFailing && !feed.Listed:
		return "No answer from the API server for " + since + ".", part.Bad, []string{
			model.Clean(feed.Error), "",
			"It is tried again by itself. c chooses another context; f shows all feeds."}
	case !feed.Listed && feed.State == model.FeedWaiting:
		return "Waiting for the list of nodes …", part.Warn, []string{
			"The API server has been asked. f shows how far each feed is; c chooses another context."}
	case len(s.want.Nodes()) == 0:
		return "The cluster has no nodes.", part.Text, []string{
			"The list is complete and empty: no machine has joined yet. The screen follows by itself when one does."}
	case s.shown == nil || s.busy:
		return "Arranging the nodes …", part.Dim, nil
	default:
		return "No node matches the filter " + model.Clean(s.query.Filter), part.Warn, []string{
			"esc clears it. Words are looked for in name, status, roles, build, kubelet and RuntimeClasses; label=value compares a label."}
	}
}
