package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FileError is one mistake in the configuration file.
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
		at += ":" + strconv.Itoa(e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", at, e.Reason, e.Err)
	}
	return at + ": " + e.Reason
}

// Unwrap returns the error below.
func (e *FileError) Unwrap() error { return e.Err }

// maxSize bounds the file, in bytes. YAML aliases can make a small file huge, so
// they are refused as well.
const maxSize = 1 << 20

// Parse reads the text of a configuration file; path is for messages.
func Parse(path string, data []byte) (*Config, error) {
	if len(data) > maxSize {
		return nil, &FileError{File: path, Reason: fmt.Sprintf("is larger than %d bytes", maxSize)}
	}
	c := Default()
	c.path = path
	p := &parser{file: path, config: c}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, rest yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF): // empty, or comments alone
		return c, nil
	case err != nil:
		return nil, syntaxError(path, err)
	}
	if err := dec.Decode(&rest); !errors.Is(err, io.EOF) {
		return nil, &FileError{File: path, Line: rest.Line, Reason: "holds more than one YAML document"}
	}
	p.fill(doc.Content[0], reflect.ValueOf(c).Elem(), nil)
	p.checkURL("prometheus", c.Prometheus)
	for _, name := range c.order {
		p.checkURL(join([]string{"contexts", name, "prometheus"}), c.Contexts[name].Prometheus)
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	if c.Contexts == nil { // "contexts:" with nothing below
		c.Contexts = map[string]Context{}
	}
	return c, nil
}

func syntaxError(path string, err error) error {
	line, text := YAMLProblem(err)
	return &FileError{File: path, Line: line, Reason: "is not YAML: " + text}
}

// parser walks the YAML nodes along the structs. yaml's own strict mode knows no
// key's line for "mullion config", and speaks of Go types.
type parser struct {
	file   string
	config *Config
	errs   []error
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, &FileError{File: p.file, Line: n.Line, Reason: fmt.Sprintf(format, args...)})
}

func (p *parser) fill(n *yaml.Node, v reflect.Value, path []string) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		p.fail(n, "%s uses a YAML anchor or alias, which are not supported here", where(path))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		p.pairs(n, path, func(key, value *yaml.Node) {
			field, ok := fieldOf(v, key.Value)
			if !ok {
				p.fail(key, "unknown key %q%s; known are %s", key.Value, inside(path), strings.Join(keysOf(v.Type()), ", "))
				return
			}
			p.fill(value, field, append(path[:len(path):len(path)], key.Value))
		})
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		p.pairs(n, path, func(key, value *yaml.Node) {
			entry := reflect.New(v.Type().Elem()).Elem()
			p.fill(value, entry, append(path[:len(path):len(path)], key.Value))
			m.SetMapIndex(reflect.ValueOf(key.Value), entry)
			p.config.order = append(p.config.order, key.Value)
		})
		v.Set(m)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.fill(n, v.Elem(), path)
	default:
		p.scalar(n, v, path)
	}
}

// pairs visits the entries of a mapping; an empty value counts as an empty mapping.
func (p *parser) pairs(n *yaml.Node, path []string, visit func(key, value *yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s must be a mapping of keys to values, not %s", where(path), kindOf(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			p.fail(key, "a key%s must be plain text, not %s", inside(path), kindOf(key))
			continue
		}
		if first, twice := seen[key.Value]; twice {
			p.fail(key, "key %q%s is set a second time; the first is in line %d", key.Value, inside(path), first)
			continue
		}
		seen[key.Value] = key.Line
		p.config.lines[join(append(path[:len(path):len(path)], key.Value))] = key.Line
		visit(key, value)
	}
}

func (p *parser) scalar(n *yaml.Node, v reflect.Value, path []string) {
	want, tag := "true or false", "!!bool"
	if v.Kind() == reflect.String {
		want, tag = "text", "!!str"
	}
	// yaml would take a number for text and "yes" for true: here what is written must be what is meant.
	if n.Kind != yaml.ScalarNode || n.ShortTag() != tag {
		p.fail(n, "%s must be %s, not %s", where(path), want, kindOf(n))
		return
	}
	if err := n.Decode(v.Addr().Interface()); err != nil {
		p.fail(n, "%s must be %s", where(path), want)
	}
}

// checkURL tells at once what would else be a figure missing later.
func (p *parser) checkURL(key, value string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" && u.Fragment == "" {
		return
	}
	p.errs = append(p.errs, &FileError{
		File: p.file, Line: p.config.lines[key],
		Reason: fmt.Sprintf("%s must be a URL such as http://prometheus.example.com:9090", where(strings.Split(key, "\x00"))),
	})
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

func fieldOf(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if tag := v.Type().Field(i).Tag.Get("yaml"); tag != "" && tag == key {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("yaml"); tag != "" {
			keys = append(keys, tag)
		}
	}
	return keys
}

// join makes one map key of a path; names of contexts may hold dots and slashes.
func join(path []string) string { return strings.Join(path, "\x00") }

func where(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return fmt.Sprintf("%q", strings.Join(path, "."))
}

func inside(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return " in " + where(path)
}
