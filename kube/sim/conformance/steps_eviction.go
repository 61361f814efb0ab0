package conformance

import (
	"context"
	"fmt"
)

var evictionSteps = []step{
	{"evict without a budget", func(ctx context.Context, b *bench) error {
		if err := b.runningPods(ctx, "free", ready, "free-a"); err != nil {
			return err
		}
		return b.askAll(ctx, evict("free-a", "?dryRun=All", ""), get(pods+"/free-a", deletionFields...),
			evict("free-a", "", ""), get(pods+"/free-a", append(deletionFields, "status.conditions.type", "status.conditions.reason")...),
			evict("free-a", "", ""), gone("free-a"),
			evict("none", "", ""),
			post(pods+"/x/eviction", evictionOf("y", "")),
			post(pods+"/x/eviction", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}`))
	}},
	{"evict with nothing left", func(ctx context.Context, b *bench) error {
		if err := b.guarded(ctx, "full", `"minAvailable":2`, health{2, 2, 0, 2}, ready, "full-a", "full-b"); err != nil {
			return err
		}
		return b.askAll(ctx, evict("full-a", "", ""), evict("full-a", "?dryRun=All", ""), gone("full-a"), gone("full-b"), remove(budgets+"/full", ""))
	}},
	{"evict with one to spend", spendOne},
	{"evict a pod that is not ready", unready},
	{"evict what costs no budget", func(ctx context.Context, b *bench) error {
		if err := b.guarded(ctx, "idle", `"minAvailable":5`, health{1, 5, 0, 4}, ready, "idle-a"); err != nil {
			return err
		}
		if err := b.needAll(ctx, post(pods, pod("idle-pending", "idle", ""))); err != nil {
			return err
		}
		for _, phase := range []string{"Succeeded", "Failed"} {
			if err := b.runningPods(ctx, "idle", `{"status":{"phase":"`+phase+`"}}`, "idle-"+lower[phase]); err != nil {
				return err
			}
		}
		return b.askAll(ctx, evict("idle-pending", "", ""), get(pods+"/idle-pending"), evict("idle-succeeded", "", ""), get(pods+"/idle-succeeded"),
			evict("idle-failed", "", ""), get(pods+"/idle-failed"),
			remove(pods+"/idle-a", "", "metadata.name"), evict("idle-a", "", ""), gone("idle-a"), remove(budgets+"/idle", ""))
	}},
	{"evict under two budgets", func(ctx context.Context, b *bench) error {
		if err := b.guarded(ctx, "twice", `"minAvailable":1`, health{2, 1, 1, 2}, ready, "twice-a", "twice-b"); err != nil {
			return err
		}
		return b.askAll(ctx, post(budgets, budget("twice2", "twice", `"minAvailable":1`), "metadata.name"), evict("twice-a", "", ""),
			gone("twice-a"), gone("twice-b"), remove(budgets+"/twice", ""), remove(budgets+"/twice2", ""))
	}},
	{"evict while the budget is being processed", func(ctx context.Context, b *bench) error {
		// No controller can count pods whose owner is of an unknown kind, so the budget's status stays unobserved.
		body := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"stale-a","labels":{"t":"stale"},"ownerReferences":[{"apiVersion":"example.test/v1",` +
			`"kind":"Ghost","name":"g","uid":"g","controller":true}]},"spec":{"nodeName":"nowhere-{ns}","schedulerName":"nobody",` +
			`"automountServiceAccountToken":false,"containers":[{"name":"c","image":"example.test/c:1"}]}}`
		if err := b.needAll(ctx, post(pods, body), patch(strategicPatch, pods+"/stale-a/status", ready),
			post(budgets, budget("stale", "stale", `"maxUnavailable":1`))); err != nil {
			return err
		}
		return b.askAll(ctx, evict("stale-a", "", ""), gone("stale-a"), remove(budgets+"/stale", ""))
	}},
	{"evict with preconditions", func(ctx context.Context, b *bench) error {
		if err := b.runningPods(ctx, "cond", ready, "cond-a"); err != nil {
			return err
		}
		r, err := b.need(ctx, call{method: "GET", path: pods + "/cond-a"})
		if err != nil {
			return err
		}
		uid := fmt.Sprint(pick(r.body, "metadata.uid"))
		b.blank(uid, "UID")
		b.blank(fmt.Sprint(pick(r.body, "metadata.resourceVersion")), "VERSION")
		return b.askAll(ctx,
			evict("cond-a", "", `,"deleteOptions":{"preconditions":{"uid":"other"}}`),
			evict("cond-a", "?dryRun=All", `,"deleteOptions":{"preconditions":{"uid":"other"}}`),
			evict("cond-a", "", `,"deleteOptions":{"preconditions":{"resourceVersion":"1"}}`),
			evict("cond-a", "", `,"deleteOptions":{"gracePeriodSeconds":3,"preconditions":{"uid":"`+uid+`"}}`),
			get(pods+"/cond-a", deletionFields...), gone("cond-a"))
	}},
}

var lower = map[string]string{"Succeeded": "succeeded", "Failed": "failed"}

const (
	ready    = `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	notReady = `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}]}}`
)

func budget(name, topic, spec string) string {
	return fmt.Sprintf(`{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":%q},"spec":{"selector":{"matchLabels":{"t":%q}},%s}}`, name, topic, spec)
}

func evictionOf(name, more string) string {
	return fmt.Sprintf(`{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":%q,"namespace":"{ns}"}%s}`, name, more)
}

func evict(name, query, more string) asked {
	return post(pods+"/"+name+"/eviction"+query, evictionOf(name, more))
}

// gone is what a kubelet does in the end.
func gone(name string) asked {
	return remove(pods+"/"+name+"?gracePeriodSeconds=0", "", "metadata.name")
}

// runningPods makes pods with the label t=topic and gives them the status.
func (b *bench) runningPods(ctx context.Context, topic, status string, names ...string) error {
	for _, name := range names {
		if err := b.needAll(ctx, post(pods, pod(name, topic, onNode)), patch(strategicPatch, pods+"/"+name+"/status", status)); err != nil {
			return err
		}
	}
	return nil
}

// health is what the disruption controller counts for a budget: healthy pods now and wanted, disruptions allowed, pods in all.
type health struct{ current, desired, allowed, expected int }

// guarded makes pods and a budget for them whose status is as the disruption controller would have it.
func (b *bench) guarded(ctx context.Context, topic, spec string, h health, status string, names ...string) error {
	if err := b.runningPods(ctx, topic, status, names...); err != nil {
		return err
	}
	if err := b.needAll(ctx, post(budgets, budget(topic, topic, spec))); err != nil {
		return err
	}
	return b.settle(ctx, topic, h)
}

func spendOne(ctx context.Context, b *bench) error {
	if err := b.guarded(ctx, "one", `"minAvailable":1`, health{2, 1, 1, 2}, ready, "one-a", "one-b"); err != nil {
		return err
	}
	// A dry run spends nothing, so each is told that it may go.
	if err := b.askAll(ctx, evict("one-a", "?dryRun=All", ""), evict("one-b", "", `,"deleteOptions":{"dryRun":["All"]}`),
		get(budgets+"/one", "status.disruptionsAllowed", "status.disruptedPods"), evict("one-a", "", "")); err != nil {
		return err
	}
	if err := b.settle(ctx, "one", health{1, 1, 0, 2}); err != nil {
		return err
	}
	return b.askAll(ctx, evict("one-b", "", ""), gone("one-a"), gone("one-b"), remove(budgets+"/one", ""))
}

// unready: a pod that does not work may go while the budget is met by others, or always, as its policy says.
func unready(ctx context.Context, b *bench) error {
	if err := b.guarded(ctx, "sick", `"minAvailable":1`, health{1, 1, 0, 1}, ready, "sick-well"); err != nil {
		return err
	}
	if err := b.runningPods(ctx, "sick", notReady, "sick-a"); err != nil {
		return err
	}
	if err := b.settle(ctx, "sick", health{1, 1, 0, 2}); err != nil {
		return err
	}
	if err := b.askAll(ctx, evict("sick-well", "", ""), evict("sick-a", "", ""), gone("sick-a"), gone("sick-well"), remove(budgets+"/sick", "")); err != nil {
		return err
	}
	for _, policy := range []string{"IfHealthyBudget", "AlwaysAllow"} {
		topic := "sick" + map[string]string{"IfHealthyBudget": "if", "AlwaysAllow": "always"}[policy]
		spec := `"minAvailable":1,"unhealthyPodEvictionPolicy":"` + policy + `"`
		if err := b.guarded(ctx, topic, spec, health{0, 1, 0, 1}, notReady, topic+"-a"); err != nil {
			return err
		}
		if err := b.askAll(ctx, evict(topic+"-a", "", ""), gone(topic+"-a"), remove(budgets+"/"+topic, "")); err != nil {
			return err
		}
	}
	return nil
}
