//go:build linux

package cluster

import (
	"fmt"
	"os"

	"k8s.io/client-go/util/keyutil"
)

// auditPolicy records who asked for what, without bodies.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// egressConfig sends whatever the API server opens towards nodes through our socket.
const egressConfig = `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport:
      uds:
        udsName: %s
`

// writeFiles writes everything the components read.
func (c *Cluster) writeFiles() error {
	ca, err := c.ca.pem()
	if err != nil {
		return err
	}
	server, err := c.ca.server()
	if err != nil {
		return err
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	serviceAccount, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"ca.crt":             ca.cert,
		"ca.key":             ca.key,
		"apiserver.crt":      server.cert,
		"apiserver.key":      server.key,
		"serviceaccount.key": serviceAccount,
		"audit-policy.yaml":  []byte(auditPolicy),
		"egress.yaml":        fmt.Appendf(nil, egressConfig, c.path("egress.sock")),
	} {
		if err := os.WriteFile(c.path(name), data, 0o600); err != nil {
			return err
		}
	}
	for name, user := range map[string]string{
		"controller-manager.kubeconfig": "system:kube-controller-manager",
		"scheduler.kubeconfig":          "system:kube-scheduler",
	} {
		if err := c.WriteKubeconfig(c.path(name), Context{Name: "e2e", User: user}); err != nil {
			return err
		}
	}
	return nil
}
