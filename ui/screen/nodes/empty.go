package nodes

import (
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/screen"
)

// empty explains why there are no rows, and what to do about it.
func (s *Screen) empty(look screen.Look) screen.Empty {
	if e, ok := s.source.WhyEmpty(s.want, look.Now); ok {
		return e
	}
	if s.shown == nil || s.busy {
		return screen.Empty{Head: "Arranging the nodes …", Role: part.Dim}
	}
	return screen.Empty{Head: "No node matches the filter " + model.Clean(s.query.Filter), Role: part.Warn, Body: []string{
		"esc clears it. Words are looked for in name, status, roles, build, kubelet and RuntimeClasses; label=value compares a label."}}
}
