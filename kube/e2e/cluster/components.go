//go:build linux

package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
)

// startEtcd runs etcd without fsync: its data lives no longer than the test.
func (c *Cluster) startEtcd(ctx context.Context) (err error) {
	peer, err := freePort()
	if err != nil {
		return err
	}
	peerURL := fmt.Sprintf("http://127.0.0.1:%d", peer)
	c.etcd, err = c.run("etcd",
		"--name=e2e",
		"--data-dir="+c.path("etcd"),
		"--listen-client-urls="+c.etcdURL,
		"--advertise-client-urls="+c.etcdURL,
		"--listen-peer-urls="+peerURL,
		"--initial-advertise-peer-urls="+peerURL,
		"--initial-cluster=e2e="+peerURL,
		"--unsafe-no-fsync",
		"--quota-backend-bytes=8589934592",
		"--log-level=warn",
	)
	if err != nil {
		return err
	}
	return c.etcd.await(ctx, c.etcdURL+"/readyz")
}

// StartAPIServer runs kube-apiserver on the port and the data that it had before,
// and returns when it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) (err error) {
	args := []string{
		"--etcd-servers=" + c.etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(c.apiPort),
		// Loopback is no address for an endpoint of the Service "kubernetes".
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.96.0.0/12",
		"--authorization-mode=RBAC",
		"--allow-privileged=true",
		"--client-ca-file=" + c.path("ca.crt"),
		"--tls-cert-file=" + c.path("apiserver.crt"),
		"--tls-private-key-file=" + c.path("apiserver.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.path("serviceaccount.key"),
		"--service-account-signing-key-file=" + c.path("serviceaccount.key"),
		"--egress-selector-config-file=" + c.path("egress.yaml"),
		"--kubelet-preferred-address-types=InternalIP,Hostname",
	}
	if c.options.APIServerOnly || c.options.SchedulerOnly {
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	if !c.options.NoAudit {
		args = append(args,
			"--audit-policy-file="+c.path("audit-policy.yaml"),
			"--audit-log-path="+c.path("audit.log"),
			"--audit-log-mode=blocking",
		)
	}
	if c.apiserver, err = c.run("kube-apiserver", args...); err != nil {
		return err
	}
	return c.apiserver.await(ctx, c.URL()+"/readyz")
}

// StopAPIServer ends kube-apiserver as a crash would: connections break, nothing
// is announced. It returns when the process is gone.
func (c *Cluster) StopAPIServer() error { return c.apiserver.kill() }

func (c *Cluster) startControllers(ctx context.Context) (err error) {
	c.controllers, err = c.run("kube-controller-manager",
		"--kubeconfig="+c.path("controller-manager.kubeconfig"),
		"--authentication-kubeconfig="+c.path("controller-manager.kubeconfig"),
		"--authorization-kubeconfig="+c.path("controller-manager.kubeconfig"),
		"--bind-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(c.controlPort),
		"--tls-cert-file="+c.path("apiserver.crt"),
		"--tls-private-key-file="+c.path("apiserver.key"),
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+c.path("serviceaccount.key"),
		"--root-ca-file="+c.path("ca.crt"),
		"--cluster-signing-cert-file="+c.path("ca.crt"),
		"--cluster-signing-key-file="+c.path("ca.key"),
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		// A silent node is noticed in a quarter of the usual time.
		"--node-monitor-period=1s",
		"--node-monitor-grace-period=12s",
	)
	if err != nil {
		return err
	}
	return c.controllers.await(ctx, fmt.Sprintf("https://127.0.0.1:%d/healthz", c.controlPort))
}

func (c *Cluster) startScheduler(ctx context.Context) (err error) {
	c.scheduler, err = c.run("kube-scheduler",
		"--kubeconfig="+c.path("scheduler.kubeconfig"),
		"--authentication-kubeconfig="+c.path("scheduler.kubeconfig"),
		"--authorization-kubeconfig="+c.path("scheduler.kubeconfig"),
		"--bind-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(c.schedPort),
		"--tls-cert-file="+c.path("apiserver.crt"),
		"--tls-private-key-file="+c.path("apiserver.key"),
		"--leader-elect=false",
	)
	if err != nil {
		return err
	}
	return c.scheduler.await(ctx, fmt.Sprintf("https://127.0.0.1:%d/readyz", c.schedPort))
}

func (c *Cluster) pickPorts() (err error) {
	var etcd int
	for _, port := range []*int{&etcd, &c.apiPort, &c.controlPort, &c.schedPort} {
		if *port, err = freePort(); err != nil {
			return err
		}
	}
	c.etcdURL = fmt.Sprintf("http://127.0.0.1:%d", etcd)
	return nil
}

// freePort returns a TCP port of loopback that nobody listens on. It is free when
// this returns; the kernel hands out others for a good while before it comes again.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
