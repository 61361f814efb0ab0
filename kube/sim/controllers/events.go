package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// event writes an event as the controller manager's recorder does: through core/v1, with a source.
func (c *Controllers) event(ctx context.Context, on corev1.ObjectReference, kind, reason, message, author string) error {
	namespace := on.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	now := metav1.NewTime(c.clock.Now())
	e := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: c.eventName(on.Name)},
		InvolvedObject: on, Type: kind, Reason: reason, Message: message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source: corev1.EventSource{Component: author}, ReportingController: author,
	}
	_, err := c.client.CoreV1().Events(namespace).Create(ctx, e, metav1.CreateOptions{})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return fmt.Errorf("write event %s on %s %s: %w", reason, on.Kind, on.Name, err)
	}
	return nil
}

func (c *Controllers) eventName(of string) string {
	return fmt.Sprintf("%s.%x", of, c.clock.Now().UnixNano()+int64(c.rng.Uint32()))
}
