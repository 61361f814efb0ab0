package themes

var highContrast = Theme{Name: "high-contrast", Title: "High contrast", Roles: Roles{
	Background: Colour{"#000000", 0},
	Text:       Colour{"#ffffff", 15},
	Dim:        Colour{"#d8d8d8", 7},
	Stale:      Colour{"#d8d8d8", 7},
	Good:       Colour{"#5fff5f", 10},
	Warn:       Colour{"#ffff5f", 14},
	Bad:        Colour{"#ffafaf", 11},
	Accent:     Colour{"#5fffff", 14},
	Key:        Colour{"#5fffff", 14},
	Group:      Colour{"#ffffff", 15},
	Marked:     Colour{"#ffafff", 14},
	Windows:    Colour{"#afd7ff", 14},
	Linux:      Colour{"#d7c8ff", 15},
	Border:     Colour{"#ffffff", 15},

	CursorText: Colour{"#ffffff", 0}, CursorBackground: Colour{"#00005f", 15},
	HeaderText: Colour{"#ffffff", 15}, HeaderBackground: Colour{"#303030", 4},
	ReadOnlyText: Colour{"#000000", 0}, ReadOnlyBackground: Colour{"#5fff5f", 10},
	OperatorText: Colour{"#000000", 0}, OperatorBackground: Colour{"#ffff5f", 11},
	ErrorText: Colour{"#ffffff", 15}, ErrorBackground: Colour{"#870000", 1},

	ContextText: Colour{"#000000", 0},
	Contexts: []Colour{
		{"#5fffff", 14}, {"#ffafff", 15}, {"#5fff5f", 10},
		{"#ffff5f", 11}, {"#ffd7af", 7}, {"#ffffff", 15},
	},
}}

var highContrastLight = Theme{Name: "high-contrast-light", Title: "High contrast, light", Roles: Roles{
	Background: Colour{"#ffffff", 15},
	Text:       Colour{"#000000", 0},
	Dim:        Colour{"#303030", 0},
	Stale:      Colour{"#303030", 0},
	Good:       Colour{"#1a331a", 0},
	Warn:       Colour{"#5f2f00", 5},
	Bad:        Colour{"#870000", 1},
	Accent:     Colour{"#00005f", 4},
	Key:        Colour{"#00005f", 4},
	Group:      Colour{"#000000", 0},
	Marked:     Colour{"#5f005f", 5},
	Windows:    Colour{"#00005f", 4},
	Linux:      Colour{"#3a0070", 0},
	Border:     Colour{"#000000", 0},

	CursorText: Colour{"#000000", 15}, CursorBackground: Colour{"#d7d7ff", 0},
	HeaderText: Colour{"#000000", 15}, HeaderBackground: Colour{"#dadada", 4},
	ReadOnlyText: Colour{"#ffffff", 15}, ReadOnlyBackground: Colour{"#1a331a", 0},
	OperatorText: Colour{"#ffffff", 15}, OperatorBackground: Colour{"#5f2f00", 5},
	ErrorText: Colour{"#ffffff", 15}, ErrorBackground: Colour{"#870000", 1},

	ContextText: Colour{"#ffffff", 15},
	Contexts: []Colour{
		{"#00005f", 4}, {"#5f005f", 5}, {"#1a331a", 0},
		{"#5f2f00", 1}, {"#303030", 0},
	},
}}

// The colours of these two derive from the palette of Okabe and Ito (2008), made
// lighter or darker until they can be read. Good, warn and bad differ in
// brightness too, not only in hue.
var colorblind = Theme{Name: "colorblind", Title: "Colour-blind safe", Roles: Roles{
	Background: Colour{"#1e1e1e", 0},
	Text:       Colour{"#e6e6e6", 7},
	Dim:        Colour{"#b4bac4", 7},
	Stale:      Colour{"#b4bac4", 7},
	Good:       Colour{"#7cc8f2", 14},
	Warn:       Colour{"#fff584", 11},
	Bad:        Colour{"#ff8c5e", 13},
	Accent:     Colour{"#f0b2d4", 13},
	Key:        Colour{"#7cc8f2", 14},
	Group:      Colour{"#ffffff", 15},
	Marked:     Colour{"#f0b2d4", 13},
	Windows:    Colour{"#7cc8f2", 14},
	Linux:      Colour{"#ecdfc6", 7},
	Border:     Colour{"#8f97a5", 7},

	CursorText: Colour{"#ffffff", 0}, CursorBackground: Colour{"#303446", 7},
	HeaderText: Colour{"#f0f0f0", 15}, HeaderBackground: Colour{"#33333b", 4},
	ReadOnlyText: Colour{"#000000", 0}, ReadOnlyBackground: Colour{"#56b4e9", 14},
	OperatorText: Colour{"#000000", 0}, OperatorBackground: Colour{"#f0e442", 11},
	ErrorText: Colour{"#000000", 0}, ErrorBackground: Colour{"#e88a3c", 13},

	ContextText: Colour{"#000000", 0},
	Contexts: []Colour{
		{"#56b4e9", 14}, {"#f0e442", 11}, {"#e69f00", 7}, {"#cc79a7", 13}, {"#2fb98c", 10}, {"#e6e6e6", 15},
	},
}}

var colorblindLight = Theme{Name: "colorblind-light", Title: "Colour-blind safe, light", Roles: Roles{
	Background: Colour{"#fdf6e3", 15},
	Text:       Colour{"#1c1c1c", 0},
	Dim:        Colour{"#4e5560", 0},
	Stale:      Colour{"#4e5560", 0},
	Good:       Colour{"#00558a", 4},
	Warn:       Colour{"#665200", 5},
	Bad:        Colour{"#820a40", 1},
	Accent:     Colour{"#7d2c5c", 5},
	Key:        Colour{"#00558a", 4},
	Group:      Colour{"#000000", 0},
	Marked:     Colour{"#7d2c5c", 5},
	Windows:    Colour{"#00558a", 4},
	Linux:      Colour{"#4a4036", 0},
	Border:     Colour{"#646b76", 0},

	CursorText: Colour{"#000000", 15}, CursorBackground: Colour{"#d3def0", 0},
	HeaderText: Colour{"#101010", 15}, HeaderBackground: Colour{"#e2ddd0", 4},
	ReadOnlyText: Colour{"#ffffff", 15}, ReadOnlyBackground: Colour{"#00558a", 4},
	OperatorText: Colour{"#ffffff", 15}, OperatorBackground: Colour{"#665200", 0},
	ErrorText: Colour{"#ffffff", 15}, ErrorBackground: Colour{"#852a00", 1},

	ContextText: Colour{"#ffffff", 15},
	Contexts: []Colour{
		{"#00558a", 4}, {"#665200", 0}, {"#852a00", 1}, {"#7d2c5c", 5}, {"#00604a", 2}, {"#404040", 0},
	},
}}
