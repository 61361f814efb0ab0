package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ErrNoKubeconfig is the kind of every *NoKubeconfigError.
var ErrNoKubeconfig = errors.New("no kubeconfig found")

// NoKubeconfigError says where a kubeconfig was looked for in vain.
type NoKubeconfigError struct {
	Looked []string // paths
	By     string   // what named them: "--kubeconfig", "KUBECONFIG" or "" for the default place
}

func (e *NoKubeconfigError) Error() string {
	by := "the default place"
	if e.By != "" {
		by = e.By
	}
	return fmt.Sprintf("no kubeconfig found: %s names %s, which does not exist; "+
		"set KUBECONFIG or --kubeconfig, or look at a simulated cluster with: mullion --demo", by, strings.Join(e.Looked, ", "))
}

// Is makes errors.Is(err, ErrNoKubeconfig) true.
func (e *NoKubeconfigError) Is(target error) bool { return target == ErrNoKubeconfig }

// KubeconfigError says what is wrong with one kubeconfig file. Its text never holds
// what the file says of credentials.
type KubeconfigError struct {
	File   string
	Line   int // counted from 1; 0 is unknown or the whole file
	Reason string
	Err    error // of the operating system; may be nil
}

func (e *KubeconfigError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("kubeconfig %s, line %d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("kubeconfig %s %s", e.File, e.Reason)
}

// Unwrap returns the operating system's error.
func (e *KubeconfigError) Unwrap() error { return e.Err }

// kubeconfig is what all files together say, merged as kubectl does, and what was
// lost on the way.
type kubeconfig struct {
	merged *clientcmdapi.Config
	files  []kubeconfigFile // the readable ones, in order of precedence
	errs   []error          // of files that cannot be used
	paths  []string         // all that were asked for
	by     string           // what named the paths
}

type kubeconfigFile struct {
	path   string
	config *clientcmdapi.Config // with absolute paths
}

// kubeconfigReader reads the files anew each time. What is no regular file, such as a
// shell's <(…), can be read once only and is kept.
type kubeconfigReader struct {
	rules *clientcmd.ClientConfigLoadingRules
	once  map[string][]byte
}

func newKubeconfigReader(explicit string) *kubeconfigReader {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = explicit
	// client-go would copy a file of 2014 to the present place; looking must not write.
	rules.MigrationRules = nil
	return &kubeconfigReader{rules: rules, once: map[string][]byte{}}
}

// load never fails as a whole: a file that cannot be used costs its own contexts.
func (r *kubeconfigReader) load() *kubeconfig {
	k := &kubeconfig{merged: clientcmdapi.NewConfig()}
	switch {
	case r.rules.ExplicitPath != "":
		k.by = "--kubeconfig"
	case os.Getenv(clientcmd.RecommendedConfigPathEnvVar) != "":
		k.by = clientcmd.RecommendedConfigPathEnvVar
	}
	for _, path := range r.rules.GetLoadingPrecedence() {
		if path == "" {
			continue
		}
		k.paths = append(k.paths, path)
		config, err := r.read(path)
		if err != nil {
			k.errs = append(k.errs, err)
			continue
		}
		k.files = append(k.files, kubeconfigFile{path: path, config: config})
	}
	for _, f := range k.files {
		k.add(f.config)
	}
	return k
}

func (r *kubeconfigReader) read(path string) (*clientcmdapi.Config, error) {
	data, err := r.bytes(path)
	if err != nil {
		return nil, fileProblem(path, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &KubeconfigError{File: path, Reason: "is empty"}
	}
	config, err := clientcmd.Load(data)
	if err != nil {
		return nil, decodeProblem(path, data, err)
	}
	setOrigin(config, path)
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return nil, &KubeconfigError{File: path, Reason: "has relative paths that cannot be resolved", Err: err}
	}
	return config, nil
}

func (r *kubeconfigReader) bytes(path string) ([]byte, error) {
	if data, ok := r.once[path]; ok {
		return data, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err == nil && !info.Mode().IsRegular() {
		r.once[path] = data
	}
	return data, err
}

func fileProblem(path string, err error) error {
	reason := "cannot be read"
	var system *fs.PathError
	if errors.As(err, &system) {
		reason += ": " + system.Err.Error()
	}
	switch info, statErr := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		reason = "does not exist"
	case errors.Is(err, fs.ErrPermission):
		reason = "may not be read by this user"
	case statErr == nil && info.IsDir():
		reason = "is a directory"
	}
	return &KubeconfigError{File: path, Reason: reason, Err: err}
}

func setOrigin(config *clientcmdapi.Config, path string) {
	for _, c := range config.Contexts {
		c.LocationOfOrigin = path
	}
	for _, c := range config.Clusters {
		c.LocationOfOrigin = path
	}
	for _, u := range config.AuthInfos {
		u.LocationOfOrigin = path
	}
}

// add merges one more file by kubectl's rule: the first to use a name, or to set the
// current context, wins. client-go's own loader gives up on all files when one is
// broken and does not tell what it leaves out; a fuzz test holds the two together.
func (k *kubeconfig) add(c *clientcmdapi.Config) {
	addMissing(k.merged.Contexts, c.Contexts)
	addMissing(k.merged.Clusters, c.Clusters)
	addMissing(k.merged.AuthInfos, c.AuthInfos)
	addMissing(k.merged.Extensions, c.Extensions)
	if k.merged.CurrentContext == "" {
		k.merged.CurrentContext = c.CurrentContext
	}
}

func addMissing[T any](to, from map[string]T) {
	for name, v := range from {
		if _, taken := to[name]; !taken {
			to[name] = v
		}
	}
}

// onlyMissing tells that no file is there and broken.
func (k *kubeconfig) onlyMissing() bool {
	return !slices.ContainsFunc(k.errs, func(err error) bool { return !errors.Is(err, fs.ErrNotExist) })
}

// problem returns what concerns the kubeconfig as a whole, nil if there is nothing.
func (k *kubeconfig) problem() error {
	if len(k.files) == 0 && k.onlyMissing() {
		return &NoKubeconfigError{Looked: k.paths, By: k.by}
	}
	errs := slices.Clone(k.errs)
	if len(k.errs) == 0 && len(k.merged.Contexts) == 0 {
		errs = append(errs, &KubeconfigError{File: strings.Join(k.paths, ", "), Reason: "has no contexts"})
	}
	return errors.Join(errs...)
}
