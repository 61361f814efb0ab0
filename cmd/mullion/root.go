package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/mullion-tui/mullion/kube"
	"github.com/mullion-tui/mullion/kube/config"
	"github.com/mullion-tui/mullion/kube/sim"
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/port"
)

// app holds the global flags and makes from them what the commands share.
type app struct {
	flags    *genericclioptions.ConfigFlags
	config   string
	demo     bool
	from     []string
	readOnly bool
	stdout   *os.File
	stderr   io.Writer

	now func() time.Time
}

const longHelp = `mullion shows what a Kubernetes cluster with Linux and Windows nodes really is:
nodes by operating system and Windows build, which pod is where and why, and
memory as Windows counts it. Without a command it opens the terminal UI on the
current context.

Exit codes: 0 done, 1 and 2 the verdict of findings, 3 the cluster did not
answer or refused, 4 wrong flags, config file, kubeconfig or dump, 5 mullion
itself failed.`

func newRoot(arg0 string, stdout, stderr *os.File) *cobra.Command {
	a := &app{flags: genericclioptions.NewConfigFlags(true), stdout: stdout, stderr: stderr, now: time.Now}
	cmd := &cobra.Command{
		Use:           "mullion",
		Short:         "A terminal UI for Kubernetes clusters with Linux and Windows nodes",
		Long:          longHelp,
		Version:       version,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.runUI(cmd.Context()) },
	}
	// kubectl finds plug-ins by this name and shows its own in front.
	if strings.HasPrefix(filepath.Base(arg0), "kubectl-") {
		cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mullion"}
	}
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%w; see mullion --help", err))
	})
	flags := cmd.PersistentFlags()
	flags.StringVar(&a.config, "config", "", "config file (default: mullion/config.yaml in the user's config directory)")
	flags.BoolVar(&a.demo, "demo", false, "run on simulated clusters; no kubeconfig is read")
	flags.StringArrayVar(&a.from, "from", nil, "look at a dump of kubectl get -A -o json|yaml instead of a cluster; may be repeated, - is standard input")
	flags.BoolVar(&a.readOnly, "read-only", false, "send no request that changes anything")
	a.flags.AddFlags(flags)
	cmd.MarkFlagsMutuallyExclusive("demo", "from")
	for _, f := range []string{"kubeconfig", "server", "cluster", "user", "token"} {
		cmd.MarkFlagsMutuallyExclusive("demo", f)
		cmd.MarkFlagsMutuallyExclusive("from", f)
	}
	_ = cmd.RegisterFlagCompletionFunc("context", a.completeContexts)
	cmd.AddCommand(newNodesCommand(a), newMemoryCommand(a), newFindingsCommand(a), newPlacementCommand(a), newConfigCommand(a))
	return cmd
}

// clusters is where contexts come from, and what has to end with it.
type clusters struct {
	*kube.Contexts
	config *config.Config
	notes  []string  // what a dump does not show
	taken  time.Time // the newest moment that a dump speaks of; zero for a cluster that lives
	close  func()
}

// open reads the config file and finds the contexts: those of the kubeconfig, of
// the simulated clusters, or of a dump.
func (a *app) open(ctx context.Context) (*clusters, error) {
	cfg, err := config.Load(a.config)
	if err != nil {
		return nil, usageError(err)
	}
	var notes []string
	var taken time.Time
	flags, end := a.flags, func() {}
	readOnly, reason := a.readOnly, "--read-only"
	switch {
	case a.demo:
		demo, err := sim.StartDemo(ctx)
		if err != nil {
			return nil, internalError(fmt.Errorf("starting the simulated clusters: %w", err))
		}
		flags, end = a.flagsFor(demo.Kubeconfig), demo.Close
	case len(a.from) > 0:
		// To complete a command line, cobra reads its flags twice.
		var paths []string
		for _, path := range a.from {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		dump, err := sim.StartDump(ctx, paths...)
		if err != nil {
			return nil, usageError(err)
		}
		flags, end, notes = a.flagsFor(dump.Kubeconfig), dump.Close, dump.Notes
		taken = dump.Newest
		readOnly, reason = true, "a dump cannot be changed"
	}
	self, err := os.Executable()
	if err != nil {
		self = "" // credential plug-ins then start without a keeper
	}
	contexts, err := kube.NewContexts(kube.ContextsOptions{
		Flags: flags, Config: cfg, ReadOnly: readOnly, ReadOnlyReason: reason, Isolated: a.demo || len(a.from) > 0, Keeper: self, UserAgent: "mullion/" + version,
	})
	if err != nil {
		end()
		return nil, usageError(err)
	}
	return &clusters{Contexts: contexts, config: cfg, notes: notes, taken: taken, close: func() {
		_ = contexts.Close() // leaves at worst an empty temporary file
		end()
	}}, nil
}

// flagsFor points the flags at another kubeconfig; the context flag stays in force.
func (a *app) flagsFor(kubeconfig string) *genericclioptions.ConfigFlags {
	f := genericclioptions.NewConfigFlags(true)
	f.KubeConfig, f.Context = &kubeconfig, a.flags.Context
	f.Impersonate, f.ImpersonateGroup = a.flags.Impersonate, a.flags.ImpersonateGroup
	return f
}

// withSession opens the wanted context for a command without a UI.
func (a *app) withSession(ctx context.Context, do func(port.Session) error) error {
	return a.withClusters(ctx, func(_ *clusters, s port.Session) error { return do(s) })
}

// withClusters is withSession for a command that looks at where the session came from too.
func (a *app) withClusters(ctx context.Context, do func(*clusters, port.Session) error) error {
	c, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	for _, note := range c.notes {
		fmt.Fprintln(a.stderr, "mullion:", model.Clean(note))
	}
	name := c.Current()
	if name == "" {
		return usageError(errors.New("the kubeconfig names no current context; choose one with --context"))
	}
	s, err := c.Open(ctx, name)
	if err != nil {
		return usageError(err)
	}
	defer s.Close()
	return do(c, s)
}

func (a *app) completeContexts(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.open(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer c.close()
	entries, _ := c.List(cmd.Context())
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
