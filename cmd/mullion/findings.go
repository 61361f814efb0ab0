package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
	"github.com/mullion-tui/mullion/ui/port"
)

var findingFormats = []string{"table", "json", "yaml", "sarif"}

func newFindingsCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "findings",
		Short: "Print what is wrong in the cluster, or will be",
		Long: "Print every finding with what was seen, why it matters and what to do. The exit code is 0\n" +
			"where nothing is worse than info, 1 where there are warnings or something could not be\n" +
			"looked at, and 2 where something hurts now.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(findingFormats, output) {
				return unknownFormat(output, findingFormats...)
			}
			var out findingsOutput
			err := a.withClusters(cmd.Context(), func(c *clusters, s port.Session) error {
				w, err := a.world(cmd.Context(), c, s)
				if err != nil {
					return err
				}
				out = describeFindings(s.Info(), (&findings.Book{}).Find(w))
				return out.print(cmd.OutOrStdout(), output)
			})
			if err != nil {
				return err
			}
			return out.verdict()
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "one of table, json, yaml, sarif")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(findingFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// world gathers what the findings look at. A dump is looked at as of its newest moment:
// everything in it would otherwise seem to have stood still since.
func (a *app) world(ctx context.Context, c *clusters, s port.Session) (findings.World, error) {
	snap, err := measured(ctx, s, nil)
	if err != nil {
		return findings.World{}, err
	}
	w := findings.World{Snapshot: allListed(ctx, s, snap), Now: a.now().UTC(), Measured: true}
	switch {
	case len(a.from) > 0:
		if !c.taken.IsZero() {
			w.Now = c.taken
		}
	case !a.demo:
		w.Contexts, _ = c.List(ctx) // what is wrong with the files as a whole, opening the session has said
	}
	w.Events = eventsOf(ctx, s, w)
	return w, nil
}

// allListed waits for the feeds that the inventory does without.
func allListed(ctx context.Context, s port.Session, snap *model.Snapshot) *model.Snapshot {
	limited, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for slices.ContainsFunc(snap.Feeds, func(f model.Feed) bool { return !f.Listed && f.State == model.FeedWaiting }) {
		next, err := s.Next(limited, snap.Serial)
		if err != nil {
			break
		}
		snap = next
	}
	return snap
}

// eventReader is a session that can be asked for the events of a pod.
type eventReader interface {
	PodEvents(ctx context.Context, p *model.Pod) ([]model.Event, error)
}

// maxStuck bounds the pods whose events are asked for, each with a request of its own.
const maxStuck = 50

// eventsOf reads why pods do not end. Events that cannot be read are left out, and the
// finding says so.
func eventsOf(ctx context.Context, s port.Session, w findings.World) map[model.Key][]model.Event {
	r, ok := s.(eventReader)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	all := map[model.Key][]model.Event{}
	for i, stuck := range findings.Stuck(w.Snapshot, w.Now) {
		if i == maxStuck {
			break
		}
		if events, err := r.PodEvents(ctx, stuck.Pod); err == nil {
			all[stuck.Pod.Key()] = events
		}
	}
	return all
}

// findingsOutput is what `mullion findings -o json` prints; docs/commands.md describes it.
type findingsOutput struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Context    string         `json:"context"`
	Server     string         `json:"server"`
	Findings   []findingEntry `json:"findings"`
}

type findingEntry struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Severity string        `json:"severity"` // info, warning, critical, unknown
	Object   objectEntry   `json:"object"`
	Related  []objectEntry `json:"related"`
	Evidence string        `json:"evidence"`
	Why      string        `json:"why"`
	Remedy   string        `json:"remedy"`
}

type objectEntry struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

const severityUnknown = "unknown"

func describeFindings(info model.SessionInfo, all []findings.Finding) findingsOutput {
	out := findingsOutput{APIVersion: "mullion/v1", Kind: "FindingList", Context: info.Context, Server: info.Server, Findings: []findingEntry{}}
	for _, f := range all {
		e := findingEntry{
			ID: f.ID, Title: f.Title, Severity: f.Severity.String(), Object: objectOf(f.Object), Related: []objectEntry{},
			Evidence: f.Evidence, Why: f.Why, Remedy: f.Remedy,
		}
		if f.Unknown {
			e.Severity = severityUnknown
		}
		for _, k := range f.Related {
			e.Related = append(e.Related, objectOf(k))
		}
		out.Findings = append(out.Findings, e)
	}
	return out
}

// objectKinds are the kinds as manifests spell them.
var objectKinds = map[model.Kind]string{
	model.KindNode: "Node", model.KindPod: "Pod", model.KindRuntimeClass: "RuntimeClass", model.KindDaemonSet: "DaemonSet",
	model.KindReplicaSet: "ReplicaSet", model.KindDeployment: "Deployment", model.KindStatefulSet: "StatefulSet", model.KindJob: "Job",
	model.KindCertificateRequest: "CertificateSigningRequest", findings.KindContext: "Context", findings.KindMachine: "Machine",
}

func objectOf(k model.Key) objectEntry {
	return objectEntry{Kind: objectKinds[k.Kind], Namespace: k.Namespace, Name: k.Name}
}

// verdict is nil where nothing is worse than info.
func (out findingsOutput) verdict() error {
	worst := verdict(exitOK)
	for _, f := range out.Findings {
		switch f.Severity {
		case findings.Critical.String():
			worst = max(worst, exitCritical)
		case findings.Warning.String(), severityUnknown:
			worst = max(worst, exitWarning)
		}
	}
	if worst == exitOK {
		return nil
	}
	return worst
}

// String names an object as kubectl does.
func (o objectEntry) String() string {
	switch {
	case o.Kind == "" && o.Name == "":
		return "-"
	case o.Namespace == "":
		return fmt.Sprintf("%s/%s", o.Kind, o.Name)
	default:
		return fmt.Sprintf("%s/%s/%s", o.Kind, o.Namespace, o.Name)
	}
}
