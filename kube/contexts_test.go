package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/mullion-tui/mullion/kube/config"
	"github.com/mullion-tui/mullion/model"
)

// open makes Contexts of kubeconfig files, with flags and a configuration file.
func open(t *testing.T, kubeconfigs []string, setFlags func(*genericclioptions.ConfigFlags), own string) (*Contexts, error) {
	t.Helper()
	t.Setenv("KUBECONFIG", strings.Join(kubeconfigs, string(filepath.ListSeparator)))
	flags := genericclioptions.NewConfigFlags(false)
	if setFlags != nil {
		setFlags(flags)
	}
	cfg, err := config.Parse("own.yaml", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	return NewContexts(ContextsOptions{Flags: flags, Config: cfg, UserAgent: "mullion/test"})
}

func mustOpen(t *testing.T, kubeconfigs []string, setFlags func(*genericclioptions.ConfigFlags), own string) *Contexts {
	t.Helper()
	c, err := open(t, kubeconfigs, setFlags, own)
	if err != nil {
		t.Fatal(err)
	}
	c.patience = time.Hour // a loaded machine is no failure
	return c
}

func entryOf(t *testing.T, c *Contexts, name string) model.ContextEntry {
	t.Helper()
	entries, _ := c.List(t.Context())
	for _, e := range entries {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no context %q in %+v", name, entries)
	return model.ContextEntry{}
}

const manyContexts = `apiVersion: v1
kind: Config
current-context: My Cluster/EU
clusters:
- {name: k, cluster: {server: "https://u:S3CR3T@k.example:6443/?token=S3CR3T"}}
- {name: rel, cluster: {server: https://rel, certificate-authority: pki/ca.crt}}
- {name: empty, cluster: {}}
- {name: odd, cluster: {server: "https://[odd"}}
- {name: proxied, cluster: {server: https://p, proxy-url: "ftp://u:S3CR3T@proxy"}}
users:
- {name: u, user: {token: S3CR3T}}
- {name: certs, user: {client-certificate: missing.crt, client-key: missing.key}}
- {name: both, user: {token: S3CR3T, username: u, password: S3CR3T}}
contexts:
- {name: My Cluster/EU, context: {cluster: k, user: u, namespace: Shop}}
- {name: anonymous, context: {cluster: k}}
- {name: lost cluster, context: {cluster: gone, user: u}}
- {name: lost user, context: {cluster: k, user: gone}}
- {name: nothing, context: {}}
- {name: no server, context: {cluster: empty, user: u}}
- {name: odd server, context: {cluster: odd, user: u}}
- {name: odd proxy, context: {cluster: proxied, user: u}}
- {name: relative, context: {cluster: rel, user: u}}
- {name: no certificate, context: {cluster: k, user: certs}}
- {name: two ways in, context: {cluster: k, user: both}}
`

func TestContextsList(t *testing.T) {
	file := writeFile(t, t.TempDir(), "config", manyContexts)
	dir := filepath.Dir(file)
	c := mustOpen(t, []string{file}, nil, "contexts: {My Cluster/EU: {readOnly: true, protected: true}}")
	if c.Current() != "My Cluster/EU" {
		t.Errorf("current = %q", c.Current())
	}
	got := entryOf(t, c, "My Cluster/EU")
	want := model.ContextEntry{
		Name: "My Cluster/EU", Cluster: "k", Server: "https://k.example:6443/", User: "u", Namespace: "Shop",
		Current: true, File: file, Usable: true, ReadOnly: true, ReadOnlyReason: "readOnly: true for this context in own.yaml:1", Protected: true,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	problems := map[string]string{
		"anonymous":      "",
		"lost cluster":   `its cluster "gone" is not in ` + file,
		"lost user":      `its user "gone" is not in ` + file,
		"nothing":        "it names no cluster in " + file,
		"no server":      `its cluster "empty" has no server in ` + file,
		"odd server":     `its server "https://[odd" is not a URL`,
		"odd proxy":      `ftp://proxy`,
		"relative":       `unable to read certificate-authority ` + filepath.Join(dir, "pki", "ca.crt"),
		"no certificate": `unable to read client-cert ` + filepath.Join(dir, "missing.crt"),
		"two ways in":    "more than one authentication method found for both",
	}
	for name, want := range problems {
		e := entryOf(t, c, name)
		if e.Usable != (want == "") || !strings.Contains(e.Problem, want) || strings.Contains(e.Problem, "\n") {
			t.Errorf("%s: usable %v, problem %q, want %q", name, e.Usable, e.Problem, want)
		}
		if _, err := c.Open(t.Context(), name); want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: open says %v, want %q", name, err, want)
		}
	}
}

func TestContextsNameWhatIsThere(t *testing.T) {
	text := "apiVersion: v1\nkind: Config\ncontexts:\n"
	for i := range 12 {
		text += fmt.Sprintf("- {name: c %02d, context: {}}\n", i)
	}
	c := mustOpen(t, []string{writeFile(t, t.TempDir(), "config", text)}, nil, "")
	_, err := c.Open(t.Context(), "x")
	if err == nil || !strings.HasSuffix(err.Error(), `; there are "c 00" "c 01" "c 02" "c 03" "c 04" "c 05" "c 06" "c 07" "c 08" "c 09" and 2 more`) {
		t.Errorf("error = %v", err)
	}
}

func TestContextsTellOfTheHiddenOneThatWouldWork(t *testing.T) {
	dir := t.TempDir()
	files := []string{
		writeFile(t, dir, "a", "apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: gone, user: c}}]\n"),
		writeFile(t, dir, "b", oneContext("c", "c", "https://b", "c", "t")),
	}
	e := entryOf(t, mustOpen(t, files, nil, ""), "c")
	want := fmt.Sprintf(`its cluster "gone" is not in %s, %s; %[2]s also has a context of this name, which is ignored: %[1]s wins, and https://b is reached under no name`, files[0], files[1])
	if !strings.HasSuffix(want, e.Conflicts) || !strings.HasPrefix(e.Conflicts, files[1]+" also has") {
		t.Errorf("conflicts %q", e.Conflicts)
	}
	if e.Usable || e.Problem != want {
		t.Errorf("got  %s\nwant %s", e.Problem, want)
	}
}

// Nothing secret is in any string that Contexts return.
func TestContextsKeepSecrets(t *testing.T) {
	dir := t.TempDir()
	files := []string{
		writeFile(t, dir, "a", manyContexts), writeFile(t, dir, "b", strings.ReplaceAll(manyContexts, "k.example", "b.example")),
		writeFile(t, dir, "c", kubeadm("https://u:"+secret+"@c")), writeFile(t, dir, "d", "users: [{name: "+secret),
	}
	c := mustOpen(t, files, func(f *genericclioptions.ConfigFlags) { *f.BearerToken = secret }, "")
	entries, err := c.List(t.Context())
	if err == nil || len(entries) != 12 {
		t.Fatalf("%d entries, error %v; want 12 and an error for file d", len(entries), err)
	}
	text := err.Error()
	for _, e := range entries {
		text += fmt.Sprintf("%+v", e)
		if _, info, err := c.target(e.Name); err != nil {
			text += err.Error()
		} else {
			text += fmt.Sprintf("%+v", info)
		}
	}
	_, err = c.Open(t.Context(), "none")
	text += err.Error()
	if i := strings.Index(text, secret); i >= 0 {
		t.Errorf("a secret in %q", text[max(0, i-200):i+20])
	}
}

func TestContextsStart(t *testing.T) {
	set := func(flag, value string) func(*genericclioptions.ConfigFlags) {
		return func(f *genericclioptions.ConfigFlags) {
			switch flag {
			case "context":
				*f.Context = value
			case "server":
				*f.APIServer = value
			}
		}
	}
	tests := []struct {
		name    string
		text    string
		flags   func(*genericclioptions.ConfigFlags)
		current string
		err     string // of List
	}{
		{"current context", kubeadm("https://a"), nil, "kubernetes-admin@kubernetes", ""},
		{"flag", manyContexts, set("context", "anonymous"), "anonymous", ""},
		{"none", strings.Replace(manyContexts, "current-context", "#", 1), nil, "", ""},
		{"one that is not there", strings.Replace(manyContexts, "EU", "US", 1), nil, "My Cluster/US", `the kubeconfig's current context "My Cluster/US" does not exist in `},
		{"flag for one that is not there", kubeadm("https://a"), set("context", "x y"), "x y", `context "x y" does not exist in `},
		{"server alone", "apiVersion: v1\nkind: Config\n", set("server", "http://localhost:8001"), "--server", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustOpen(t, []string{writeFile(t, t.TempDir(), "config", tt.text)}, tt.flags, "")
			if c.Current() != tt.current {
				t.Errorf("current = %q, want %q", c.Current(), tt.current)
			}
			_, err := c.List(t.Context())
			if (err != nil) != (tt.err != "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error = %v, want %q", err, tt.err)
			}
		})
	}
}

func TestContextsWithoutKubeconfig(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := open(t, []string{missing}, nil, "")
	if !errors.Is(err, ErrNoKubeconfig) || !strings.Contains(err.Error(), "KUBECONFIG names "+missing) {
		t.Errorf("error = %v", err)
	}
	_, err = open(t, nil, func(f *genericclioptions.ConfigFlags) { *f.KubeConfig = missing }, "")
	if !errors.Is(err, ErrNoKubeconfig) || !strings.Contains(err.Error(), "--kubeconfig names "+missing) {
		t.Errorf("error = %v", err)
	}
	c := mustOpen(t, []string{missing}, func(f *genericclioptions.ConfigFlags) { *f.APIServer = "http://localhost:8001" }, "")
	e := entryOf(t, c, FlagsContext)
	if !e.Usable || e.Server != "http://localhost:8001" || !e.Current {
		t.Errorf("got %+v", e)
	}
	if _, err := c.List(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestContextsInAPod(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	pod := func() (*rest.Config, error) { return &rest.Config{Host: "https://10.0.0.1:443"}, nil }
	in := func(kubeconfig string) *Contexts {
		t.Setenv("KUBECONFIG", kubeconfig)
		flags := genericclioptions.NewConfigFlags(false)
		*flags.Impersonate = "viewer"
		return &Contexts{
			opts:      ContextsOptions{Flags: flags, Config: config.Default()},
			inCluster: pod, plugins: &pluginKeeper{}, reader: newKubeconfigReader(""),
		}
	}
	c := in(missing)
	entries, err := c.List(t.Context())
	if err != nil || len(entries) != 1 || entries[0].Name != InClusterContext || !entries[0].Usable || c.Current() != InClusterContext {
		t.Errorf("got %+v, %v", entries, err)
	}
	cfg, info, err := c.target(InClusterContext)
	if err != nil || cfg.Impersonate.UserName != "viewer" || info.Server != "https://10.0.0.1:443" {
		t.Errorf("got %+v, %+v, %v", cfg, info, err)
	}
	for _, text := range []string{kubeadm("https://a"), "broken: ["} {
		if entries, _ := in(writeFile(t, dir, "config", text)).List(t.Context()); len(entries) > 0 && entries[0].Name == InClusterContext {
			t.Errorf("the pod's account goes before a kubeconfig that says %q", text)
		}
	}
	c = in(missing)
	c.inCluster = func() (*rest.Config, error) { return nil, errors.New("no token file") }
	if _, err := c.List(t.Context()); !errors.Is(err, ErrNoKubeconfig) || !strings.Contains(err.Error(), "no token file") {
		t.Errorf("error = %v", err)
	}
}

// What cli-runtime makes of each of its flags, for the context that it starts with, we
// make of it too. A flag that a later version brings fails here until somebody looks at it.
func TestFlagsMeanWhatTheyMeanToKubectl(t *testing.T) {
	dir := t.TempDir()
	pem := writeFile(t, dir, "some.pem", "x")
	text := kubeadm("https://a") + "" // users, clusters and contexts of the second file are the others
	one := writeFile(t, dir, "one", text)
	two := writeFile(t, dir, "two", oneContext("second", "other", "https://b", "other", "t2"))
	values := map[string]any{
		"CacheDir": nil, "KubeConfig": two, "ClusterName": "other", "AuthInfoName": "other", "Context": "second", "Namespace": "x",
		"APIServer": "https://x/y?z", "TLSServerName": "t", "Insecure": true, "CertFile": pem, "KeyFile": pem, "CAFile": pem,
		"BearerToken": "t3", "Impersonate": "i", "ImpersonateUID": "1", "ImpersonateGroup": []string{"g"}, "ImpersonateUserExtra": []string{"a=b", "a=c=d", "e"},
		"Username": "u", "Password": nil, "Timeout": "5s", "DisableCompression": true, "ProxyURL": "http://p:1",
	}
	together := map[string][]string{"CertFile": {"KeyFile"}, "ImpersonateUID": {"Impersonate"}, "ImpersonateGroup": {"Impersonate"}, "ImpersonateUserExtra": {"Impersonate"}}
	fields := reflect.TypeFor[genericclioptions.ConfigFlags]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if !f.IsExported() || f.Type.Kind() != reflect.Pointer {
			continue
		}
		value, known := values[f.Name]
		if !known {
			t.Errorf("the flag %s is new: find out what it means here", f.Name)
		}
		if value == nil {
			continue
		}
		for _, names := range [][]string{{f.Name}, append([]string{f.Name}, together[f.Name]...)} {
			flags := genericclioptions.NewConfigFlags(false)
			for _, name := range names {
				pointer := reflect.New(reflect.TypeOf(values[name]))
				pointer.Elem().Set(reflect.ValueOf(values[name]))
				reflect.ValueOf(flags).Elem().FieldByName(name).Set(pointer)
			}
			t.Setenv("KUBECONFIG", one+string(filepath.ListSeparator)+two)
			want, wantErr := flags.ToRESTConfig()
			c, err := NewContexts(ContextsOptions{Flags: flags})
			if err != nil {
				t.Fatal(err)
			}
			v := c.look()
			got, gotErr := v.restConfig(v.start)
			if (gotErr != nil) != (wantErr != nil) || connection(t, got) != connection(t, want) {
				t.Errorf("%v:\ngot  %s, %v\nwant %s, %v", names, connection(t, got), gotErr, connection(t, want), wantErr)
			}
		}
	}
}

// connection writes down what of a config can be compared.
func connection(t *testing.T, c *rest.Config) string {
	t.Helper()
	if c == nil {
		return ""
	}
	proxy := ""
	if c.Proxy != nil {
		u, err := c.Proxy(&http.Request{})
		if err != nil {
			t.Fatal(err)
		}
		proxy = u.String()
	}
	tls, err := json.Marshal(c.TLSClientConfig)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(c.Host, c.Username, c.BearerToken, c.BearerTokenFile, c.Impersonate, string(tls), c.Timeout, c.DisableCompression, proxy)
}

func TestFlagsOfOneContextStayThere(t *testing.T) {
	dir := t.TempDir()
	files := []string{writeFile(t, dir, "a", oneContext("a", "a", "https://a", "a", "ta")), writeFile(t, dir, "b", oneContext("b", "b", "https://b", "b", "tb"))}
	c := mustOpen(t, files, func(f *genericclioptions.ConfigFlags) {
		*f.BearerToken, *f.Impersonate, *f.Timeout = "for a", "viewer", "3s"
	}, "")
	for name, token := range map[string]string{"a": "for a", "b": "tb"} {
		cfg, _, err := c.target(name)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.BearerToken != token || cfg.Impersonate.UserName != "viewer" || cfg.UserAgent != "mullion/test" || cfg.Timeout != 0 {
			t.Errorf("%s: token %q as %q, agent %q, timeout %v", name, cfg.BearerToken, cfg.Impersonate.UserName, cfg.UserAgent, cfg.Timeout)
		}
	}
}

func TestGuards(t *testing.T) {
	dir := t.TempDir()
	files := []string{writeFile(t, dir, "lab", oneContext("lab", "lab", "https://lab", "lab", "t")), writeFile(t, dir, "prod", oneContext("prod", "prod", "https://Prod/", "prod", "t"))}
	const own = "contexts:\n  lab: {readOnly: false}\n  prod: {readOnly: true, protected: true}\n"
	tests := []struct {
		name      string
		own       string
		flags     func(*genericclioptions.ConfigFlags)
		readOnly  bool // the option
		context   string
		reason    string
		protected bool
	}{
		{"nothing", "", nil, false, "lab", "", false},
		{"option", "", nil, true, "lab", "--read-only", false},
		{"option over the file", own, nil, true, "lab", "--read-only", false},
		{"file", own, nil, false, "prod", "readOnly: true for this context in own.yaml:3", true},
		{"exception", "readOnly: true\n" + own, nil, false, "lab", "", false},
		{"--server leads to another context's cluster", own, func(f *genericclioptions.ConfigFlags) { *f.APIServer = "https://prod" }, false, "lab",
			`the flags lead to the server of context "prod": readOnly: true for this context in own.yaml:3`, true},
		{"--cluster too", own, func(f *genericclioptions.ConfigFlags) { *f.ClusterName = "prod" }, false, "lab",
			`the flags lead to the server of context "prod": readOnly: true for this context in own.yaml:3`, true},
		{"an exception does not travel", "readOnly: true\n" + own, func(f *genericclioptions.ConfigFlags) { *f.APIServer = "https://third" }, false, "lab", "readOnly: true in own.yaml:1", false},
		{"flags elsewhere", own, func(f *genericclioptions.ConfigFlags) { *f.APIServer = "https://third" }, false, "lab", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustOpen(t, files, tt.flags, tt.own)
			c.opts.ReadOnly = tt.readOnly
			_, info, err := c.target(tt.context)
			if err != nil {
				t.Fatal(err)
			}
			if info.ReadOnly != (tt.reason != "") || info.ReadOnlyReason != tt.reason || info.Protected != tt.protected {
				t.Errorf("got %+v", info)
			}
			if e := entryOf(t, c, tt.context); e.ReadOnly != info.ReadOnly || e.Protected != info.Protected {
				t.Errorf("the list says %+v", e)
			}
		})
	}
}

func TestOpenIsReadOnly(t *testing.T) {
	server := &recorder{}
	ts := httptest.NewServer(server)
	defer ts.Close()
	file := writeFile(t, t.TempDir(), "config", oneContext("c", "c", ts.URL, "c", "t"))
	c := mustOpen(t, []string{file}, nil, "readOnly: true")
	s, err := c.Open(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var refused *ReadOnlyError
	err = s.client.CoreV1().RESTClient().Delete().AbsPath("/api/v1/nodes/n").Do(t.Context()).Error()
	if !errors.As(err, &refused) || !s.Info().ReadOnly {
		t.Errorf("error = %v in %+v", err, s.Info())
	}
}

func TestContextsFromAPipe(t *testing.T) {
	pipe, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := os.Stat(fmt.Sprintf("/dev/fd/%d", pipe.Fd())); err != nil {
		t.Skip("no /dev/fd here")
	}
	if _, err := in.WriteString(kubeadm("https://a")); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	c := mustOpen(t, []string{fmt.Sprintf("/dev/fd/%d", pipe.Fd())}, nil, "")
	for range 2 {
		if entries, err := c.List(t.Context()); err != nil || len(entries) != 1 {
			t.Errorf("got %+v, %v", entries, err)
		}
	}
}
