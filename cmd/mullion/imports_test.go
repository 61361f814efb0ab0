package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const ours = "github.com/mullion-tui/mullion/"

// rooms says what the packages of each top folder may import: cmd → ui, kube →
// model and ui → themes, and model, which is pure, as good as nothing.
var rooms = map[string]struct {
	ours []string // folders of ours
	bans []string // prefixes of other packages, with those of the standard library
}{
	"cmd":    {ours: []string{"cmd", "ui", "kube", "model", "themes"}},
	"ui":     {ours: []string{"ui", "model", "themes"}, bans: []string{"k8s.io/client-go", "k8s.io/kubectl"}},
	"kube":   {ours: []string{"kube", "model"}, bans: []string{"github.com/charmbracelet"}},
	"model":  {ours: []string{"model"}, bans: []string{"os", "net", "io/fs", "os/exec", "net/http", "sync", "github.com/charmbracelet", "k8s.io/client-go"}},
	"themes": {ours: []string{"themes"}, bans: []string{"k8s.io"}},
}

// modelMay are the only modules that model's own code, tests aside, builds on.
var modelMay = []string{"k8s.io/api", "k8s.io/apimachinery", "k8s.io/component-helpers"}

// goPackage is what the test needs of go list -json.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		room, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, ours), "/")
		rule, ok := rooms[room]
		if !ok {
			t.Errorf("%s is in no known room", p.ImportPath)
			continue
		}
		seen[room] = true
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if rest, ok := strings.CutPrefix(path, ours); ok {
				if to, _, _ := strings.Cut(rest, "/"); !slices.Contains(rule.ours, to) {
					t.Errorf("%s imports %s: %s may import of ours only %v", p.ImportPath, path, room, rule.ours)
				}
			}
		}
		for _, path := range p.Imports {
			if within(path, rule.bans) {
				t.Errorf("%s imports %s: not in %s", p.ImportPath, path, room)
			}
			outside := strings.Contains(path, ".") && !strings.HasPrefix(path, ours)
			if room == "model" && outside && !within(path, modelMay) {
				t.Errorf("%s imports %s: model builds on %v alone", p.ImportPath, path, modelMay)
			}
		}
	}
	for room := range rooms {
		if !seen[room] {
			t.Errorf("no package seen in %s: the test looks in the wrong place", room)
		}
	}
}

// within reports whether path is one of the paths or lies below one.
func within(path string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "e2e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("read the output of go list: %v", err)
		}
		all = append(all, p)
	}
}
