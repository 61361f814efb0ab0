package conformance

import (
	"context"
	"fmt"
)

// deletionFields tell how far a deletion is; the timestamp is there or not, its value is not compared.
var deletionFields = []string{"metadata.deletionGracePeriodSeconds", "metadata.finalizers", "metadata.generation"}

var lifecycleSteps = []step{
	asking("a new pod",
		post("/api/v1/namespaces/{ns}/serviceaccounts?dryRun=All", `{"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"probe"}}`, "metadata.name"),
		post(pods, pod("new", "new", ""), "metadata.generation", "status.phase", "status.qosClass", "spec.restartPolicy", "spec.dnsPolicy",
			"spec.terminationGracePeriodSeconds", "spec.tolerations", "spec.priority", "spec.preemptionPolicy", "spec.enableServiceLinks",
			"spec.serviceAccountName", "spec.securityContext", "spec.containers", "spec.schedulerName"),
		post(pods, pod("bad", "bad", `,"containers":[]`)),
		patch(mergePatch, pods+"/new", `{"spec":{"terminationGracePeriodSeconds":7}}`, "spec.terminationGracePeriodSeconds"),
		remove(pods+"/new", "", "metadata.name", "metadata.deletionGracePeriodSeconds"),
		get(pods+"/new"),
	),
	asking("binding",
		post(pods, pod("b", "b", ""), "spec.nodeName"),
		post(pods+"/b/binding", `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"b"},"target":{"kind":"Node","name":"nowhere-{ns}"}}`),
		get(pods+"/b", "spec.nodeName", "status.conditions.type", "status.conditions.status"),
		post(pods+"/b/binding", `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"b"},"target":{"kind":"Node","name":"else-{ns}"}}`),
		post(pods+"/none/binding", `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"none"},"target":{"kind":"Node","name":"else-{ns}"}}`),
		remove(pods+"/b?gracePeriodSeconds=0", "", "metadata.name"),
	),
	asking("delete with grace",
		post(pods, pod("g", "g", onNode), "metadata.generation"),
		remove(pods+"/g", "", deletionFields...),
		remove(pods+"/g", "", deletionFields...),
		remove(pods+"/g?gracePeriodSeconds=60", "", deletionFields...),
		remove(pods+"/g", `{"gracePeriodSeconds":20}`, deletionFields...),
		remove(pods+"/g", `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","gracePeriodSeconds":10}`, deletionFields...),
		remove(pods+"/g", `{"kind":"DeleteOptions","apiVersion":"policy/v1","gracePeriodSeconds":9}`, deletionFields...),
		remove(pods+"/g", `{"kind":"Pod","apiVersion":"v1"}`),
		remove(pods+"/g", `{"gracePeriodSeconds":"soon"}`),
		remove(pods+"/g", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":5}`, deletionFields...),
		get(pods+"/g", deletionFields...),
		remove(pods+"/g", `{"gracePeriodSeconds":0,"kind":"DeleteOptions","apiVersion":"v1"}`, deletionFields...),
		get(pods+"/g"),
		remove(pods+"/g", ""),
	),
	asking("delete with finalizers",
		post(configMaps, configMap("fin", `,"finalizers":["example.test/wait"]`, ""), "metadata.finalizers"),
		remove(configMaps+"/fin", "", deletionFields...),
		post(configMaps, configMap("fin", "", "")),
		patch(mergePatch, configMaps+"/fin", `{"data":{"k":"v"}}`, "data"),
		patch(mergePatch, configMaps+"/fin", `{"metadata":{"finalizers":["example.test/wait","example.test/more"]}}`),
		patch(mergePatch, configMaps+"/fin", `{"metadata":{"finalizers":null}}`, "metadata.finalizers"),
		get(configMaps+"/fin"),
	),
	asking("a pod with a finalizer",
		post(pods, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pf","finalizers":["example.test/wait"]},"spec":{"nodeName":"nowhere-{ns}",`+
			`"schedulerName":"nobody","automountServiceAccountToken":false,"containers":[{"name":"c","image":"example.test/c:1"}]}}`, "metadata.finalizers"),
		remove(pods+"/pf?gracePeriodSeconds=0", "", deletionFields...),
		get(pods+"/pf", deletionFields...),
		patch(jsonPatch, pods+"/pf", `[{"op":"remove","path":"/metadata/finalizers"}]`, "metadata.finalizers"),
		get(pods+"/pf"),
	),
	{"preconditions of a delete", preconditions},
	asking("generation",
		post(deploys, `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"replicas":0,"paused":true,"selector":{"matchLabels":{"x":"y"}},`+
			`"template":{"metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"c","image":"example.test/c"}]}}}}`,
			"metadata.generation", "spec.strategy", "spec.revisionHistoryLimit", "spec.progressDeadlineSeconds", "spec.template.spec.containers"),
		patch(mergePatch, deploys+"/d", `{"metadata":{"annotations":{"a":"b"}}}`, "metadata.generation"),
		patch(mergePatch, deploys+"/d", `{"spec":{"minReadySeconds":1}}`, "metadata.generation"),
		patch(mergePatch, deploys+"/d/status", `{"spec":{"minReadySeconds":5}}`, "metadata.generation", "spec.minReadySeconds"),
		get(deploys+"/d/scale", "kind", "spec.replicas", "status.selector"),
		put(deploys+"/d/scale", `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d","namespace":"{ns}"},"spec":{"replicas":0}}`, "spec.replicas"),
		patch(mergePatch, deploys+"/d/scale", `{"spec":{"replicas":1}}`, "spec.replicas"),
		patch(mergePatch, deploys+"/d/scale", `{"metadata":{"resourceVersion":"1"},"spec":{"replicas":2}}`),
		patch(jsonPatch, deploys+"/d/scale", `[{"op":"replace","path":"/spec/replicas","value":0}]`, "spec.replicas"),
		remove(deploys+"/d", ""),
	),
	asking("cordon",
		post("/api/v1/nodes", `{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-{ns}"}}`, "metadata.name", "spec.unschedulable", "spec.taints"),
		patch(strategicPatch, "/api/v1/nodes/node-{ns}", `{"spec":{"unschedulable":true}}`, "spec.unschedulable"),
		get("/api/v1/nodes?fieldSelector=metadata.name%3Dnode-{ns}", "items.metadata.name", "items.spec.unschedulable"),
		patch(strategicPatch, "/api/v1/nodes/node-{ns}", `{"spec":{"unschedulable":null}}`, "spec.unschedulable"),
		get("/api/v1/nodes/node-{ns}/proxy/stats/summary"),
		get("/api/v1/nodes/none-{ns}/proxy/stats/summary"),
		remove("/api/v1/nodes/node-{ns}", ""),
	),
	asking("RuntimeClass",
		post(classes, `{"kind":"RuntimeClass","apiVersion":"node.k8s.io/v1","metadata":{"name":"class-{ns}"},"handler":"h","scheduling":{`+
			`"nodeSelector":{"os":"windows"},"tolerations":[{"key":"os","operator":"Equal","value":"windows","effect":"NoSchedule"}]}}`, "handler", "scheduling"),
		post(pods, pod("rc", "rc", `,"runtimeClassName":"class-{ns}","nodeSelector":{"zone":"a"}`), "spec.nodeSelector", "spec.tolerations"),
		post(pods, pod("rc2", "rc", `,"runtimeClassName":"class-{ns}","nodeSelector":{"os":"linux"}`)),
		post(pods, pod("rc3", "rc", `,"runtimeClassName":"none-{ns}"`)),
		remove(pods+"/rc", "", "metadata.name"), remove(classes+"/class-{ns}", ""),
	),
	asking("events in two groups",
		post(events, `{"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"x","namespace":"{ns}"},`+
			`"reason":"R","message":"M","type":"Warning","source":{"component":"c"},"count":2}`, "reason"),
		get("/apis/events.k8s.io/v1/namespaces/{ns}/events/e", "kind", "apiVersion", "regarding.name", "note", "reason", "deprecatedCount", "deprecatedSource.component"),
		get(events+"?fieldSelector=involvedObject.name%3Dx,reason%3DR", "items.metadata.name"),
		get(events+"?fieldSelector=involvedObject.name%3Dy", "items"),
		remove(events+"/e", ""),
	),
	asking("rights",
		post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", access("delete", "pods"), "status.allowed"),
		post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", access("delete", "pods"), "status.allowed").as("nobody-{ns}"),
		post("/apis/authentication.k8s.io/v1/selfsubjectreviews", `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`,
			"status.userInfo.username").as("nobody-{ns}"),
		post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{}}`),
		get(pods).as("nobody-{ns}"), get("/api/v1/nodes").as("nobody-{ns}"), get("/api/v1/nodes/x").as("nobody-{ns}"),
		post(pods+"/x/eviction", "{}").as("nobody-{ns}"), get("/api/v1/nodes/x/proxy/stats/summary").as("nobody-{ns}"),
		remove(pods, "").as("nobody-{ns}"), get("/api").as("nobody-{ns}"),
	),
}

func access(verb, resource string) string {
	return fmt.Sprintf(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"namespace":"{ns}","verb":%q,"resource":%q}}}`,
		verb, resource)
}

func preconditions(ctx context.Context, b *bench) error {
	r, err := b.need(ctx, call{method: "POST", path: configMaps, body: configMap("pre", "", "")})
	if err != nil {
		return err
	}
	uid, version := fmt.Sprint(pick(r.body, "metadata.uid")), fmt.Sprint(pick(r.body, "metadata.resourceVersion"))
	b.blank(uid, "UID")
	b.blank(version, "VERSION")
	options := func(which, value string) string {
		return fmt.Sprintf(`{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{%q:%q}}`, which, value)
	}
	return b.askAll(ctx,
		remove(configMaps+"/pre", options("uid", "other")),
		remove(configMaps+"/pre", options("resourceVersion", "1")),
		remove(configMaps+"/pre", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":-1,"propagationPolicy":"Sideways"}`),
		remove(configMaps+"/pre", options("uid", uid)),
	)
}
