package nodes

import "sort"

// lay computes where each group begins. It walks over groups, never over nodes.
func (s *Screen) lay() {
	s.starts = s.starts[:0]
	line := 0
	for i := range s.shown.inv.Groups {
		g := &s.shown.inv.Groups[i]
		s.starts = append(s.starts, line)
		line++
		if !s.collapsed[s.foldKey(g.ID)] {
			line += len(g.Nodes)
		}
	}
	s.starts = append(s.starts, line)
}

// foldKey keeps the folds of one grouping apart from those of another.
func (s *Screen) foldKey(group string) string { return s.query.Grouping.String() + "\x00" + group }

func (s *Screen) lineCount() int {
	if len(s.starts) == 0 {
		return 0
	}
	return s.starts[len(s.starts)-1]
}

// at returns the group of a line and the index of its node, -1 for the header.
func (s *Screen) at(line int) (group, node int) {
	group = sort.SearchInts(s.starts, line+1) - 1
	return group, line - s.starts[group] - 1
}

// lineOf finds the line of a spot: the header's where the group is folded.
func (s *Screen) lineOf(p spot) (int, bool) {
	if p.node != "" {
		if at, ok := s.shown.place[p]; ok {
			if s.collapsed[s.foldKey(p.group)] {
				return s.starts[at[0]], true
			}
			return s.starts[at[0]] + 1 + at[1], true
		}
		return s.elsewhere(p.node)
	}
	for i := range s.shown.inv.Groups {
		if s.shown.inv.Groups[i].ID == p.group {
			return s.starts[i], true
		}
	}
	return 0, false
}

// elsewhere finds a node in another group than it was in: after a change of the
// grouping, or because its build changed.
func (s *Screen) elsewhere(node string) (int, bool) {
	for i := range s.shown.inv.Groups {
		p := spot{s.shown.inv.Groups[i].ID, node}
		if _, ok := s.shown.place[p]; ok {
			return s.lineOf(p)
		}
	}
	return 0, false
}

// firstNode is the line on which the cursor starts.
func (s *Screen) firstNode() int {
	if s.lineCount() > 1 {
		return 1
	}
	return 0
}

// moveTo puts the cursor on a line and remembers what stands there.
func (s *Screen) moveTo(line int) {
	n := s.lineCount()
	if n == 0 {
		s.scroll.Cursor = 0
		return
	}
	s.scroll.Cursor = max(min(line, n-1), 0)
	g, i := s.at(s.scroll.Cursor)
	group := &s.shown.inv.Groups[g]
	s.spot = spot{group: group.ID}
	if i >= 0 {
		s.spot.node = group.Nodes[i].Name
	}
}

// keep brings the window to the cursor. Where the window begins inside a group,
// its first line shows that group's header, so the cursor must be below it.
func (s *Screen) keep(h int) {
	s.scroll.Keep(s.lineCount(), h)
	if h > 1 && s.scroll.Cursor == s.scroll.Top && s.scroll.Top > 0 {
		if _, i := s.at(s.scroll.Cursor); i >= 0 {
			s.scroll.Top--
		}
	}
}

// Visible appends the nodes whose rows are in sight to names.
func (s *Screen) Visible(names []string) []string {
	if s.lineCount() == 0 || s.height == 0 {
		return names
	}
	s.keep(s.height)
	for line := s.scroll.Top; line < min(s.scroll.Top+s.height, s.lineCount()); line++ {
		if g, i := s.at(line); i >= 0 {
			names = append(names, s.shown.inv.Groups[g].Nodes[i].Name)
		}
	}
	return names
}
