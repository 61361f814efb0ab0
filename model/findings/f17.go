package findings

import (
	"fmt"
	"strings"
	"time"

	"github.com/mullion-tui/mullion/model"
)

// approvalTime is what an automatic approver needs at most.
const approvalTime = 2 * time.Minute

var f17 = Rule{
	ID:       "F17",
	Title:    "pending kubelet-serving CSR",
	Severity: Warning,
	Looks:    "CertificateSigningRequests of the signer kubernetes.io/kubelet-serving that nobody has decided for two minutes.",
	Why:      "Until it is approved the node's kubelet has no certificate for its server: logs, exec, port-forward and the memory figures fail with a TLS error.",
	Remedy:   "See that the node asked for its own names, then kubectl certificate approve NAME; or run an approver. After that the kubelet asks by itself before the certificate ends.",
	Needs:    []model.Kind{model.KindCertificateRequest},
	Cluster: func(w *World) []Finding {
		var all []Finding
		for _, c := range w.Snapshot.CertificateRequests() {
			if !c.Pending() || !w.past(c.Created.Add(approvalTime)) {
				continue
			}
			f := Finding{Object: c.Key(), Evidence: fmt.Sprintf("%s has waited for %s", c.User, w.ago(c.Created))}
			if node, ok := strings.CutPrefix(c.User, "system:node:"); ok {
				f.Related = []model.Key{{Kind: model.KindNode, Name: node}}
			}
			all = append(all, f)
		}
		return all
	},
}
