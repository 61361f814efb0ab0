package kube

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// conflicts says what the merge of several files makes of a context: a server that
// its name hides, or a cluster or user that is another file's than the context's own.
// kubectl takes the first of equal names without a word; kubeadm gives every cluster
// the same ones.
func (k *kubeconfig) conflicts(name string) []string {
	at := k.merged.Contexts[name]
	if at == nil {
		return nil
	}
	return append(k.borrowed(at), k.hidden(name, at)...)
}

// borrowed finds what the context's own file defines and another file's entry of the
// same name replaces.
func (k *kubeconfig) borrowed(at *clientcmdapi.Context) []string {
	own := k.file(at.LocationOfOrigin)
	if own == nil {
		return nil
	}
	var found []string
	if mine, used := own.Clusters[at.Cluster], k.merged.Clusters[at.Cluster]; mine != nil && !equalCluster(mine, used) {
		found = append(found, fmt.Sprintf("cluster %q is taken from %s (%s), not from its own file (%s)",
			at.Cluster, used.LocationOfOrigin, publicURL(used.Server), publicURL(mine.Server)))
	}
	if mine, used := own.AuthInfos[at.AuthInfo], k.merged.AuthInfos[at.AuthInfo]; mine != nil && !equalUser(mine, used) {
		found = append(found, fmt.Sprintf("it goes with the credentials that %s has for user %q, not with those of its own file",
			used.LocationOfOrigin, at.AuthInfo))
	}
	return found
}

// hidden finds the contexts of the same name in later files.
func (k *kubeconfig) hidden(name string, at *clientcmdapi.Context) []string {
	var found []string
	for _, f := range k.files {
		other := f.config.Contexts[name]
		if other == nil || f.path == at.LocationOfOrigin {
			continue
		}
		winner, loser := k.merged.Clusters[at.Cluster], clusterOf(f.config, k.merged, other.Cluster)
		switch {
		case loser != nil && (winner == nil || !sameServer(winner.Server, loser.Server)):
			found = append(found, fmt.Sprintf("%s also has a context of this name, which is ignored: %s wins, and %s is %s",
				f.path, at.LocationOfOrigin, publicURL(loser.Server), k.reachable(loser.Server)))
		case !sameContext(at, other) || !equalUser(f.config.AuthInfos[other.AuthInfo], k.merged.AuthInfos[at.AuthInfo]):
			found = append(found, fmt.Sprintf("%s also has a context of this name, with another user or namespace, which is ignored: %s wins",
				f.path, at.LocationOfOrigin))
		}
	}
	return found
}

// reachable says under which other name a server can be had.
func (k *kubeconfig) reachable(server string) string {
	for _, name := range slices.Sorted(maps.Keys(k.merged.Contexts)) {
		if cluster := k.merged.Clusters[k.merged.Contexts[name].Cluster]; cluster != nil && sameServer(cluster.Server, server) {
			return fmt.Sprintf("reached only as %q", name)
		}
	}
	return "reached under no name"
}

func (k *kubeconfig) file(path string) *clientcmdapi.Config {
	for _, f := range k.files {
		if f.path == path {
			return f.config
		}
	}
	return nil
}

// clusterOf looks a cluster up as if file were the only one, else in all.
func clusterOf(file, merged *clientcmdapi.Config, name string) *clientcmdapi.Cluster {
	if c := file.Clusters[name]; c != nil {
		return c
	}
	return merged.Clusters[name]
}

func sameContext(a, b *clientcmdapi.Context) bool {
	return a.Cluster == b.Cluster && a.AuthInfo == b.AuthInfo && a.Namespace == b.Namespace
}

// equalCluster and equalUser compare the content of two entries, wherever they stand.
func equalCluster(a, b *clientcmdapi.Cluster) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.LocationOfOrigin, y.LocationOfOrigin, x.Extensions, y.Extensions = "", "", nil, nil
	return reflect.DeepEqual(x, y)
}

func equalUser(a, b *clientcmdapi.AuthInfo) bool {
	if a == nil || b == nil {
		return a == nil // what the file does not define, it cannot lose
	}
	x, y := *a, *b
	x.LocationOfOrigin, y.LocationOfOrigin, x.Extensions, y.Extensions = "", "", nil, nil
	return reflect.DeepEqual(x, y)
}
