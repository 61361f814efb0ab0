package themes

// Colour is one colour of a theme. The zero value is no colour at all: the
// terminal's own.
type Colour struct {
	Hex  string // "#rrggbb", for terminals with 256 and more colours
	ANSI int    // 0 to 15, for terminals with 16
}

// None says that the terminal's own colour is used.
func (c Colour) None() bool { return c.Hex == "" }

// Roles is a palette: what a colour is for. The yaml name is its key in a file,
// doc its line in docs/themes.md.
type Roles struct {
	Background Colour `yaml:"background" doc:"what the terminal's own background is taken for; never painted, contrast is computed against it"`
	Text       Colour `yaml:"text" doc:"ordinary text"`
	Dim        Colour `yaml:"dim" doc:"what is less important: units, hints, empty values"`
	Stale      Colour `yaml:"stale" doc:"what is known to be old"`
	Good       Colour `yaml:"good" doc:"as it should be: Ready, synced"`
	Warn       Colour `yaml:"warn" doc:"needs attention: cordoned, pressure, waiting"`
	Bad        Colour `yaml:"bad" doc:"broken: NotReady, failing, forbidden"`
	Accent     Colour `yaml:"accent" doc:"titles, the filter and what matches it"`
	Key        Colour `yaml:"key" doc:"keys in the footer and in the help"`
	Group      Colour `yaml:"group" doc:"headers of groups"`
	Marked     Colour `yaml:"marked" doc:"marked rows"`
	Windows    Colour `yaml:"windows" doc:"Windows nodes and builds"`
	Linux      Colour `yaml:"linux" doc:"Linux nodes"`
	Border     Colour `yaml:"border" doc:"lines around panels"`

	CursorText       Colour `yaml:"cursorText" doc:"text of the row under the cursor; with 16 colours all of that row"`
	CursorBackground Colour `yaml:"cursorBackground" doc:"the row under the cursor"`
	HeaderText       Colour `yaml:"headerText" doc:"text of the header; with 16 colours all of it"`
	HeaderBackground Colour `yaml:"headerBackground" doc:"the header"`

	ReadOnlyText       Colour `yaml:"readOnlyText" doc:"the word READ-ONLY"`
	ReadOnlyBackground Colour `yaml:"readOnlyBackground" doc:"behind READ-ONLY"`
	OperatorText       Colour `yaml:"operatorText" doc:"the words OPERATOR as …"`
	OperatorBackground Colour `yaml:"operatorBackground" doc:"behind OPERATOR as …"`
	ErrorText          Colour `yaml:"errorText" doc:"the title of the error panel"`
	ErrorBackground    Colour `yaml:"errorBackground" doc:"behind that title"`

	ContextText Colour   `yaml:"contextText" doc:"the name of the context"`
	Contexts    []Colour `yaml:"contexts" doc:"behind the name of the context; each name always gets the same one"`
}
