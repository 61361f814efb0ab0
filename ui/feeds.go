package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/part"
	"github.com/mullion-tui/mullion/ui/say"
)

// feedsText is the freshness of all feeds in a few words: the worst by name.
func (a *App) feedsText() (string, part.Role) {
	if a.live.ended != nil {
		return part.GlyphBad + " session ended", part.Bad
	}
	if a.live.snap == nil {
		return "… waiting for data", part.Warn
	}
	by := map[model.FeedState][]string{}
	var since string
	for _, f := range a.live.snap.Feeds {
		by[f.State] = append(by[f.State], string(f.Kind))
		if f.State == model.FeedFailing && len(by[f.State]) == 1 {
			since = " " + say.Since(a.now, f.Since)
		}
	}
	switch {
	case len(by[model.FeedFailing]) > 0:
		return part.GlyphBad + " " + worst(by[model.FeedFailing]) + " failing" + since, part.Bad
	case len(by[model.FeedWaiting]) > 0:
		return "… waiting for " + worst(by[model.FeedWaiting]), part.Warn
	case len(by[model.FeedForbidden]) > 0:
		return part.GlyphPressure + " " + worst(by[model.FeedForbidden]) + " forbidden", part.Warn
	case len(by[model.FeedAbsent]) > 0:
		return part.GlyphGood + " synced, no " + worst(by[model.FeedAbsent]), part.Good
	default:
		return part.GlyphGood + " all synced", part.Good
	}
}

func worst(kinds []string) string {
	switch {
	case len(kinds) == len(model.Kinds):
		return "all feeds"
	case len(kinds) == 1:
		return kinds[0]
	default:
		return fmt.Sprintf("%s and %d more", kinds[0], len(kinds)-1)
	}
}

// feedLines is the panel of all feeds.
func (a *App) feedLines(w int) []string {
	ink := a.ink
	info := a.live.info
	var out []string
	fact := func(name, value string) {
		line := part.NewLine(&ink.Ground)
		line.Add(part.Dim, part.Fit(name, 12)).Add(part.Text, model.Clean(value))
		out = append(out, part.Cut(line.String(), w))
	}
	out = append(out, ink.Paint(part.Group, "Where the data come from"))
	fact("context", info.Context)
	fact("cluster", info.Cluster)
	fact("server", info.Server)
	fact("user", info.User)
	if s := a.live.snap; s != nil {
		fact("known as", orUnknown(s.Server.User))
		fact("version", orUnknown(s.Server.Version))
		if s.Server.Error != "" {
			fact("", s.Server.Error)
		}
	}
	out = append(out, "", ink.Paint(part.Group, "Feeds"))
	head := part.Fit("KIND", 27) + part.Fit("STATE", 14) + part.FitRight("FOR", 5) + part.FitRight("OBJECTS", 10) + "  ERROR"
	out = append(out, ink.Paint(part.Dim, part.Cut(head, w)))
	if a.live.snap == nil {
		return append(out, ink.Paint(part.Warn, "nothing has arrived yet"))
	}
	for _, f := range a.live.snap.Feeds {
		line := part.NewLine(&ink.Ground)
		glyph, role := feedSign(f.State)
		line.Add(part.Text, part.Fit(string(f.Kind), 27)).Add(role, part.Fit(glyph+" "+f.State.String(), 14))
		line.Add(part.Dim, part.FitRight(say.Since(a.now, f.Since), 5)).Add(part.Text, part.FitRight(fmt.Sprint(f.Objects), 10))
		indent := line.Width() + part.Gap
		texts := part.Wrap(model.Clean(f.Error), max(w-indent, 20), 3)
		for i, t := range texts {
			if i == 0 {
				line.Add(role, part.Blank(part.Gap)+t)
				texts[0] = line.String()
			} else {
				texts[i] = part.Blank(indent) + ink.Paint(role, t)
			}
		}
		out = append(out, texts...)
	}
	return slices.Concat(out, []string{"", ink.Paint(part.Dim, strings.Join([]string{
		"waiting: the first list is not here yet", "failing: tried again by itself, what was there before is old",
	}, " · "))})
}

func feedSign(s model.FeedState) (string, part.Role) {
	switch s {
	case model.FeedSynced:
		return part.GlyphGood, part.Good
	case model.FeedWaiting:
		return "…", part.Warn
	case model.FeedForbidden:
		return part.GlyphPressure, part.Warn
	case model.FeedFailing:
		return part.GlyphBad, part.Bad
	default:
		return "·", part.Dim
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
