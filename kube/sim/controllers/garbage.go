package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// nodePrefix tells a vanished node from an owner's UID in the name of a Garbage item.
const nodePrefix = "node/"

// collect deletes what an owner left behind, or the pods of a node that is no more.
func (c *Controllers) collect(ctx context.Context, k key) error {
	if node, ok := strings.CutPrefix(k.name, nodePrefix); ok {
		return c.collectPodsOf(ctx, node)
	}
	owner := types.UID(k.name)
	var errs []error
	for _, rs := range c.index.replicaSetsOf(owner) {
		err := c.client.AppsV1().ReplicaSets(rs.Namespace).Delete(ctx, rs.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(rs.UID))})
		if err != nil && !conflict(err) {
			errs = append(errs, ignoreGone(fmt.Errorf("delete ReplicaSet %s/%s: %w", rs.Namespace, rs.Name, err)))
		}
	}
	for _, p := range c.index.podsOfOwner(owner) {
		if p.DeletionTimestamp == nil && !held(p) {
			errs = append(errs, c.deletePod(ctx, p, false))
		}
	}
	return errors.Join(errs...)
}

// collectPodsOf removes pods at once: no kubelet is left to confirm anything.
func (c *Controllers) collectPodsOf(ctx context.Context, node string) error {
	if _, ok := c.nodes.Get("", node); ok {
		return nil
	}
	var errs []error
	for _, p := range c.index.podsOfNode(node) {
		if !held(p) {
			errs = append(errs, c.deletePod(ctx, p, true))
		}
	}
	return errors.Join(errs...)
}
