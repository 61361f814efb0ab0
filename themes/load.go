package themes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FileError is one mistake in a theme's file.
type FileError struct {
	File   string
	Line   int // counted from 1; 0 concerns the whole file
	Reason string
	Err    error // what lies below; may be nil
}

// Error returns "file:line: reason".
func (e *FileError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", at, e.Reason, e.Err)
	}
	return at + ": " + e.Reason
}

// Unwrap returns the error below.
func (e *FileError) Unwrap() error { return e.Err }

// maxSize bounds a theme's file, in bytes.
const maxSize = 64 << 10

// Load returns the builtin themes and behind them those of the *.yaml files of a
// directory, which need not exist; docs/themes.md has the format. Mistakes of all
// files come back at once, as *FileError joined. A file with one gives no theme,
// but for colours that are hard to tell apart: they are reported, and the theme
// is there.
func Load(dir string) (Themes, error) {
	themes := Builtin()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return themes, &FileError{File: dir, Reason: "the themes in it cannot be listed", Err: err}
	}
	var errs []error
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		name, ok := strings.CutSuffix(entry.Name(), ".yaml")
		if !ok {
			if strings.HasSuffix(entry.Name(), ".yml") {
				errs = append(errs, &FileError{File: path, Reason: "is not read: the name of a theme's file ends in .yaml"})
			}
			continue
		}
		theme, err := read(path, name)
		if err != nil {
			errs = append(errs, err)
		}
		if theme != nil {
			themes = append(themes, *theme)
		}
	}
	return themes, errors.Join(errs...)
}

func read(path, name string) (*Theme, error) {
	if _, taken := Builtin().ByName(name); taken || name == Auto || name == "" {
		return nil, &FileError{File: path, Reason: fmt.Sprintf("%q is the name of a builtin theme: rename the file", name)}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &FileError{File: path, Reason: "cannot be read", Err: err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, &FileError{File: path, Reason: "cannot be read", Err: err}
	}
	return parse(path, name, data)
}

// parse returns no theme when a mistake leaves open what was meant.
func parse(path, name string, data []byte) (*Theme, error) {
	if len(data) > maxSize {
		return nil, &FileError{File: path, Reason: fmt.Sprintf("is larger than %d bytes", maxSize)}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, rest yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &FileError{File: path, Reason: "is empty: it needs at least extends"}
	case err != nil:
		return nil, syntaxError(path, err)
	}
	if err := dec.Decode(&rest); !errors.Is(err, io.EOF) {
		return nil, &FileError{File: path, Line: rest.Line, Reason: "holds more than one YAML document"}
	}
	p := parser{file: path, theme: Theme{Name: name, Title: name}, lines: map[string]int{}}
	p.document(doc.Content[0])
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	p.contrast()
	return &p.theme, errors.Join(p.errs...)
}

// contrast reports what cannot be read well among the colours that the file sets.
func (p *parser) contrast() {
	for _, pair := range p.theme.Roles.pairs() {
		line, ok := p.lines[pair.text]
		if !ok {
			if line, ok = p.lines[pair.behind]; !ok {
				continue
			}
		}
		if c := Contrast(pair.fg.Hex, pair.bg.Hex); c < minContrast {
			p.failAt(line, "%s (%s) on %s (%s) has a contrast of %.1f:1, and text needs %.1f:1; the theme is used all the same",
				pair.text, pair.fg.Hex, pair.behind, pair.bg.Hex, c, minContrast)
		}
	}
}

// minContrast is what WCAG 2.2 asks of text at level AA.
const minContrast = 4.5

// pair is a text and what is behind it, with their keys in a file.
type pair struct {
	text, behind string
	fg, bg       Colour
}

// pairs are all that Styles puts together.
func (r Roles) pairs() []pair {
	inks := []pair{
		{text: "dim", fg: r.Dim}, {text: "stale", fg: r.Stale}, {text: "good", fg: r.Good}, {text: "warn", fg: r.Warn},
		{text: "bad", fg: r.Bad}, {text: "accent", fg: r.Accent}, {text: "key", fg: r.Key}, {text: "group", fg: r.Group},
		{text: "marked", fg: r.Marked}, {text: "windows", fg: r.Windows}, {text: "linux", fg: r.Linux},
	}
	var all []pair
	on := func(behind string, bg Colour, texts ...pair) {
		for _, p := range texts {
			p.behind, p.bg = behind, bg
			all = append(all, p)
		}
	}
	on("background", r.Background, append(slices.Clone(inks), pair{text: "text", fg: r.Text}, pair{text: "border", fg: r.Border})...)
	on("cursorBackground", r.CursorBackground, append(slices.Clone(inks), pair{text: "cursorText", fg: r.CursorText})...)
	on("headerBackground", r.HeaderBackground, append(slices.Clone(inks), pair{text: "headerText", fg: r.HeaderText})...)
	on("readOnlyBackground", r.ReadOnlyBackground, pair{text: "readOnlyText", fg: r.ReadOnlyText})
	on("operatorBackground", r.OperatorBackground, pair{text: "operatorText", fg: r.OperatorText})
	on("errorBackground", r.ErrorBackground, pair{text: "errorText", fg: r.ErrorText})
	for _, c := range r.Contexts {
		on("contexts", c, pair{text: "contextText", fg: r.ContextText})
	}
	return all
}
