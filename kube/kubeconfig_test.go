package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// secret stands wherever a kubeconfig keeps something secret, and must turn up nowhere.
const secret = "S3CR3T"

// writeFile writes a file of a test's own and returns its path.
func writeFile(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// kubeadm returns what kubeadm writes for a cluster: the same names every time.
func kubeadm(server string) string {
	return oneContext("kubernetes-admin@kubernetes", "kubernetes", server, "kubernetes-admin", secret+server)
}

func oneContext(name, cluster, server, user, token string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: %[1]q
clusters: [{name: %[2]q, cluster: {server: %[3]q}}]
users: [{name: %[4]q, user: {token: %[5]q}}]
contexts: [{name: %[1]q, context: {cluster: %[2]q, user: %[4]q}}]
`, name, cluster, server, user, token)
}

func readerOf(paths ...string) *kubeconfigReader {
	r := newKubeconfigReader("")
	r.rules.Precedence = paths
	return r
}

func TestKubeconfigProblems(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", " \n", "kubeconfig FILE is empty"},
		{"without contexts", "apiVersion: v1\nkind: Config\n", "kubeconfig FILE has no contexts"},
		{"tab", "apiVersion: v1\n\tkind: Config\n", "kubeconfig FILE, line 2: not YAML: "},
		{"unclosed", "apiVersion: v1\nusers: [{name: u, user: {token: " + secret + "}\n", "kubeconfig FILE, line 2: not YAML: "},
		{"alias that looks like a token", "users:\n- user: {token: *" + secret + "}\n", "kubeconfig FILE is not YAML"},
		{"text", "hello " + secret, "kubeconfig FILE, line 1: not a kubeconfig: the file holds a string instead of a mapping"},
		{"web page", "<html><body>" + secret + "</body></html>", "kubeconfig FILE, line 1: not a kubeconfig: the file holds a string instead of a mapping"},
		{"another kind", "apiVersion: apps/v1\nkind: Deployment\n", "kubeconfig FILE is not a kubeconfig: it holds a Deployment of apps/v1"},
		{"wrong type", "apiVersion: v1\nkind: Config\nusers: " + secret + "\n", "kubeconfig FILE is not a kubeconfig: its field Config.users is a string, which it must not be"},
		{"not base64", "apiVersion: v1\nkind: Config\nusers: [{name: u, user: {client-key-data: '" + secret + "!'}}]\n",
			"kubeconfig FILE is not a kubeconfig: one of its …-data fields is not base64"},
		{"name twice", "apiVersion: v1\nkind: Config\nusers:\n- {name: u, user: {token: " + secret + "}}\n- {name: u, user: {token: b}}\n",
			`kubeconfig FILE, line 5: the name "u" is used twice in the same list`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := writeFile(t, t.TempDir(), "config", tt.text)
			err := readerOf(file).load().problem()
			if err == nil {
				t.Fatal("no error")
			}
			if want := strings.ReplaceAll(tt.want, "FILE", file); !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") {
				t.Errorf("a secret or a second line in: %v", err)
			}
		})
	}
}

func TestKubeconfigThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	good := writeFile(t, dir, "good", kubeadm("https://a"))

	err := readerOf(missing).load().problem()
	if !errors.Is(err, ErrNoKubeconfig) || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "mullion --demo") {
		t.Errorf("error = %v, want ErrNoKubeconfig, the place and the demo", err)
	}
	k := readerOf(missing, good).load()
	if err := k.problem(); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoKubeconfig) || !strings.Contains(err.Error(), missing+" does not exist") {
		t.Errorf("error = %v, want that %s does not exist", err, missing)
	}
	if len(k.merged.Contexts) != 1 {
		t.Errorf("the good file was lost: %v", k.merged.Contexts)
	}
	if err := readerOf(dir).load().problem(); err == nil || !strings.Contains(err.Error(), dir+" is a directory") {
		t.Errorf("error = %v, want that it is a directory", err)
	}
}

func TestKubeconfigIsReadAnew(t *testing.T) {
	file := writeFile(t, t.TempDir(), "config", kubeadm("https://a"))
	r := readerOf(file)
	if got := r.load().merged.Clusters["kubernetes"].Server; got != "https://a" {
		t.Fatal(got)
	}
	writeFile(t, filepath.Dir(file), "config", kubeadm("https://b"))
	if got := r.load().merged.Clusters["kubernetes"].Server; got != "https://b" {
		t.Errorf("server = %s after the file changed", got)
	}
}

func TestConflicts(t *testing.T) {
	const name = "kubernetes-admin@kubernetes"
	tests := []struct {
		name    string
		files   []string
		context string
		want    []string
	}{
		{"one file", []string{kubeadm("https://a")}, name, nil},
		{"a copy", []string{kubeadm("https://a"), kubeadm("https://a")}, name, nil},
		{"different names", []string{kubeadm("https://a"), oneContext("b", "b", "https://b", "b", secret)}, "b", nil},
		{"two clusters of kubeadm", []string{kubeadm("https://a"), kubeadm("https://b")}, name,
			[]string{"F1 also has a context of this name, which is ignored: F0 wins, and https://b is reached under no name"}},
		{"the lost one has another name too", []string{kubeadm("https://a"), kubeadm("https://b"), oneContext("b", "b", "https://B/", "b", secret)}, name,
			[]string{`F1 also has a context of this name, which is ignored: F0 wins, and https://b is reached only as "b"`}},
		{"three", []string{kubeadm("https://a"), kubeadm("https://b"), kubeadm("https://c")}, name,
			[]string{
				"F1 also has a context of this name, which is ignored: F0 wins, and https://b is reached under no name",
				"F2 also has a context of this name, which is ignored: F0 wins, and https://c is reached under no name",
			}},
		{"another user of the same server", []string{oneContext("c", "k", "https://a", "u1", "x"), oneContext("c", "k", "https://a", "u2", "y")}, "c",
			[]string{"F1 also has a context of this name, with another user or namespace, which is ignored: F0 wins"}},
		{"renamed context, same cluster and user", []string{kubeadm("https://a"), oneContext("b", "kubernetes", "https://b", "kubernetes-admin", secret)}, "b",
			[]string{
				`cluster "kubernetes" is taken from F0 (https://a), not from its own file (https://b)`,
				`it goes with the credentials that F0 has for user "kubernetes-admin", not with those of its own file`,
			}},
		{"same user alone", []string{kubeadm("https://a"), oneContext("b", "b", "https://b", "kubernetes-admin", secret)}, "b",
			[]string{`it goes with the credentials that F0 has for user "kubernetes-admin", not with those of its own file`}},
		{"the winner is not bothered", []string{kubeadm("https://a"), oneContext("b", "kubernetes", "https://b", "b", secret)}, name, nil},
		{"user and password in the URL", []string{kubeadm("https://a"), kubeadm("https://u:" + secret + "@b?t=" + secret)}, name,
			[]string{"F1 also has a context of this name, which is ignored: F0 wins, and https://b is reached under no name"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for i, text := range tt.files {
				paths = append(paths, writeFile(t, dir, fmt.Sprintf("F%d", i), text))
			}
			got := readerOf(paths...).load().conflicts(tt.context)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], dir+string(filepath.Separator), "")
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestPublicURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       "",
		"https://a:6443":                         "https://a:6443",
		"https://u:S3CR3T@a/k8s?t=S3CR3T#S3CR3T": "https://a/k8s",
		"u:S3CR3T@a:6443":                        "a:6443",
		"10.0.0.1:6443":                          "10.0.0.1:6443",
		"localhost:6443":                         "localhost:6443",
		"https://u:S3/CR3T@[odd":                 "https://[odd",
		"u:S3CR3T@[odd":                          "[odd",
	} {
		if got := publicURL(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// FuzzKubeconfigMerge holds our merge to client-go's, which kubectl uses: the same
// contexts, clusters, users and current context, and an error where it has one.
func FuzzKubeconfigMerge(f *testing.F) {
	f.Add([]byte(kubeadm("https://a")), []byte(kubeadm("https://b")))
	f.Add([]byte(oneContext("a", "a", "https://a", "a", "t")), []byte(oneContext("b b", "a", "b", "a", "t")))
	f.Add([]byte("contexts:\n- name: x\n"), []byte(""))
	f.Add([]byte("users: [{name: u, user: {client-certificate: rel/a.crt, client-key: ../k, exec: {command: ./x/y, apiVersion: client.authentication.k8s.io/v1}}}]"), []byte("- a"))
	f.Add([]byte(`{"current-context":"a","extensions":[{"name":"e","extension":{"a":1}}]}`), []byte("current-context: b\npreferences: {colors: true}"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		for _, text := range [][]byte{one, two} {
			if len(bytes.TrimSpace(text)) == 0 && len(text) > 0 {
				return // to us a file of tabs is empty, to client-go it is broken
			}
		}
		dir := t.TempDir()
		paths := []string{writeFile(t, dir, "one", string(one)), filepath.Join(dir, "missing"), writeFile(t, dir, "two", string(two))}
		k := readerOf(paths...).load()
		want, err := (&clientcmd.ClientConfigLoadingRules{Precedence: paths}).Load()
		if broken := !k.onlyMissing() && !onlyEmpty(k.errs); broken != (err != nil) {
			t.Fatalf("our errors %v, client-go's %v", k.errs, err)
		}
		if !reflect.DeepEqual(k.merged.Contexts, want.Contexts) || !reflect.DeepEqual(k.merged.Clusters, want.Clusters) ||
			!reflect.DeepEqual(k.merged.AuthInfos, want.AuthInfos) || k.merged.CurrentContext != want.CurrentContext {
			t.Fatalf("got  %+v\nwant %+v", k.merged, want)
		}
		for name := range k.merged.Contexts {
			k.conflicts(name)
		}
		_ = k.problem()
	})
}

// onlyEmpty leaves out the files that client-go takes for good ones without content.
func onlyEmpty(errs []error) bool {
	for _, err := range errs {
		var problem *KubeconfigError
		if !errors.As(err, &problem) || (problem.Reason != "is empty" && problem.Reason != "does not exist") {
			return false
		}
	}
	return true
}
