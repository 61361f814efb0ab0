package conformance

import "context"

// asking is a step of calls that are answered one by one, each with the fields to look at.
func asking(name string, calls ...asked) step {
	return step{name, func(ctx context.Context, b *bench) error {
		for _, c := range calls {
			if err := b.ask(ctx, c.call, c.fields...); err != nil {
				return err
			}
		}
		return nil
	}}
}

type asked struct {
	call
	fields []string
}

func get(path string, fields ...string) asked { return asked{call{"GET", path, "", ""}, fields} }

func post(path, body string, fields ...string) asked {
	return asked{call{"POST", path, "", body}, fields}
}

func put(path, body string, fields ...string) asked {
	return asked{call{"PUT", path, "", body}, fields}
}

func remove(path, body string, fields ...string) asked {
	return asked{call{"DELETE", path, "", body}, fields}
}

func patch(contentType, path, body string, fields ...string) asked {
	return asked{call{"PATCH", path, contentType, body}, fields}
}

const configMaps = "/api/v1/namespaces/{ns}/configmaps"

// configMap is one with more metadata and more fields, each as JSON members that start with a comma.
func configMap(name, meta, more string) string {
	return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `"` + meta + `}` + more + `}`
}

var discoverySteps = []step{
	asking("paths that are not there", get("/api/v1/nosuch"), get("/apis/nosuch.example/v1/things"), get("/api/v1/nodes/none/nosuch")),
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
	),
}
