package themes_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/mullion-tui/mullion/themes"
)

var updateDocs = flag.Bool("update", false, "write the tables of docs/themes.md anew")

type roleDoc struct{ key, doc string }

func roleDocs(t *testing.T) []roleDoc {
	t.Helper()
	var docs []roleDoc
	roles := reflect.TypeFor[themes.Roles]()
	for i := range roles.NumField() {
		tag := roles.Field(i).Tag
		d := roleDoc{tag.Get("yaml"), tag.Get("doc")}
		if d.key == "" || d.doc == "" {
			t.Errorf("role %s has no key or no doc", roles.Field(i).Name)
		}
		docs = append(docs, d)
	}
	return docs
}

const docsPath = "../docs/themes.md"

// TestDocs keeps the tables of docs/themes.md in step; go test ./themes -update
// writes them.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	want := between(t, string(page), "themes", themesTable())
	want = between(t, want, "roles", rolesTable(t))
	if *updateDocs {
		if err := os.WriteFile(docsPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Errorf("%s is out of step: run go test ./themes -run TestDocs -update", docsPath)
	}
}

// between puts a table between the two comments that mark its place.
func between(t *testing.T, page, name, table string) string {
	t.Helper()
	begin, end := "<!-- "+name+": made by a test -->\n", "<!-- end of "+name+" -->\n"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table of %s", docsPath, name)
	}
	return head + begin + table + end + tail
}

func themesTable() string {
	var b strings.Builder
	b.WriteString("| name | what it is | taken background |\n|---|---|---|\n")
	for _, t := range themes.Builtin() {
		background := "`" + t.Roles.Background.Hex + "`"
		if t.Plain() {
			background = "any"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.Title, background)
	}
	return b.String()
}

func rolesTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| role | what it colours | `dark` | `light` |\n|---|---|---|---|\n")
	dark, _ := themes.Builtin().ByName("dark")
	light, _ := themes.Builtin().ByName("light")
	for i, d := range roleDocs(t) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.key, d.doc, hexes(dark, i), hexes(light, i))
	}
	return b.String()
}

func hexes(t themes.Theme, field int) string {
	switch c := reflect.ValueOf(t.Roles).Field(field).Interface().(type) {
	case themes.Colour:
		return "`" + c.Hex + "`"
	case []themes.Colour:
		return fmt.Sprintf("%d colours", len(c))
	}
	return ""
}
