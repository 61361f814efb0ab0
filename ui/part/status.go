package part

import (
	"strconv"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/say"
)

// The glyphs of a node's state. Each is followed by its word; alone they stand
// only in front of a number, in the headers of groups.
const (
	GlyphGood        = "●"
	GlyphBad         = "✗"
	GlyphUnknown     = "?"
	GlyphPressure    = "▲"
	GlyphMaintenance = "◆"
	GlyphCordoned    = "⊘"
)

// Status is a node's state in words, the gravest first, behind a glyph.
type Status struct {
	Text string
	Role Role
}

var pressureWords = map[string]string{
	"MemoryPressure": "memory pressure", "DiskPressure": "disk pressure",
	"PIDPressure": "PID pressure", "NetworkUnavailable": "no network",
}

// NodeStatus says how a node is. "Ready" is left out beside a weaker word: a
// cordoned node that is not Ready says both.
func NodeStatus(n *model.Node, now time.Time) Status {
	ready, since := n.Readiness()
	glyph, role := GlyphGood, Good
	var words []string
	weaker := func(g string, r Role, word string) {
		if len(words) == 0 {
			glyph, role = g, r
		}
		words = append(words, word)
	}
	switch ready {
	case model.NotReady:
		weaker(GlyphBad, Bad, strings.TrimSpace("NotReady "+say.Since(now, since)))
	case model.ReadyUnknown:
		weaker(GlyphUnknown, Bad, strings.TrimSpace("Unknown "+say.Since(now, since)))
	case model.ReadyAbsent:
		weaker(GlyphUnknown, Bad, "never ready")
	}
	for _, p := range n.Pressures() {
		word, ok := pressureWords[p]
		if !ok {
			word = Named(p)
		}
		weaker(GlyphPressure, Warn, word)
	}
	if n.InMaintenance() {
		weaker(GlyphMaintenance, Accent, "maintenance")
	}
	if n.Unschedulable {
		weaker(GlyphCordoned, Warn, "cordoned")
	}
	if len(words) == 0 {
		words = append(words, "Ready")
	}
	return Status{Text: glyph + " " + strings.Join(words, ", "), Role: role}
}

// Named cleans a name that came from outside. One of which nothing is left is
// said to have none, so that a row never begins with a hole.
func Named(s string) string {
	if s = strings.TrimSpace(model.Clean(s)); s == "" {
		return "(no name)"
	}
	return s
}

// Revision is the short form of the system's patch level: the update build
// revision on Windows, the kernel's version without its build words elsewhere.
func Revision(n *model.Node) string {
	if n.OS != model.OSWindows {
		short := model.Clean(n.Kernel)
		if i := strings.IndexAny(short, "-+~_"); i > 0 {
			short = short[:i]
		}
		return short
	}
	if n.Windows.Revision < 0 {
		return "unknown"
	}
	s := strconv.Itoa(n.Windows.Revision)
	if n.Windows.Conflict != "" {
		return s + " !"
	}
	return s
}
