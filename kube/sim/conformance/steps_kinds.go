package conformance

import (
	"context"
	"fmt"
	"strings"
)

// template is a pod template with the label x=y and more members of its spec.
func template(more string) string {
	return `"template":{"metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"c","image":"example.test/c"}]` + more + `}}`
}

const selectXY = `"selector":{"matchLabels":{"x":"y"}}`

func workload(kind, name, spec string) string {
	group := "apps/v1"
	if kind == "Job" || kind == "CronJob" {
		group = "batch/v1"
	}
	return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{"name":%q},"spec":{%s}}`, kind, group, name, spec)
}

const (
	apps  = "/apis/apps/v1/namespaces/{ns}/"
	batch = "/apis/batch/v1/namespaces/{ns}/"
	node  = "/api/v1/nodes/node-{ns}"
)

var kindSteps = []step{
	asking("defaults of workloads",
		post(apps+"daemonsets", workload("DaemonSet", "w", selectXY+","+template(`,"nodeSelector":{"no":"node-{ns}"}`)), "metadata.generation", "spec", "status"),
		post(apps+"statefulsets", workload("StatefulSet", "w", `"replicas":0,"serviceName":"w",`+selectXY+","+template("")), "metadata.generation", "spec"),
		post(apps+"replicasets", workload("ReplicaSet", "w", `"replicas":0,`+selectXY+","+template("")), "metadata.generation", "spec"),
		post(batch+"jobs", workload("Job", "w", `"suspend":true,`+template(`,"restartPolicy":"Never"`)), "metadata.generation", "spec.backoffLimit",
			"spec.completions", "spec.parallelism", "spec.completionMode", "spec.suspend", "spec.podReplacementPolicy", "spec.template.spec.restartPolicy"),
		post(batch+"cronjobs", workload("CronJob", "w", `"suspend":true,"schedule":"0 0 * * *","jobTemplate":{"spec":{`+template(`,"restartPolicy":"Never"`)+`}}`),
			"metadata.generation", "spec.concurrencyPolicy", "spec.suspend", "spec.successfulJobsHistoryLimit", "spec.failedJobsHistoryLimit"),
		post("/api/v1/namespaces/{ns}/services", `{"kind":"Service","apiVersion":"v1","metadata":{"name":"w"},"spec":{"selector":{"x":"y"},"clusterIP":"None","ports":[{"port":80}]}}`,
			"spec.type", "spec.ports", "spec.sessionAffinity", "spec.internalTrafficPolicy"),
		post("/api/v1/namespaces/{ns}/secrets", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"w"},"stringData":{"a":"b"}}`, "type", "data", "stringData"),
		remove(apps+"daemonsets/w?propagationPolicy=Background", ""), remove(apps+"statefulsets/w", ""), remove(apps+"replicasets/w", ""),
		remove(batch+"jobs/w?propagationPolicy=Background", ""), remove(batch+"cronjobs/w", ""),
		remove("/api/v1/namespaces/{ns}/services/w", "", "metadata.name"), remove("/api/v1/namespaces/{ns}/secrets/w", ""),
	),
	asking("a node and its status",
		post("/api/v1/nodes", `{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-{ns}"},"status":{"capacity":{"cpu":"2","memory":"4Gi"},"nodeInfo":{"bootID":"1"}}}`,
			"status.capacity", "status.allocatable", "status.nodeInfo.bootID"),
		patch(mergePatch, node, `{"metadata":{"labels":{"a":"b"}},"status":{"nodeInfo":{"bootID":"2"}}}`, "metadata.labels.a", "status.nodeInfo.bootID"),
		patch(strategicPatch, node+"/status", `{"metadata":{"labels":{"c":"d"}},"spec":{"providerID":"x"},"status":{"nodeInfo":{"bootID":"3"}}}`,
			"metadata.labels.c", "spec.providerID", "status.nodeInfo.bootID"),
		patch(strategicPatch, node+"/status", `{"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.9"}]}}`, "status.addresses"),
		post("/api/v1/nodes", `{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-{ns}"}}`),
		remove(node, ""), get(node), patch(strategicPatch, node+"/status", `{}`),
	),
	{"generated names", func(ctx context.Context, b *bench) error {
		r, err := b.need(ctx, call{method: "POST", path: configMaps, body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"gen-"}}`})
		if err != nil {
			return err
		}
		name := fmt.Sprint(pick(r.body, "metadata.name"))
		b.say("starts as asked: %v, length %d, generateName %v", strings.HasPrefix(name, "gen-"), len(name), pick(r.body, "metadata.generateName"))
		b.blank(name, "GENERATED")
		return b.askAll(ctx, remove(configMaps+"/"+name, ""))
	}},
	asking("resources of a pod",
		post(pods, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"r"},"spec":{"schedulerName":"nobody","automountServiceAccountToken":false,"containers":[{"name":"c",`+
			`"image":"example.test/c@sha256:0000000000000000000000000000000000000000000000000000000000000000","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}}`,
			"status.qosClass", "spec.containers.resources", "spec.containers.imagePullPolicy"),
		post(pods, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"r2"},"spec":{"schedulerName":"nobody","automountServiceAccountToken":false,"hostNetwork":true,`+
			`"containers":[{"name":"c","image":"example.test:5000/c","ports":[{"containerPort":80}],"resources":{"requests":{"memory":"1Gi"}}}],`+
			`"volumes":[{"name":"e"},{"name":"h","hostPath":{"path":"/"}},{"name":"m","configMap":{"name":"x"}}]}}`,
			"status.qosClass", "spec.containers.ports", "spec.containers.imagePullPolicy", "spec.volumes"),
		remove(pods+"/r", "", "metadata.name"), remove(pods+"/r2", "", "metadata.name"),
	),
	asking("updates of a pod",
		post(pods, pod("u", "u", onNode), "metadata.generation"),
		patch(mergePatch, pods+"/u", `{"metadata":{"labels":{"more":"x"}}}`, "metadata.labels", "metadata.generation"),
		patch(mergePatch, pods+"/u", `{"spec":{"nodeName":"other"}}`),
		patch(strategicPatch, pods+"/u", `{"spec":{"tolerations":[{"key":"k","operator":"Exists"},{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},`+
			`{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}}`, "spec.tolerations.key", "metadata.generation"),
		patch(strategicPatch, pods+"/u/status", `{"metadata":{"labels":{"by":"status"}},"spec":{"nodeName":"other"},"status":{"phase":"Succeeded","qosClass":""}}`,
			"metadata.labels", "spec.nodeName", "status.phase", "status.qosClass"),
		remove(pods+"/u", "", "metadata.deletionGracePeriodSeconds"), get(pods+"/u"),
		post(pods+"/u/status", "{}"), remove(pods+"/u/status", ""), put(pods+"/u/eviction", "{}"), put(pods, "{}"), patch(mergePatch, pods, "{}"),
	),
	asking("priorities",
		post(pods, pod("pr2", "pr", `,"priorityClassName":"none-{ns}"`)),
		post(pods, pod("pr3", "pr", `,"priority":5`)),
		post(pods, pod("pr4", "pr", `,"priorityClassName":"system-node-critical"`), "spec.priority"),
		remove(pods+"?labelSelector=t%3Dpr", "", "items.metadata.name"),
	),
	asking("budgets",
		post(budgets, budget("p", "p", `"maxUnavailable":"50%"`), "spec.maxUnavailable", "metadata.generation"),
		patch(mergePatch, budgets+"/p", `{"spec":{"maxUnavailable":1}}`, "metadata.generation"),
		patch(mergePatch, budgets+"/p", `{"metadata":{"labels":{"a":"b"}}}`, "metadata.generation"),
		patch(mergePatch, budgets+"/p/status", `{"spec":{"maxUnavailable":3}}`, "metadata.generation", "spec.maxUnavailable"),
		get(budgets, "items.metadata.name"), remove(budgets+"/p", ""),
	),
	asking("a namespace that goes",
		post("/api/v1/namespaces", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"{ns}-2","finalizers":["example.test/hold"]}}`,
			"metadata.labels", "spec.finalizers", "status.phase"),
		post("/api/v1/namespaces/{ns}-2/configmaps", configMap("in", "", ""), "metadata.namespace"),
		remove("/api/v1/namespaces/{ns}-2", "", "status.phase", "metadata.finalizers"),
		post("/api/v1/namespaces/{ns}-2/configmaps", configMap("late", "", "")),
		post("/api/v1/namespaces/{ns}-2/pods/x/eviction", `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"x","namespace":"{ns}-2"}}`),
		patch(jsonPatch, "/api/v1/namespaces/{ns}-2", `[{"op":"remove","path":"/metadata/finalizers"}]`, "metadata.finalizers"),
	),
}
