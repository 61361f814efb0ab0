package themes

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parser reads the nodes itself: yaml's strict mode speaks of Go types, and
// knows no lines for what is wrong in a value.
type parser struct {
	file  string
	theme Theme
	lines map[string]int // of the roles that the file sets
	errs  []error
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func syntaxError(path string, err error) error {
	e := &FileError{File: path, Reason: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Reason = "is not YAML: " + err.Error()[len(m[0]):]
	}
	return e
}

func (p *parser) failAt(line int, format string, args ...any) {
	p.errs = append(p.errs, &FileError{File: p.file, Line: line, Reason: fmt.Sprintf(format, args...)})
}

func (p *parser) document(n *yaml.Node) {
	base, found := dark, false
	var roles *yaml.Node
	p.mapping(n, "the file", func(key, value *yaml.Node) {
		switch key.Value {
		case "title":
			p.theme.Title = p.text(value, "title")
		case "extends":
			found = true
			base = p.base(value)
		case "roles":
			roles = value
		default:
			p.failAt(key.Line, "unknown key %q; known are title, extends, roles", key.Value)
		}
	})
	if !found && len(p.errs) == 0 {
		p.failAt(n.Line, "extends is missing: name the builtin theme that gives the roles which are not set here")
	}
	p.theme.Roles = base.Roles
	if roles != nil {
		p.mapping(roles, "roles", p.role)
	}
}

func (p *parser) base(n *yaml.Node) Theme {
	name := p.text(n, "extends")
	base, ok := Builtin().ByName(name)
	switch {
	case !ok:
		p.failAt(n.Line, "extends names %q, which is no builtin theme; there are %s", name, strings.Join(Builtin().Names(), ", "))
	case base.Plain():
		p.failAt(n.Line, "extends names %q, which has no colours that could be extended", name)
	}
	return base
}

func (p *parser) role(key, value *yaml.Node) {
	roles := reflect.ValueOf(&p.theme.Roles).Elem()
	for i := range roles.NumField() {
		if roles.Type().Field(i).Tag.Get("yaml") != key.Value {
			continue
		}
		p.lines[key.Value] = key.Line
		switch field := roles.Field(i).Addr().Interface().(type) {
		case *Colour:
			p.colour(value, key.Value, field)
		case *[]Colour:
			*field = p.colours(value, key.Value, *field)
		}
		return
	}
	p.failAt(key.Line, "unknown role %q; docs/themes.md lists them", key.Value)
}

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// colour leaves the ANSI number: with 16 colours, a theme looks like the one that
// it extends.
func (p *parser) colour(n *yaml.Node, role string, to *Colour) {
	if n.Kind != yaml.ScalarNode || !hexColour.MatchString(n.Value) {
		p.failAt(n.Line, `%s must be a colour as in "#8fdc8f", with the quotes (without them # starts a comment), not %s`, role, kindOf(n))
		return
	}
	to.Hex = strings.ToLower(n.Value)
}

func (p *parser) colours(n *yaml.Node, role string, base []Colour) []Colour {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.failAt(n.Line, "%s must be a list of one colour or more, not %s", role, kindOf(n))
		return base
	}
	list := make([]Colour, len(n.Content))
	for i, item := range n.Content {
		list[i].ANSI = base[i%len(base)].ANSI
		p.colour(item, role, &list[i])
	}
	return list
}

func (p *parser) text(n *yaml.Node, key string) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" {
		p.failAt(n.Line, "%s must be text, not %s", key, kindOf(n))
	}
	return n.Value
}

func (p *parser) mapping(n *yaml.Node, what string, visit func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.failAt(n.Line, "%s must be a mapping of keys to values, not %s", what, kindOf(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if first, twice := seen[key.Value]; twice {
			p.failAt(key.Line, "%q is set a second time; the first is in line %d", key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		visit(key, n.Content[i+1])
	}
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return strconv.Quote(n.Value)
}
