//go:build linux

package cluster

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// AdminGroup is the group that may do everything.
const AdminGroup = "system:masters"

// URL is where the API server answers.
func (c *Cluster) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", c.apiPort) }

// Config returns a client configuration for a user that authenticates with a
// certificate of its own. The user has no rights but those of its groups and of
// RBAC bindings. Its QPS is not limited.
func (c *Cluster) Config(user string, groups ...string) (*rest.Config, error) {
	id, err := c.ca.client(user, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            c.URL(),
		TLSClientConfig: rest.TLSClientConfig{CAData: certPEM(c.ca.cert.Raw), CertData: id.cert, KeyData: id.key},
		QPS:             -1,
	}, nil
}

// Admin returns a client that may do everything.
func (c *Cluster) Admin() (*kubernetes.Clientset, error) {
	config, err := c.Config("admin", AdminGroup)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// Context is one context of a kubeconfig that WriteKubeconfig makes. Its cluster
// entry is called Name and its user entry User@Name: two contexts share neither.
type Context struct {
	Name   string
	User   string
	Groups []string
	// Server is another server than this cluster's, for example one that does not
	// answer; empty is this cluster.
	Server string
	CA     []byte // of Server, PEM; nil is this cluster's
	Token  string // authenticates instead of User's certificate
}

// WriteKubeconfig writes a kubeconfig with these contexts; the first is the current one.
func (c *Cluster) WriteKubeconfig(path string, contexts ...Context) error {
	config := clientcmdapi.NewConfig()
	for i, entry := range contexts {
		user, err := c.userEntry(entry)
		if err != nil {
			return err
		}
		cluster := clientcmdapi.NewCluster()
		cluster.Server = c.URL()
		if entry.Server != "" {
			cluster.Server = entry.Server
		}
		if cluster.CertificateAuthorityData = entry.CA; entry.CA == nil {
			cluster.CertificateAuthorityData = certPEM(c.ca.cert.Raw)
		}
		ctx := clientcmdapi.NewContext()
		ctx.Cluster, ctx.AuthInfo = entry.Name, entry.User+"@"+entry.Name
		config.Clusters[ctx.Cluster], config.AuthInfos[ctx.AuthInfo], config.Contexts[entry.Name] = cluster, user, ctx
		if i == 0 {
			config.CurrentContext = entry.Name
		}
	}
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write the kubeconfig %s: %w", path, err)
	}
	return nil
}

func (c *Cluster) userEntry(entry Context) (*clientcmdapi.AuthInfo, error) {
	user := clientcmdapi.NewAuthInfo()
	if entry.Token != "" {
		user.Token = entry.Token
		return user, nil
	}
	id, err := c.ca.client(entry.User, entry.Groups...)
	user.ClientCertificateData, user.ClientKeyData = id.cert, id.key
	return user, err
}
