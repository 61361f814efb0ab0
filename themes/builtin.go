package themes

// Builtin returns the themes that mullion brings. Each one keeps a contrast of
// 4.5:1 (WCAG 2.2 AA) in every pair, high-contrast 7:1 (AAA).
func Builtin() Themes {
	return Themes{dark, light, highContrast, highContrastLight, colorblind, colorblindLight, plain}
}

var dark = Theme{Name: "dark", Title: "Dark", Roles: Roles{
	Background: Colour{"#1e1e1e", 0},
	Text:       Colour{"#e6e6e6", 7},
	Dim:        Colour{"#b4bac4", 7},
	Stale:      Colour{"#c0b8a8", 7},
	Good:       Colour{"#8fdc8f", 10},
	Warn:       Colour{"#f2c55c", 11},
	Bad:        Colour{"#ffa19a", 9},
	Accent:     Colour{"#7fd6e8", 14},
	Key:        Colour{"#8fc7ff", 14},
	Group:      Colour{"#ffffff", 15},
	Marked:     Colour{"#f5a8e4", 13},
	Windows:    Colour{"#a6d2ff", 14},
	Linux:      Colour{"#cdbcff", 7},
	Border:     Colour{"#8f97a5", 7},

	CursorText: Colour{"#ffffff", 0}, CursorBackground: Colour{"#3c3f52", 7},
	HeaderText: Colour{"#f0f0f0", 15}, HeaderBackground: Colour{"#33333b", 4},
	ReadOnlyText: Colour{"#101010", 0}, ReadOnlyBackground: Colour{"#8fdc8f", 10},
	OperatorText: Colour{"#101010", 0}, OperatorBackground: Colour{"#f2c55c", 11},
	ErrorText: Colour{"#ffffff", 15}, ErrorBackground: Colour{"#a8201a", 1},

	ContextText: Colour{"#101010", 0},
	Contexts: []Colour{
		{"#7fd6e8", 14}, {"#f5a8e4", 13}, {"#a8d672", 10}, {"#f0bd8a", 11},
		{"#b8b4ff", 7}, {"#f2dd6e", 11}, {"#7fe0b8", 10}, {"#e6e6e6", 15},
	},
}}

var light = Theme{Name: "light", Title: "Light", Roles: Roles{
	Background: Colour{"#fdf6e3", 15},
	Text:       Colour{"#1c1c1c", 0},
	Dim:        Colour{"#4e5560", 0},
	Stale:      Colour{"#5c5040", 0},
	Good:       Colour{"#125e12", 2},
	Warn:       Colour{"#6b5800", 5},
	Bad:        Colour{"#a5130c", 1},
	Accent:     Colour{"#005a75", 4},
	Key:        Colour{"#00408c", 4},
	Group:      Colour{"#000000", 0},
	Marked:     Colour{"#861a75", 5},
	Windows:    Colour{"#00468c", 4},
	Linux:      Colour{"#552a94", 0},
	Border:     Colour{"#646b76", 0},

	CursorText: Colour{"#000000", 15}, CursorBackground: Colour{"#d4def8", 0},
	HeaderText: Colour{"#101010", 15}, HeaderBackground: Colour{"#e2ddd0", 4},
	ReadOnlyText: Colour{"#ffffff", 15}, ReadOnlyBackground: Colour{"#125e12", 2},
	OperatorText: Colour{"#ffffff", 15}, OperatorBackground: Colour{"#6b5800", 5},
	ErrorText: Colour{"#ffffff", 15}, ErrorBackground: Colour{"#a5130c", 1},

	ContextText: Colour{"#ffffff", 15},
	Contexts: []Colour{
		{"#005a75", 4}, {"#861a75", 5}, {"#3f5c00", 2}, {"#8a3a00", 1},
		{"#4b3fb0", 4}, {"#6b5200", 0}, {"#00604a", 2}, {"#404040", 0},
	},
}}

var plain = Theme{Name: "plain", Title: "Plain: no colour"}
