package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/placement"
	"github.com/mullion-tui/mullion/ui/port"
)

var placementFormats = []string{"table", "json", "yaml"}

func newPlacementCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "placement NAMESPACE/POD",
		Short: "Print where a pod can run, and why not elsewhere",
		Long: "Print for every node whether the scheduler would bind the pod to it, and whether it would run\n" +
			"there: its operating system, its Windows build, its CSI drivers. What the RuntimeClass added\n" +
			"stands beside it.",
		Args:              onePod,
		ValidArgsFunction: a.completePods,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(placementFormats, output) {
				return unknownFormat(output, placementFormats...)
			}
			return a.withSession(cmd.Context(), func(s port.Session) error {
				snap, err := settled(cmd.Context(), s)
				if err != nil {
					return err
				}
				snap = allListed(cmd.Context(), s, snap)
				p, err := podNamed(s, snap, args[0])
				if err != nil {
					return err
				}
				e := placement.New(snap, placement.What{}).Explain(p)
				return describePlacement(s.Info(), snap, e).print(cmd.OutOrStdout(), output)
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "one of table, json, yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(placementFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// onePod wants one argument of the right form; the error of cobra is none of ours.
func onePod(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		if namespace, name, ok := strings.Cut(args[0], "/"); ok && namespace != "" && name != "" {
			return nil
		}
	}
	return usageError(fmt.Errorf("one pod is wanted as NAMESPACE/POD, not %q", strings.Join(args, " ")))
}

func podNamed(s port.Session, snap *model.Snapshot, arg string) (*model.Pod, error) {
	namespace, name, _ := strings.Cut(arg, "/")
	if p, ok := snap.Pod(namespace, name); ok {
		return p, nil
	}
	if f := snap.Feed(model.KindPod); !f.Listed {
		return nil, clusterError(fmt.Errorf("reading the pods of context %q: %s", s.Info().Context, or(f.Error, "no answer")))
	}
	return nil, usageError(fmt.Errorf("context %q has no pod %q in namespace %q", s.Info().Context, name, namespace))
}

// completePods completes namespaces first, then the pods of the one that was written.
func (a *app) completePods(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionLimit)
	defer cancel()
	var out []string
	err := a.withSession(ctx, func(s port.Session) error {
		snap, err := settled(ctx, s)
		if err != nil {
			return err
		}
		out = podCompletions(snap, typed)
		return nil
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(out) > 0 && strings.HasSuffix(out[0], "/") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return out, directive
}

func podCompletions(snap *model.Snapshot, typed string) []string {
	within, _, named := strings.Cut(typed, "/")
	var out []string
	add := func(pods []*model.Pod) {
		for _, p := range pods {
			switch {
			case !named:
				out = append(out, p.Namespace+"/")
			case p.Namespace == within:
				out = append(out, p.Namespace+"/"+p.Name)
			}
		}
	}
	add(snap.Unbound())
	for _, v := range snap.Nodes() {
		add(v.Pods)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
