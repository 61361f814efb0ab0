package kube

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth-provider kinds that kubectl knows
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/kube/config"
	"github.com/mullion-tui/mullion/model"
)

// Names of the contexts that come from no kubeconfig.
const (
	InClusterContext = "in-cluster" // the service account of the pod that mullion runs in
	FlagsContext     = "--server"   // what the flags alone describe
)

// ContextsOptions are the sources of contexts and of their settings.
type ContextsOptions struct {
	// Flags are kubectl's. --kubeconfig and --as… hold for every context; those that
	// say where to go and with which credentials hold for the one that mullion
	// starts with alone, so that no other server is sent a token that was not meant for it.
	Flags *genericclioptions.ConfigFlags
	// Config is mullion's own file; nil is an empty one.
	Config *config.Config
	// ReadOnly refuses every change on all contexts, whatever Config says.
	ReadOnly bool
	// ReadOnlyReason says who asked for ReadOnly; empty is "--read-only".
	ReadOnlyReason string
	// Isolated leaves out what lies beside the clusters, which are simulated: no
	// Prometheus of the config file is asked about them.
	Isolated bool
	// Keeper is the program that runs credential plug-ins, away from the terminal: one
	// whose main calls RunPlugin first, as mullion's does. Empty starts them directly.
	Keeper string
	// UserAgent is sent with every request; empty is client-go's own.
	UserAgent string
	// Clock measures probes and paces sessions; nil is the real one.
	Clock clock.WithTicker
}

// Contexts are the clusters that the kubeconfig, the flags or the pod around offer.
// Its methods are safe for use by several goroutines.
type Contexts struct {
	opts      ContextsOptions
	inCluster func() (*rest.Config, error)
	plugins   *pluginKeeper
	patience  time.Duration // of probes

	mu     sync.Mutex // guards reader
	reader *kubeconfigReader
}

// NewContexts fails if there is not a single context to offer: with ErrNoKubeconfig,
// or with what is wrong with the files.
func NewContexts(opts ContextsOptions) (*Contexts, error) {
	if opts.Flags == nil {
		opts.Flags = genericclioptions.NewConfigFlags(false)
	}
	if opts.Config == nil {
		opts.Config = config.Default()
	}
	if opts.ReadOnlyReason == "" {
		opts.ReadOnlyReason = "--read-only"
	}
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	c := &Contexts{
		opts:      opts,
		inCluster: rest.InClusterConfig,
		plugins:   &pluginKeeper{program: opts.Keeper},
		patience:  probeLimit,
		reader:    newKubeconfigReader(deref(opts.Flags.KubeConfig)),
	}
	return c, c.check()
}

func (c *Contexts) check() error {
	if entries, err := c.List(context.Background()); len(entries) == 0 {
		return err
	}
	return nil
}

// List reads the files anew and returns their contexts by name, with what is wrong
// with each. The error tells what concerns all of it, such as a file that cannot be
// used; the entries beside it are good.
func (c *Contexts) List(ctx context.Context) ([]model.ContextEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := c.look()
	var entries []model.ContextEntry
	for _, name := range v.names() {
		entries = append(entries, v.entry(name))
	}
	return entries, v.problem()
}

// Current names the context to start with: --context, else the kubeconfig's current
// one, else what the flags or the pod around describe. It may not exist, and empty
// means that the operator has to choose.
func (c *Contexts) Current() string { return c.look().start }

// Open starts a session without waiting for the server. The caller closes it.
func (c *Contexts) Open(ctx context.Context, name string) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cfg, info, err := c.target(name)
	if err != nil {
		return nil, err
	}
	if info.ReadOnly {
		if err := ReadOnly(cfg); err != nil {
			return nil, fmt.Errorf("open context %q: %w", name, err)
		}
	}
	return Open(Target{Info: info, Config: cfg, Clock: c.opts.Clock, Prometheus: c.prometheus(name)})
}

// prometheus returns the URL of the config file for a context. Where flags lead its
// name to another server there is none, or its figures would be another cluster's.
func (c *Contexts) prometheus(name string) string {
	flags := c.opts.Flags
	if c.opts.Isolated || deref(flags.APIServer) != "" || deref(flags.ClusterName) != "" {
		return ""
	}
	return c.opts.Config.PrometheusOf(name)
}

// Close stops credential plug-ins that are still running and removes what they left.
// Sessions that are still open get no new credentials.
func (c *Contexts) Close() error { return c.plugins.close() }

// target returns how to reach a context, and as what to show it.
func (c *Contexts) target(name string) (*rest.Config, model.SessionInfo, error) {
	v := c.look()
	cfg, err := v.restConfig(name)
	if err != nil {
		return nil, model.SessionInfo{}, err
	}
	e := v.entry(name)
	info := model.SessionInfo{
		Context: e.Name, Cluster: e.Cluster, Server: e.Server, User: e.User, Namespace: e.Namespace,
		ReadOnly: e.ReadOnly, ReadOnlyReason: e.ReadOnlyReason, Protected: e.Protected,
	}
	if err := c.plugins.prepare(cfg); err != nil {
		return nil, model.SessionInfo{}, fmt.Errorf("context %q: %w", name, err)
	}
	cfg.Timeout = 0 // --request-timeout would end each watch; it limits probes
	if c.opts.UserAgent != "" {
		cfg.UserAgent = c.opts.UserAgent
	}
	return cfg, info, nil
}

// look takes one consistent look at the files.
func (c *Contexts) look() *contextsView {
	c.mu.Lock()
	k := c.reader.load()
	c.mu.Unlock()
	v := &contextsView{Contexts: c, files: k}
	flags := c.opts.Flags
	if len(k.merged.Contexts) == 0 && deref(flags.APIServer) == "" && deref(flags.KubeConfig) == "" && k.onlyMissing() {
		// As kubectl does: the pod's own service account, where no kubeconfig says otherwise.
		if cfg, err := c.inCluster(); err == nil {
			v.pod = cfg
		} else if !errors.Is(err, rest.ErrNotInCluster) {
			v.podErr = fmt.Errorf("the service account of this pod cannot be used: %w", err)
		}
	}
	switch {
	case deref(flags.Context) != "":
		v.start = *flags.Context
	case k.merged.CurrentContext != "":
		v.start = k.merged.CurrentContext
	case deref(flags.APIServer) != "":
		v.start = FlagsContext
		k.merged.Contexts[FlagsContext] = &clientcmdapi.Context{}
	case v.pod != nil:
		v.start = InClusterContext
	}
	return v
}

// contextsView is what one look at the files showed.
type contextsView struct {
	*Contexts
	files  *kubeconfig
	start  string
	pod    *rest.Config // of the pod around; nil if it is not used
	podErr error
}

func (v *contextsView) names() []string {
	if v.pod != nil {
		return []string{InClusterContext}
	}
	return slices.Sorted(maps.Keys(v.files.merged.Contexts))
}

func (v *contextsView) problem() error {
	if v.pod != nil || (v.start == FlagsContext && v.files.onlyMissing()) {
		return nil
	}
	errs := []error{v.files.problem(), v.podErr}
	if names := v.names(); v.start != "" && len(names) > 0 && !slices.Contains(names, v.start) {
		err := v.noSuchContext(v.start)
		if v.start == v.files.merged.CurrentContext {
			err = fmt.Errorf("the kubeconfig's current %w; to set it: kubectl config use-context NAME", err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// entry describes one context as Open would use it.
func (v *contextsView) entry(name string) model.ContextEntry {
	e := model.ContextEntry{Name: name, Current: name == v.start}
	e.ReadOnly, e.ReadOnlyReason, e.Protected = v.guards(name)
	if v.pod != nil {
		e.Server, e.File, e.Usable = publicURL(v.pod.Host), "the pod's service account", true
		return e
	}
	at := v.resolve(name)
	e.Cluster, e.User, e.Namespace, e.Server = at.Cluster, at.AuthInfo, at.Namespace, publicURL(v.server(name))
	e.File = at.LocationOfOrigin
	problems := v.files.conflicts(name)
	e.Conflicts = strings.Join(problems, "; ")
	if _, err := v.restConfig(name); err != nil {
		problems = append([]string{strings.TrimPrefix(err.Error(), fmt.Sprintf("context %q: ", name))}, problems...)
	} else {
		e.Usable = true
	}
	e.Problem = strings.Join(problems, "; ")
	return e
}

// resolve returns the context with the flags that hold for it.
func (v *contextsView) resolve(name string) clientcmdapi.Context {
	var at clientcmdapi.Context
	if found := v.files.merged.Contexts[name]; found != nil {
		at = *found
	}
	flags := v.opts.Flags
	if n := deref(flags.Namespace); n != "" {
		at.Namespace = n
	}
	if name == v.start {
		if n := deref(flags.ClusterName); n != "" {
			at.Cluster = n
		}
		if n := deref(flags.AuthInfoName); n != "" {
			at.AuthInfo = n
		}
	}
	return at
}

// server returns the URL that a context leads to; empty if there is none.
func (v *contextsView) server(name string) string {
	if s := deref(v.opts.Flags.APIServer); s != "" && name == v.start {
		return s
	}
	if cluster := v.files.merged.Clusters[v.resolve(name).Cluster]; cluster != nil {
		return cluster.Server
	}
	return ""
}

// guards tells whether a context is read-only and why, and whether it is protected.
// Flags that lead its name to another server do not lead around what the config file
// says of that server.
func (v *contextsView) guards(name string) (readOnly bool, reason string, protected bool) {
	own := v.opts.Config
	readOnly, reason = own.IsReadOnly(name)
	protected = own.IsProtected(name)
	flags := v.opts.Flags
	if name == v.start && (deref(flags.APIServer) != "" || deref(flags.ClusterName) != "") {
		if !readOnly {
			readOnly, reason = own.IsReadOnly("")
		}
		for _, other := range slices.Sorted(maps.Keys(own.Contexts)) {
			at := v.files.merged.Contexts[other]
			if at == nil || v.files.merged.Clusters[at.Cluster] == nil ||
				!sameServer(v.files.merged.Clusters[at.Cluster].Server, v.server(name)) {
				continue
			}
			if ro, why := own.IsReadOnly(other); ro && !readOnly {
				readOnly, reason = true, fmt.Sprintf("the flags lead to the server of context %q: %s", other, why)
			}
			protected = protected || own.IsProtected(other)
		}
	}
	if v.opts.ReadOnly {
		readOnly, reason = true, v.opts.ReadOnlyReason
	}
	return readOnly, reason, protected
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
