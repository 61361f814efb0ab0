// Package cluster runs a real control plane for tests: etcd, kube-apiserver,
// kube-controller-manager and kube-scheduler as child processes on loopback, with
// a certificate authority of its own. It needs no root and no container runtime,
// and works on Linux alone.
//
// There are no nodes and no kubelets. Tests bring them (kube/sim/fleet), and the
// API server reaches their endpoints through Cluster.ServeKubelets.
package cluster
