package sim

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
)

// operator is the demo's user; it may do everything.
const operator = "operator"

// silent is the demo's context whose server takes connections and never answers.
const silent = "silent"

// Demo is a set of simulated clusters and the kubeconfig that leads to them.
type Demo struct {
	// Kubeconfig is a temporary file with a context for each cluster; Close removes it.
	Kubeconfig string
	// Notes say in words what the clusters do not show, such as the kinds of a dump that were left out.
	Notes []string
	// Newest is the latest moment that a dump speaks of, UTC; zero where it speaks of none, and for clusters that live.
	Newest time.Time

	close []func() // in the order in which they were opened
	once  sync.Once
}

// Close ends the clusters and removes the kubeconfig. It may be called more than once.
func (d *Demo) Close() {
	d.once.Do(func() {
		for i := len(d.close) - 1; i >= 0; i-- {
			d.close[i]()
		}
	})
}

// StartDemo starts every scenario and a server that never answers, and writes a kubeconfig that opens the first scenario.
// The clusters end with ctx; the file goes with Close.
func StartDemo(ctx context.Context) (*Demo, error) {
	d := &Demo{}
	config := clientcmdapi.NewConfig()
	names := scenario.Names()
	clusters := make([]*Cluster, len(names))
	now := time.Now()
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			sc, err := scenario.Named(name, now)
			if err != nil {
				return err
			}
			clusters[i], err = Start(ctx, sc, Options{Users: map[string]apiserver.Role{operator: apiserver.Everything()}})
			return err
		})
	}
	err := group.Wait()
	for i, c := range clusters {
		if c != nil {
			d.close = append(d.close, c.Close)
			addContext(config, names[i], c.server.URL(), c.server.CA())
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	// Nobody accepts: the kernel does, and then nothing comes.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("start the demo's silent server: %w", err)
	}
	d.close = append(d.close, func() { _ = l.Close() }) // nothing can be lost with it
	addContext(config, silent, "http://"+l.Addr().String(), nil)
	config.CurrentContext = names[0]
	if err := d.write(config); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func addContext(config *clientcmdapi.Config, name, url string, ca []byte) {
	config.Clusters[name] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: ca}
	config.AuthInfos[operator] = &clientcmdapi.AuthInfo{Token: operator}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: operator}
}

// write puts the kubeconfig into a directory of its own that nobody else can read.
func (d *Demo) write(config *clientcmdapi.Config) error {
	dir, err := os.MkdirTemp("", "mullion-")
	if err != nil {
		return fmt.Errorf("write the demo's kubeconfig: %w", err)
	}
	d.close = append(d.close, func() { _ = os.RemoveAll(dir) }) // what remains is a token that opens nothing any more
	d.Kubeconfig = filepath.Join(dir, "config")
	if err := clientcmd.WriteToFile(*config, d.Kubeconfig); err != nil {
		return fmt.Errorf("write the demo's kubeconfig: %w", err)
	}
	return nil
}
