package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/port"
)

func newNodesCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "nodes [NAME...]",
		Short: "Print the nodes by operating system and Windows build",
		Long: "Print the inventory of the nodes screen without a UI: groups by operating system and\n" +
			"Windows build, with revision, boot ID, pods and requests of each node. With names, only\n" +
			"of those nodes.",
		ValidArgsFunction: a.completeNodes,
		RunE: func(cmd *cobra.Command, names []string) error {
			if !slices.Contains(nodeFormats, output) {
				return unknownFormat(output, nodeFormats...)
			}
			return a.withSession(cmd.Context(), func(s port.Session) error {
				snap, err := settled(cmd.Context(), s)
				if err != nil {
					return err
				}
				if err := known(s, snap, names); err != nil {
					return err
				}
				out := describeNodes(s.Info(), snap, names, a.now())
				for _, p := range out.Problems {
					fmt.Fprintln(cmd.ErrOrStderr(), "mullion:", model.Clean(p))
				}
				return out.print(cmd.OutOrStdout(), output, a.now())
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "one of table, wide, json, yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(nodeFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// known refuses names that are no nodes.
func known(s port.Session, snap *model.Snapshot, names []string) error {
	for _, name := range names {
		if _, ok := snap.Node(name); !ok {
			return usageError(fmt.Errorf("context %q has no node %q; mullion nodes lists them all", s.Info().Context, name))
		}
	}
	return nil
}

// inventoryKinds are the feeds that the inventory is made from.
var inventoryKinds = []model.Kind{model.KindNode, model.KindPod, model.KindRuntimeClass, model.KindCSINode}

// How long the inventory waits for feeds, and for a node feed that fails.
const (
	settleLimit  = 60 * time.Second
	failingGrace = 3 * time.Second
)

// settled waits until every feed of the inventory has its first full list or has
// said why there is none.
func settled(ctx context.Context, s port.Session) (*model.Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	var grace *time.Timer
	defer func() {
		if grace != nil {
			grace.Stop()
		}
	}()
	snap := &model.Snapshot{}
	for {
		next, err := s.Next(limited, snap.Serial)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, clusterError(fmt.Errorf("reading the nodes of context %q: %w", s.Info().Context, whyNot(snap, err)))
		}
		snap = next
		nodes := snap.Feed(model.KindNode)
		if nodes.State == model.FeedForbidden || nodes.State == model.FeedAbsent {
			return nil, clusterError(fmt.Errorf("reading the nodes of context %q: %w", s.Info().Context, whyNot(snap, nil)))
		}
		if nodes.State == model.FeedFailing && !nodes.Listed && grace == nil {
			grace = time.AfterFunc(failingGrace, cancel)
		}
		if complete(snap) {
			return snap, nil
		}
	}
}

func complete(snap *model.Snapshot) bool {
	if snap.Server == (model.ServerFacts{}) {
		return false
	}
	for _, k := range inventoryKinds {
		f := snap.Feed(k)
		if !f.Listed && (f.State == model.FeedWaiting || f.State == model.FeedFailing) {
			return false
		}
	}
	return true
}

// whyNot prefers what the node feed says over the end of the wait.
func whyNot(snap *model.Snapshot, err error) error {
	if f := snap.Feed(model.KindNode); f.Error != "" {
		return fmt.Errorf("%s", f.Error)
	}
	if err == nil {
		return fmt.Errorf("the API server gave no reason")
	}
	return fmt.Errorf("no answer within %s: %w", settleLimit, err)
}

// completionLimit keeps a silent cluster from holding up the shell.
const completionLimit = 10 * time.Second

func (a *app) completeNodes(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionLimit)
	defer cancel()
	var names []string
	err := a.withSession(ctx, func(s port.Session) error {
		snap, err := settled(ctx, s)
		if err != nil {
			return err
		}
		for _, v := range snap.Nodes() {
			names = append(names, v.Name)
		}
		return nil
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
