package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParse(t *testing.T) {
	c := parse(t, `
# ours
theme: dark
mouse: false
poolLabel: agentpool
contexts:
  "kubernetes-admin@kubernetes":
    readOnly: true
  arn:aws:eks:eu-west-1:1/prod.eu:
    protected: true
`)
	if c.Theme != "dark" || c.Mouse || c.PoolLabel != "agentpool" || c.ReadOnly {
		t.Errorf("got %+v", c)
	}
	if ro := c.Contexts["kubernetes-admin@kubernetes"].ReadOnly; ro == nil || !*ro {
		t.Errorf("readOnly = %v, want true", ro)
	}
	if !c.IsProtected("arn:aws:eks:eu-west-1:1/prod.eu") {
		t.Error("prod.eu is not protected")
	}
}

func TestParseNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "contexts:\n", "---\n", "contexts:\n  a:\n"} {
		c := parse(t, text)
		if !c.Mouse || c.ReadOnly || c.Theme != "" || c.Contexts == nil {
			t.Errorf("%q: got %+v, want the defaults", text, c)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // each in one line of the error
	}{
		{"unknown key", "theme: dark\nreadonly: true\n",
			[]string{`c.yaml:2: unknown key "readonly"; known are readOnly, theme, mouse, poolLabel, prometheus, contexts`}},
		{"unknown key of a context", "contexts:\n  prod:\n    readonly: true\n",
			[]string{`c.yaml:3: unknown key "readonly" in "contexts.prod"; known are readOnly, protected, prometheus`}},
		{"several at once", "a: 1\nmouse: maybe\n",
			[]string{`c.yaml:1: unknown key "a"`, `c.yaml:2: "mouse" must be true or false, not "maybe"`}},
		{"text for a truth", "readOnly: \"true\"\n", []string{`c.yaml:1: "readOnly" must be true or false, not "true"`}},
		{"yes is text", "readOnly: yes\n", []string{`c.yaml:1: "readOnly" must be true or false, not "yes"`}},
		{"nothing for a truth", "readOnly:\n", []string{`c.yaml:1: "readOnly" must be true or false, not nothing`}},
		{"number for text", "theme: 1\n", []string{`c.yaml:1: "theme" must be text, not "1"`}},
		{"list for text", "theme: [dark]\n", []string{`c.yaml:1: "theme" must be text, not a list`}},
		{"list of contexts", "contexts:\n- prod\n", []string{`c.yaml:2: "contexts" must be a mapping of keys to values, not a list`}},
		{"truth for a context", "contexts:\n  prod: true\n", []string{`c.yaml:2: "contexts.prod" must be a mapping`}},
		{"twice", "theme: dark\nmouse: true\ntheme: light\n",
			[]string{`c.yaml:3: key "theme" is set a second time; the first is in line 1`}},
		{"context twice", "contexts:\n  a: {readOnly: true}\n  a: {readOnly: false}\n",
			[]string{`c.yaml:3: key "a" in "contexts" is set a second time; the first is in line 2`}},
		{"no mapping", "- a\n", []string{`c.yaml:1: the file must be a mapping of keys to values, not a list`}},
		{"not YAML", "theme: dark\n\tmouse: true\n", []string{`c.yaml:2: is not YAML: `}},
		{"two documents", "theme: dark\n---\nmouse: true\n", []string{`c.yaml:2: holds more than one YAML document`}},
		{"alias", "theme: &a dark\npoolLabel: *a\n", []string{`c.yaml:1: "theme" uses a YAML anchor`, `c.yaml:2: "poolLabel" uses a YAML anchor`}},
		{"merge key", "contexts:\n  a: {<<: {readOnly: true}}\n", []string{`c.yaml:2: unknown key "<<"`}},
		{"list as a key", "? [a]\n: b\n", []string{`c.yaml:1: a key must be plain text, not a list`}},
		{"no URL", "prometheus: prometheus:9090\ncontexts:\n  a: {prometheus: 'ftp://x'}\n", []string{
			`c.yaml:1: "prometheus" must be a URL such as http://prometheus.example.com:9090`, `c.yaml:3: "contexts.a.prometheus" must be a URL`}},
		{"huge", strings.Repeat("#", maxSize+1), []string{`c.yaml: is larger than 1048576 bytes`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(tt.text))
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tt.want) {
				t.Errorf("%d mistakes, want %d:\n%v", len(lines), len(tt.want), err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
}

func TestPrometheusOfTheContextWins(t *testing.T) {
	c := parse(t, "prometheus: https://all/prom\ncontexts:\n  lab: {prometheus: 'http://lab:9090'}\n  other: {protected: true}\n")
	for context, want := range map[string]string{"lab": "http://lab:9090", "other": "https://all/prom", "unnamed": "https://all/prom"} {
		if got := c.PrometheusOf(context); got != want {
			t.Errorf("%s: %q, want %q", context, got, want)
		}
	}
}

func TestReadOnlyOfTheContextWins(t *testing.T) {
	c := parse(t, "readOnly: true\ncontexts:\n  lab: {readOnly: false}\n  prod: {readOnly: true}\n  other: {protected: true}\n")
	tests := []struct {
		context string
		want    bool
		reason  string
	}{
		{"lab", false, ""},
		{"prod", true, "readOnly: true for this context in c.yaml:4"},
		{"other", true, "readOnly: true in c.yaml:1"},
		{"unnamed", true, "readOnly: true in c.yaml:1"},
	}
	for _, tt := range tests {
		if got, reason := c.IsReadOnly(tt.context); got != tt.want || reason != tt.reason {
			t.Errorf("%s: %v %q, want %v %q", tt.context, got, reason, tt.want, tt.reason)
		}
	}
}

// home makes t's own XDG directories and returns the user's and the machine's one.
func home(t *testing.T) (user, machine string) {
	t.Helper()
	user, machine = t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", user)
	t.Setenv("XDG_CONFIG_DIRS", machine)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	return user, machine
}

func write(t *testing.T, dir, text string) string {
	t.Helper()
	file := filepath.Join(dir, relativePath)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoadSearches(t *testing.T) {
	user, machine := home(t)
	if DefaultPath() != filepath.Join(user, "mullion", "config.yaml") {
		t.Errorf("default path %s is not below %s", DefaultPath(), user)
	}
	if c, err := Load(""); err != nil || c.Path() != "" || !c.Mouse {
		t.Errorf("without a file: %+v, %v; want the defaults", c, err)
	}
	file := write(t, machine, "theme: light\n")
	if c, err := Load(""); err != nil || c.Path() != file || c.Theme != "light" {
		t.Errorf("machine's file: %+v, %v", c, err)
	}
	file = write(t, user, "theme: dark\n")
	if c, err := Load(""); err != nil || c.Path() != file || c.Theme != "dark" {
		t.Errorf("user's file: %+v, %v", c, err)
	}
}

func TestLoadNeverIgnoresAFileThatIsThere(t *testing.T) {
	user, machine := home(t)
	write(t, machine, "theme: light\n")
	write(t, user, "readOnly: tru\n")
	if _, err := Load(""); err == nil {
		t.Error("a broken file of the user was passed over")
	}
	missing := filepath.Join(user, "missing.yaml")
	_, err := Load(missing)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("error = %v, want one that names %s", err, missing)
	}
	if _, err := Load(user); err == nil || !strings.Contains(err.Error(), user) {
		t.Errorf("error = %v for a directory", err)
	}
}

func TestEffective(t *testing.T) {
	c := parse(t, "mouse: false\ncontexts:\n  z: {protected: true, prometheus: 'http://u:secret@z:9090'}\n  gone: {readOnly: true}\n")
	got := c.Effective([]string{"z"},
		Override{"theme", "dark", "--theme"}, Override{"theme", "plain", "NO_COLOR"},
		Override{"readOnly", "true", "--read-only"})
	want := []Setting{
		{Key: "readOnly", Value: "true", From: "--read-only"},
		{Key: "theme", Value: "plain", From: "NO_COLOR"},
		{Key: "mouse", Value: "false", From: "c.yaml:1"},
		{Key: "poolLabel", Value: "", From: "default"},
		{Key: "prometheus", Value: "", From: "default"},
		{Key: `contexts."z".protected`, Value: "true", From: "c.yaml:3"},
		{Key: `contexts."z".prometheus`, Value: "http://u:xxxxx@z:9090", From: "c.yaml:3"},
		{Key: `contexts."gone".readOnly`, Value: "true", From: "c.yaml:4", Note: "no kubeconfig has a context of this name"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

func TestNoOverrideLiftsReadOnly(t *testing.T) {
	c := parse(t, "readOnly: true\n")
	if got := c.Effective(nil, Override{"readOnly", "false", "--read-only=false"})[0]; got.Value != "true" || got.From != "c.yaml:1" {
		t.Errorf("got %+v", got)
	}
}

// FuzzParse wants that a file is either understood as a whole or refused with a
// position, and that readOnly is in force wherever the file plainly says so.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "readOnly: true", "contexts: {a: {readOnly: true}}", "mouse: &a false", "a: *b", "? {a: b}\n: c",
		"contexts:\n  \"\": {protected: true}\n", "\xff", "theme: \"\\0\"", "- - -", "--- \n...\n---", "contexts: {a: null}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("c.yaml", data)
		if err != nil {
			var problem *FileError
			if !errors.As(err, &problem) || c != nil {
				t.Fatalf("error %v of type %T, config %v", err, err, c)
			}
			return
		}
		for _, s := range c.Effective([]string{}) {
			if s.From == "" {
				t.Fatalf("%s comes from nowhere", s.Key)
			}
		}
		if strings.TrimSpace(string(data)) == "readOnly: true" && !c.ReadOnly {
			t.Fatal("readOnly was lost")
		}
	})
}
