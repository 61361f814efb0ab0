package conformance

import (
	"context"
	"fmt"
)

var discoverySteps = []step{
	asking("paths that are not there", get("/api/v1/nosuch"), get("/apis/nosuch.example/v1/things"), get("/api/v1/nodes/none/nosuch")),
	{"what pods are", func(ctx context.Context, b *bench) error {
		for _, path := range []string{"/api/v1", "/apis/policy/v1"} {
			r, err := b.need(ctx, call{method: "GET", path: path})
			if err != nil {
				return err
			}
			b.sayResources(r, "nodes", "nodes/status", "pods", "pods/eviction", "pods/status", "pods/binding", "poddisruptionbudgets", "poddisruptionbudgets/status")
		}
		return nil
	}},
}

// sayResources shows the rows of a discovery document that both servers must have.
func (b *bench) sayResources(r reply, names ...string) {
	rows, _ := r.body["resources"].([]any)
	for _, name := range names {
		for _, row := range rows {
			if pick(row, "name") == name {
				b.say("%s kind=%v group=%v version=%v namespaced=%v verbs=%v short=%v", name, pick(row, "kind"), pick(row, "group"),
					pick(row, "version"), pick(row, "namespaced"), pick(row, "verbs"), pick(row, "shortNames"))
			}
		}
	}
}

var objectSteps = []step{
	asking("create, get, delete",
		post(configMaps, configMap("one", `,"labels":{"a":"b"}`, `,"data":{"k":"v"}`), "metadata.name", "metadata.namespace", "metadata.labels", "data"),
		post(configMaps, configMap("one", "", "")),
		get(configMaps+"/one", "data"),
		get(configMaps+"/none"),
		remove(configMaps+"/one", ""),
		remove(configMaps+"/one", ""),
	),
	asking("create refused",
		post(configMaps, configMap("Not A Name", "", "")),
		post(configMaps, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"elsewhere"}}`),
		post("/api/v1/namespaces/nosuch-{ns}/configmaps", configMap("x", "", "")),
		post(configMaps, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}`),
		post(configMaps, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}`),
		post(configMaps+"/x", configMap("x", "", "")),
	),
	asking("dry run",
		post(configMaps+"?dryRun=All", configMap("dry", "", ""), "metadata.name"),
		get(configMaps+"/dry"),
		post(configMaps, configMap("dry", "", "")),
		patch(mergePatch, configMaps+"/dry?dryRun=All", `{"data":{"k":"v"}}`, "data"),
		get(configMaps+"/dry", "data"),
		remove(configMaps+"/dry?dryRun=All", ""),
		remove(configMaps+"/dry", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`),
		get(configMaps+"/dry", "metadata.name"),
		post(configMaps+"?dryRun=Some", configMap("dry2", "", "")),
		remove(configMaps+"/dry", ""),
	),
	{"update and its version", updateAndItsVersion},
	asking("update refused",
		put(configMaps+"/none", configMap("none", "", "")),
		put(configMaps+"/none", configMap("other", "", "")),
		post(leases, lease("l", "", "a"), "spec.holderIdentity"),
		put(leases+"/l", lease("l", "", "b"), "spec.holderIdentity"),
		put(leases+"/new", lease("new", "", "c"), "spec.holderIdentity"),
		post(budgets, budget("unversioned", "none", `"minAvailable":1`), "metadata.generation"),
		put(budgets+"/unversioned", budget("unversioned", "none", `"minAvailable":2`)),
		remove(budgets+"/unversioned", ""),
		remove(leases+"/l", ""), remove(leases+"/new", ""),
	),
	asking("patches",
		post(configMaps, configMap("p", `,"labels":{"a":"b"}`, `,"data":{"k":"v"}`)),
		patch(mergePatch, configMaps+"/p", `{"data":{"k":null,"l":"w"}}`, "data"),
		patch(jsonPatch, configMaps+"/p", `[{"op":"add","path":"/data/m","value":"x"},{"op":"test","path":"/data/l","value":"w"}]`, "data"),
		patch(jsonPatch, configMaps+"/p", `[{"op":"test","path":"/data/l","value":"other"}]`),
		patch(jsonPatch, configMaps+"/p", `[{"op":"replace","path":"/nosuch/field","value":1}]`),
		patch(strategicPatch, configMaps+"/p", `{"metadata":{"labels":{"c":"d"}}}`, "metadata.labels"),
		patch(mergePatch, configMaps+"/p", `{"metadata":{"resourceVersion":"1"}}`),
		patch(mergePatch, configMaps+"/none", `{}`),
		patch("application/x-unknown", configMaps+"/p", `{}`),
		patch(mergePatch, configMaps+"/p", `{"metadata":{"name":"q"}}`),
		remove(configMaps+"/p", ""),
	),
	asking("strategic merge of lists by key",
		post(pods, pod("sm", "sm", onNode), "spec.containers.name"),
		patch(strategicPatch, pods+"/sm/status", `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, "status.conditions.type"),
		patch(strategicPatch, pods+"/sm/status", `{"status":{"conditions":[{"type":"Other","status":"True"},{"type":"Ready","status":"False"}]}}`,
			"status.conditions.type", "status.conditions.status"),
		patch(strategicPatch, pods+"/sm", `{"spec":{"containers":[{"name":"c","image":"example.test/c:2"}]}}`, "spec.containers.image", "metadata.generation"),
		patch(mergePatch, pods+"/sm", `{"status":{"phase":"Running"}}`, "status.phase"),
		remove(pods+"/sm?gracePeriodSeconds=0", "", "metadata.name"),
	),
}

func lease(name, meta, holder string) string {
	return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":%q%s},"spec":{"holderIdentity":%q}}`, name, meta, holder)
}

// updateAndItsVersion: an update with the version of before is refused, one without is taken for a ConfigMap.
func updateAndItsVersion(ctx context.Context, b *bench) error {
	r, err := b.need(ctx, call{method: "POST", path: configMaps, body: configMap("v", "", "")})
	if err != nil {
		return err
	}
	version, uid := fmt.Sprint(pick(r.body, "metadata.resourceVersion")), fmt.Sprint(pick(r.body, "metadata.uid"))
	b.blank(uid, "UID")
	if err := b.askAll(ctx,
		put(configMaps+"/v", configMap("v", `,"resourceVersion":"`+version+`"`, `,"data":{"n":"1"}`), "data"),
		put(configMaps+"/v", configMap("v", `,"resourceVersion":"`+version+`"`, `,"data":{"n":"2"}`)),
		put(configMaps+"/v", configMap("v", "", `,"data":{"n":"3"}`), "data"),
		put(configMaps+"/v", configMap("v", `,"resourceVersion":"not-a-number"`, `,"data":{"n":"4"}`)),
	); err != nil {
		return err
	}
	// Writing what is there already changes nothing, not even the version.
	before, err := b.need(ctx, call{method: "GET", path: configMaps + "/v"})
	if err != nil {
		return err
	}
	after, err := b.need(ctx, call{method: "PUT", path: configMaps + "/v", body: configMap("v", "", `,"data":{"n":"3"}`)})
	if err != nil {
		return err
	}
	b.say("same version after an empty update: %v", pick(before.body, "metadata.resourceVersion") == pick(after.body, "metadata.resourceVersion"))
	return b.askAll(ctx, remove(configMaps+"/v", ""))
}
