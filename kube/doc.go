// Package kube is everything that touches an API server, a kubeconfig or a
// credential plug-in. It hands out values of package model and nothing else: no
// type of the Kubernetes API leaves it, and nothing of the screen enters it.
//
// One cluster is one Session. Data goes one way through it:
//
//	feed.go, feed_*.go   one feed a kind: list in pages, watch, begin again; what went wrong, in words
//	convert_*.go         from the API's objects to the model's, kind by kind; pure
//	session_pending.go   what the feeds saw and nobody has shown yet, the latest of each key
//	session_publish.go   takes that into the cluster, a few times a second, and makes snapshots
//	session.go           Open, Next, Close
//
// Which clusters there are comes from contexts.go and kubeconfig.go, credentials from
// execplugin.go, and readonly.go guards the place where requests leave.
//
// Time comes from a clock that is handed in, except for the limits of single requests.
package kube
