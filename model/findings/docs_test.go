package findings

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update", false, "write docs/findings anew")

const docs = "../../docs/findings"

// pages makes the documentation from the rules, by file name.
func pages() map[string]string {
	out := map[string]string{}
	var index strings.Builder
	index.WriteString(`# Findings

What mullion reports of a cluster by itself. Each finding has an ID that stays, and comes with what was
seen. [mullion findings](../commands.md) prints them. The severity given is the least that a finding of
this kind has; what hurts now is shown as critical.

A rule that could not look, because a list was forbidden or no source told a figure, says so with the
severity ` + "`unknown`" + `: what could not be looked at never reads as well.

| ID | severity | finding |
|---|---|---|
`)
	for _, r := range Rules() {
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s |\n", r.ID, r.ID, r.Severity, r.Title)
		needs := ""
		var kinds []string
		for _, k := range r.needs() {
			kinds = append(kinds, "`"+string(k)+"`")
		}
		if len(kinds) > 0 {
			needs = "\n\nIt needs to list " + strings.Join(kinds, ", ") + "."
		}
		out[r.ID+".md"] = fmt.Sprintf("# %s: %s\n\nSeverity: %s\n\n## What is looked at\n\n%s%s\n\n## Why it matters\n\n%s\n\n## What to do\n\n%s\n", r.ID, r.Title, r.Severity, r.Looks, needs, r.Why, r.Remedy)
	}
	out["README.md"] = index.String()
	return out
}

// The pages say what the rules say, and there are no others.
func TestDocumentationIsMadeFromTheRules(t *testing.T) {
	if *updateDocs {
		if err := os.MkdirAll(docs, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	want := pages()
	for name, text := range want {
		path := filepath.Join(docs, name)
		if *updateDocs {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s differs from its rule (%v); go test ./model/findings -update writes it anew", path, err)
		}
	}
	entries, err := os.ReadDir(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("%s belongs to no rule", e.Name())
		}
	}
}
