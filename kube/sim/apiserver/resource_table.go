package apiserver

import "slices"

// table lists what the server serves. Traits and subresources follow the registries of kube-apiserver 1.37.
var table = slices.Concat(coreTable, appsTable, clusterTable, reviewTable, metricsTable)

var scaleSub = subresource{"scale", gvk("autoscaling", "v1", "Scale"), getPut}

var coreTable = []resource{
	{gvk: gvk("", "v1", "Namespace"), plural: "namespaces", singular: "namespace", short: []string{"ns"},
		traits: hasStatus | returnsDeleted,
		subs:   []subresource{{"finalize", gvk("", "v1", "Namespace"), []string{"update"}}}},
	{gvk: gvk("", "v1", "Node"), plural: "nodes", singular: "node", short: []string{"no"},
		traits: hasStatus | keepsStatusOnCreate,
		subs:   []subresource{{"proxy", gvk("", "v1", "NodeProxyOptions"), proxied}}},
	{gvk: gvk("", "v1", "Pod"), plural: "pods", singular: "pod", short: []string{"po"}, categories: []string{"all"}, namespaced: true,
		traits: hasStatus | hasGeneration | returnsDeleted | diesSlowly,
		subs: []subresource{
			{"binding", gvk("", "v1", "Binding"), createSub},
			{"eviction", gvk("policy", "v1", "Eviction"), createSub},
			{"log", gvk("", "v1", "Pod"), []string{"get"}},
			{"proxy", gvk("", "v1", "PodProxyOptions"), proxied},
		}},
	{gvk: gvk("", "v1", "Event"), plural: "events", singular: "event", short: []string{"ev"}, namespaced: true, traits: createOnUpdate},
	{gvk: gvk("events.k8s.io", "v1", "Event"), plural: "events", singular: "event", short: []string{"ev"}, namespaced: true,
		traits: createOnUpdate, storedAs: "events"},
	{gvk: gvk("", "v1", "Service"), plural: "services", singular: "service", short: []string{"svc"}, categories: []string{"all"},
		namespaced: true, traits: hasStatus | createOnUpdate | returnsDeleted,
		subs: []subresource{{"proxy", gvk("", "v1", "ServiceProxyOptions"), proxied}}},
	{gvk: gvk("", "v1", "Endpoints"), plural: "endpoints", singular: "endpoints", short: []string{"ep"}, namespaced: true,
		traits: createOnUpdate},
	{gvk: gvk("", "v1", "ConfigMap"), plural: "configmaps", singular: "configmap", short: []string{"cm"}, namespaced: true},
	{gvk: gvk("", "v1", "Secret"), plural: "secrets", singular: "secret", namespaced: true},
	{gvk: gvk("", "v1", "ServiceAccount"), plural: "serviceaccounts", singular: "serviceaccount", short: []string{"sa"},
		namespaced: true, traits: returnsDeleted},
	{gvk: gvk("", "v1", "PersistentVolume"), plural: "persistentvolumes", singular: "persistentvolume", short: []string{"pv"},
		traits: hasStatus | returnsDeleted},
	{gvk: gvk("", "v1", "PersistentVolumeClaim"), plural: "persistentvolumeclaims", singular: "persistentvolumeclaim",
		short: []string{"pvc"}, namespaced: true, traits: hasStatus | returnsDeleted},
	{gvk: gvk("", "v1", "ReplicationController"), plural: "replicationcontrollers", singular: "replicationcontroller",
		short: []string{"rc"}, categories: []string{"all"}, namespaced: true, traits: hasStatus | hasGeneration,
		subs: []subresource{scaleSub}},
	{gvk: gvk("", "v1", "ResourceQuota"), plural: "resourcequotas", singular: "resourcequota", short: []string{"quota"},
		namespaced: true, traits: hasStatus | returnsDeleted},
	{gvk: gvk("", "v1", "LimitRange"), plural: "limitranges", singular: "limitrange", short: []string{"limits"}, namespaced: true},
}

var appsTable = []resource{
	{gvk: gvk("apps", "v1", "Deployment"), plural: "deployments", singular: "deployment", short: []string{"deploy"},
		categories: []string{"all"}, namespaced: true, traits: hasStatus | hasGeneration, subs: []subresource{scaleSub}},
	{gvk: gvk("apps", "v1", "DaemonSet"), plural: "daemonsets", singular: "daemonset", short: []string{"ds"},
		categories: []string{"all"}, namespaced: true, traits: hasStatus | hasGeneration},
	{gvk: gvk("apps", "v1", "ReplicaSet"), plural: "replicasets", singular: "replicaset", short: []string{"rs"},
		categories: []string{"all"}, namespaced: true, traits: hasStatus | hasGeneration, subs: []subresource{scaleSub}},
	{gvk: gvk("apps", "v1", "StatefulSet"), plural: "statefulsets", singular: "statefulset", short: []string{"sts"},
		categories: []string{"all"}, namespaced: true, traits: hasStatus | hasGeneration, subs: []subresource{scaleSub}},
	{gvk: gvk("apps", "v1", "ControllerRevision"), plural: "controllerrevisions", singular: "controllerrevision", namespaced: true},
	{gvk: gvk("batch", "v1", "Job"), plural: "jobs", singular: "job", categories: []string{"all"}, namespaced: true,
		traits: hasStatus | hasGeneration},
	{gvk: gvk("batch", "v1", "CronJob"), plural: "cronjobs", singular: "cronjob", short: []string{"cj"}, categories: []string{"all"},
		namespaced: true, traits: hasStatus | hasGeneration},
	{gvk: gvk("policy", "v1", "PodDisruptionBudget"), plural: "poddisruptionbudgets", singular: "poddisruptionbudget",
		short: []string{"pdb"}, namespaced: true, traits: hasStatus | hasGeneration | needsVersion},
}

var clusterTable = []resource{
	{gvk: gvk("node.k8s.io", "v1", "RuntimeClass"), plural: "runtimeclasses", singular: "runtimeclass",
		traits: createOnUpdate | needsVersion},
	{gvk: gvk("scheduling.k8s.io", "v1", "PriorityClass"), plural: "priorityclasses", singular: "priorityclass", short: []string{"pc"}},
	{gvk: gvk("storage.k8s.io", "v1", "CSINode"), plural: "csinodes", singular: "csinode", traits: needsVersion | returnsDeleted},
	{gvk: gvk("storage.k8s.io", "v1", "CSIDriver"), plural: "csidrivers", singular: "csidriver", traits: needsVersion | returnsDeleted},
	{gvk: gvk("storage.k8s.io", "v1", "StorageClass"), plural: "storageclasses", singular: "storageclass", short: []string{"sc"},
		traits: returnsDeleted},
	{gvk: gvk("storage.k8s.io", "v1", "VolumeAttachment"), plural: "volumeattachments", singular: "volumeattachment",
		traits: hasStatus | needsVersion | returnsDeleted},
	{gvk: gvk("coordination.k8s.io", "v1", "Lease"), plural: "leases", singular: "lease", namespaced: true,
		traits: createOnUpdate | needsVersion},
	{gvk: gvk("discovery.k8s.io", "v1", "EndpointSlice"), plural: "endpointslices", singular: "endpointslice", namespaced: true},
	{gvk: gvk("certificates.k8s.io", "v1", "CertificateSigningRequest"), plural: "certificatesigningrequests",
		singular: "certificatesigningrequest", short: []string{"csr"}, traits: hasStatus,
		subs: []subresource{{"approval", gvk("certificates.k8s.io", "v1", "CertificateSigningRequest"), getPut}}},
	{gvk: gvk("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), plural: "mutatingwebhookconfigurations",
		singular: "mutatingwebhookconfiguration", categories: []string{"api-extensions"}, traits: needsVersion},
	{gvk: gvk("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"), plural: "validatingwebhookconfigurations",
		singular: "validatingwebhookconfiguration", categories: []string{"api-extensions"}, traits: needsVersion},
	{gvk: gvk("rbac.authorization.k8s.io", "v1", "Role"), plural: "roles", singular: "role", namespaced: true, traits: createOnUpdate},
	{gvk: gvk("rbac.authorization.k8s.io", "v1", "RoleBinding"), plural: "rolebindings", singular: "rolebinding", namespaced: true,
		traits: createOnUpdate},
	{gvk: gvk("rbac.authorization.k8s.io", "v1", "ClusterRole"), plural: "clusterroles", singular: "clusterrole", traits: createOnUpdate},
	{gvk: gvk("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"), plural: "clusterrolebindings", singular: "clusterrolebinding",
		traits: createOnUpdate},
}

var reviewTable = []resource{
	{gvk: gvk("authentication.k8s.io", "v1", "SelfSubjectReview"), plural: "selfsubjectreviews", singular: "selfsubjectreview",
		traits: reviewOnly},
	{gvk: gvk("authorization.k8s.io", "v1", "SelfSubjectAccessReview"), plural: "selfsubjectaccessreviews",
		singular: "selfsubjectaccessreview", traits: reviewOnly},
	{gvk: gvk("authorization.k8s.io", "v1", "SelfSubjectRulesReview"), plural: "selfsubjectrulesreviews",
		singular: "selfsubjectrulesreview", traits: reviewOnly},
}

// metricsTable is what a metrics server brings; see SetMetrics.
var metricsTable = []resource{
	{gvk: gvk("metrics.k8s.io", "v1beta1", "NodeMetrics"), plural: "nodes", singular: "", traits: elsewhere},
	{gvk: gvk("metrics.k8s.io", "v1beta1", "PodMetrics"), plural: "pods", singular: "", namespaced: true, traits: elsewhere},
}
