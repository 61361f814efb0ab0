package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/mullion-tui/mullion/kube/sim/mirror"
)

const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789" // what Kubernetes draws names from: no vowels, no digits that look like letters

func (c *Controllers) suffix() string {
	b := make([]byte, 5)
	for i := range b {
		b[i] = nameAlphabet[c.rng.IntN(len(nameAlphabet))]
	}
	return string(b)
}

// podFrom makes a pod of a template for its controller. With an empty name it gets the owner's and a random suffix.
func (c *Controllers) podFrom(t *corev1.PodTemplateSpec, owner metav1.Object, gvk schema.GroupVersionKind, name string) *corev1.Pod {
	t = t.DeepCopy()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: name, Labels: t.Labels,
		Annotations: t.Annotations, Finalizers: t.Finalizers, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, gvk)}}, Spec: t.Spec}
	if name == "" {
		p.GenerateName = owner.GetName() + "-"
		p.Name = p.GenerateName + c.suffix()
	}
	return p
}

// createPod creates a pod and remembers it until the copy shows it. A refusal is told in an event on the owner; a namespace
// that goes refuses for good, and that is no error.
func (c *Controllers) createPod(ctx context.Context, p *corev1.Pod, owner metav1.Object) error {
	made, err := c.client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	if err != nil {
		ref := p.OwnerReferences[0]
		said := c.event(ctx, corev1.ObjectReference{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: p.Namespace, Name: ref.Name, UID: ref.UID},
			corev1.EventTypeWarning, "FailedCreate", "Error creating: "+err.Error(), strings.ToLower(ref.Kind)+"-controller")
		return errors.Join(fmt.Errorf("create pod %s: %w", p.Name, err), said)
	}
	c.awaited.create(owner.GetUID(), made.UID, c.clock.Now())
	return nil
}

// deletePod deletes a pod with its own grace period, or without grace when now is true.
func (c *Controllers) deletePod(ctx context.Context, p *corev1.Pod, now bool) error {
	o := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(p.UID))}
	if now {
		o.GracePeriodSeconds = ptr.To[int64](0)
	}
	err := c.client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, o)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete pod %s: %w", mirror.Key(p.Namespace, p.Name), err)
	}
	c.awaited.deleted[p.UID] = c.clock.Now()
	return nil
}
