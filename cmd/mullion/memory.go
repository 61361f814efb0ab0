package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/port"
)

var memoryFormats = []string{"table", "json", "yaml"}

func newMemoryCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "memory [NODE...]",
		Short: "Print committed memory against its limit, per node and container",
		Long: "Print what counts against the limit: committed memory on Windows, the working set on Linux,\n" +
			"with the source and the age of every figure. With names, only those nodes.",
		ValidArgsFunction: a.completeNodes,
		RunE: func(cmd *cobra.Command, names []string) error {
			if !slices.Contains(memoryFormats, output) {
				return unknownFormat(output, memoryFormats...)
			}
			return a.withSession(cmd.Context(), func(s port.Session) error {
				snap, err := measured(cmd.Context(), s, names)
				if err != nil {
					return err
				}
				out := describeMemory(s.Info(), snap, names, a.now())
				for _, p := range out.Problems {
					fmt.Fprintln(cmd.ErrOrStderr(), "mullion:", model.Clean(p))
				}
				return out.print(cmd.OutOrStdout(), output)
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "one of table, json, yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(memoryFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// measured waits until every wanted node was asked once, or the limit has passed: a
// kubelet that is silent is then one whose figures are not known.
func measured(ctx context.Context, s port.Session, names []string) (*model.Snapshot, error) {
	snap, err := settled(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := known(s, snap, names); err != nil {
		return nil, err
	}
	wanted := names
	if len(wanted) == 0 {
		for _, v := range snap.Nodes() {
			wanted = append(wanted, v.Name)
		}
	}
	s.Look(wanted)
	limited, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for !allMeasured(snap, wanted) {
		next, err := s.Next(limited, snap.Serial)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			break
		}
		snap = next
	}
	return snap, nil
}

func allMeasured(snap *model.Snapshot, names []string) bool {
	for _, name := range names {
		if v, ok := snap.Node(name); ok && v.Usage == nil {
			return false
		}
	}
	return true
}
