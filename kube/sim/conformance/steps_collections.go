package conformance

import (
	"context"
	"fmt"
)

var collectionSteps = []step{
	{"watch of one node's pods", func(ctx context.Context, b *bench) error {
		if err := b.needAll(ctx, post(pods, pod("wn-a", "wn", onNode)), post(pods, pod("wn-b", "wn", ""))); err != nil {
			return err
		}
		path := "/api/v1/pods?watch=true&timeoutSeconds=20&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" +
			"&labelSelector=t%3Dwn&fieldSelector=spec.nodeName%3Dnowhere-{ns}"
		return b.follow(ctx, path, 5, func(kind string) error {
			if kind != "BOOKMARK" {
				return nil
			}
			return b.needAll(ctx, post(pods+"/wn-b/binding", `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"wn-b"},"target":{"kind":"Node","name":"nowhere-{ns}"}}`),
				gone("wn-a"), gone("wn-b"))
		})
	}},
	{"collections of pods", func(ctx context.Context, b *bench) error {
		if err := b.needAll(ctx, post(pods, pod("c-a", "coll", onNode)), post(pods, pod("c-b", "coll", ""))); err != nil {
			return err
		}
		return b.askAll(ctx,
			get("/api/v1/pods?labelSelector=t%3Dcoll", "items.metadata.name", "items.metadata.namespace"),
			get("/api/v1/namespaces?fieldSelector=metadata.name%3D{ns}", "items.metadata.name", "items.status.phase"),
			get("/api/v1/namespaces/{ns}", "metadata.name"),
			remove(pods+"?labelSelector=t%3Dcoll", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":9}`, "items.metadata.name"),
			get(pods+"?labelSelector=t%3Dcoll", "items.metadata.name", "items.metadata.deletionGracePeriodSeconds"),
			remove(pods+"?labelSelector=t%3Dcoll&gracePeriodSeconds=0", "", "items.metadata.name"),
			get(pods+"?labelSelector=t%3Dcoll", "items"),
		)
	}},
	{"a status by update", func(ctx context.Context, b *bench) error {
		r, err := b.need(ctx, call{method: "POST", path: pods, body: pod("s", "s", onNode)})
		if err != nil {
			return err
		}
		version := fmt.Sprint(pick(r.body, "metadata.resourceVersion"))
		body := func(version, phase string) string {
			return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"s","resourceVersion":%q},"spec":{"containers":[{"name":"c","image":"other"}]},"status":{"phase":%q}}`,
				version, phase)
		}
		return b.askAll(ctx,
			put(pods+"/s/status", body(version, "Running"), "status.phase", "spec.containers.image", "metadata.labels"),
			put(pods+"/s/status", body(version, "Failed")),
			patch(jsonPatch, pods+"/s/status", `[{"op":"add","path":"/status/message","value":"m"}]`, "status.phase", "status.message"),
			patch(mergePatch, pods+"/s/status?dryRun=All", `{"status":{"message":"n"}}`, "status.message"),
			get(pods+"/s", "status.phase", "status.message"), get(pods+"/s/status", "kind", "status.phase"), gone("s"),
		)
	}},
	asking("events that repeat",
		post(events, `{"kind":"Event","apiVersion":"v1","metadata":{"name":"rep"},"involvedObject":{"kind":"Pod","name":"x","namespace":"{ns}"},"reason":"R","count":1}`, "count"),
		patch(strategicPatch, events+"/rep", `{"count":2,"message":"again"}`, "count", "message", "reason"),
		patch(mergePatch, "/apis/events.k8s.io/v1/namespaces/{ns}/events/rep", `{"metadata":{"labels":{"a":"b"}}}`, "note", "metadata.labels", "deprecatedCount"),
		get(events+"/rep", "message", "count"), remove("/apis/events.k8s.io/v1/namespaces/{ns}/events/rep", ""), get(events+"/rep"),
	),
	{"leases that two want", func(ctx context.Context, b *bench) error {
		r, err := b.need(ctx, call{method: "POST", path: leases, body: lease("two", "", "first")})
		if err != nil {
			return err
		}
		version := `,"resourceVersion":"` + fmt.Sprint(pick(r.body, "metadata.resourceVersion")) + `"`
		return b.askAll(ctx, put(leases+"/two", lease("two", version, "second"), "spec.holderIdentity"), put(leases+"/two", lease("two", version, "third")),
			get(leases+"/two", "spec.holderIdentity"), remove(leases+"/two", ""))
	}},
}
