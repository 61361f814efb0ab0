package fleet

import (
	"fmt"
	"net/http"
)

// Fault is a way in which a kubelet answers something else than its statistics.
type Fault string

// The faults that kubelets, and what lies before them, are known for.
const (
	FaultUnauthorized Fault = "401"  // it does not know the API server's certificate
	FaultForbidden    Fault = "403"  // it does not let the API server read statistics
	FaultNotFound     Fault = "404"  // it does not serve this path
	FaultInternal     Fault = "500"  // the container runtime does not answer it
	FaultTLS          Fault = "tls"  // it has no serving certificate: its request for one is pending
	FaultNothing      Fault = "none" // an empty answer
	FaultHTML         Fault = "html" // the page of some proxy on the way
)

func (f Fault) answer(w http.ResponseWriter) {
	switch f {
	case FaultUnauthorized:
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	case FaultForbidden:
		http.Error(w, "Forbidden (user=kube-apiserver-kubelet-client, verb=get, resource=nodes, subresource=stats)", http.StatusForbidden)
	case FaultNotFound:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case FaultTLS:
		http.Error(w, "error trying to reach service: remote error: tls: internal error", http.StatusServiceUnavailable)
	case FaultNothing:
	case FaultHTML:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><head><title>Sign in</title></head></html>")
	default:
		http.Error(w, "Internal Error: failed to list pod stats: rpc error: code = DeadlineExceeded", http.StatusInternalServerError)
	}
}
