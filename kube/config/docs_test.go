package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const docs = "../../docs/configuration.md"

// The documentation has a row for each key, no other rows, and an example that
// is valid and shows every key.
func TestDocumentationIsInStep(t *testing.T) {
	data, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	keys := keysOf(reflect.TypeFor[Config]())
	for _, key := range keysOf(reflect.TypeFor[Context]()) {
		keys = append(keys, "contexts.NAME."+key)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(data), -1) {
		rows = append(rows, m[1])
	}
	if !reflect.DeepEqual(rows, keys) {
		t.Errorf("the table documents %v, the file has %v", rows, keys)
	}

	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(string(data))
	if example == nil {
		t.Fatal("there is no example")
	}
	c, err := Parse(docs, []byte(example[1]))
	if err != nil {
		t.Fatal(err)
	}
	for line := range c.lines {
		path := strings.Split(line, "\x00")
		if len(path) == 3 {
			path[1] = "NAME"
		}
		rows = slices.DeleteFunc(rows, func(row string) bool { return row == strings.Join(path, ".") })
	}
	if len(rows) > 0 {
		t.Errorf("the example does not show %v", rows)
	}
}
