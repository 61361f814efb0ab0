// Package apiserver is a Kubernetes API server in memory, on a loopback port, for demonstrations, for clusters looked at
// offline and for tests. It speaks the REST API as client-go uses it, so that code written against a real cluster runs on it
// unchanged, and it answers as kube-apiserver 1.37 does wherever mullion depends on the answer: evictions above all.
//
// The parts, from the wire inwards:
//
//	server.go    the life of the server: listen, stop, start again, close
//	route.go     from a URL to a request: resource, subresource, verb (one table, resources.go, says what exists)
//	users.go     who asks and what a role lets them do; access reviews
//	negotiate.go JSON, YAML, protobuf, and Status for every error
//	verbs_*.go   get, list, watch, create, update, patch, delete
//	eviction.go  the eviction subresource and its budget arithmetic
//	store.go     objects, revisions, history; watcher.go hands changes to watches
//
// There are no controllers, no kubelet and no scheduler in here: whoever needs them drives the server through a client.
package apiserver
