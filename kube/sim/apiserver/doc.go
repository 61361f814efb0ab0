// Package apiserver is a Kubernetes API server in memory, on a loopback port, for demonstrations, for clusters looked at
// offline and for tests. It speaks the REST API as client-go uses it, so that code written against a real cluster runs on it
// unchanged, and it answers as kube-apiserver 1.37 does wherever mullion depends on the answer: evictions above all. Package
// conformance compares the two.
//
// The parts, from the wire inwards:
//
//	server.go      the life of the server: listen, stop, start again, close (connections.go, inflight.go, tls.go)
//	route.go       from a URL to a request: resource, subresource, verb; resource_table.go says what exists
//	users.go       who asks and what a role lets them do; reviews.go answers questions about that
//	negotiate.go   JSON, YAML, protobuf, and Status for every error; encode.go writes lists from encoded objects
//	verbs_*.go     get, list, watch, create, update, patch, delete
//	table.go       the columns that kubectl shows
//	eviction.go    the eviction subresource and its budget arithmetic; binding.go, scale.go and proxy.go the other ones
//	admission.go   the admission plug-ins that shape pods and nodes; defaults.go, fresh.go and settle.go the rest of a write
//	store.go       objects, revisions, history; watcher.go hands changes to watches
//
// What a real cluster has and this has not: controllers, a kubelet and a scheduler (whoever needs them drives the server
// through a client), full validation, server-side apply, OpenAPI, webhooks that are called.
package apiserver
