package fleet

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nodeEvent writes an event on the Node as a kubelet does: in namespace default, with the Node's UID.
func (m *machine) nodeEvent(ctx context.Context, kind, reason, message string) error {
	ref := corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: m.name, UID: m.node.UID}
	_, err := m.createEvent(ctx, metav1.NamespaceDefault, ref, kind, reason, message)
	return err
}

// nodeStatusEvent is how a kubelet says that its node has become ready, cordoned or uncordoned.
func (m *machine) nodeStatusEvent(ctx context.Context, reason string) error {
	return m.nodeEvent(ctx, corev1.EventTypeNormal, reason, fmt.Sprintf("Node %s status is now: %s", m.name, reason))
}

func (m *machine) createEvent(ctx context.Context, namespace string, ref corev1.ObjectReference, kind, reason, message string) (*corev1.Event, error) {
	now := metav1.NewTime(m.now())
	e := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: m.eventName(ref.Name)},
		InvolvedObject: ref, Type: kind, Reason: reason, Message: message, Count: 1,
		Source:         corev1.EventSource{Component: "kubelet", Host: m.name},
		FirstTimestamp: now, LastTimestamp: now,
		ReportingController: "kubelet", ReportingInstance: m.name,
	}
	out, err := m.f.client.CoreV1().Events(namespace).Create(ctx, e, metav1.CreateOptions{})
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return e, nil // the namespace goes, or the call was repeated: nobody will miss the event
	}
	if err != nil {
		return nil, fmt.Errorf("kubelet of %s: write event %s on %s %s: %w", m.name, reason, ref.Kind, ref.Name, err)
	}
	return out, nil
}

// kubeProxyEvent is written through events.k8s.io: no source, no first or last time, no UID, an empty message.
func (m *machine) kubeProxyEvent(ctx context.Context) error {
	e := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: m.eventName(m.name)},
		EventTime:  metav1.NewMicroTime(m.now()),
		Regarding:  corev1.ObjectReference{Kind: "Node", Name: m.name},
		Type:       corev1.EventTypeNormal, Reason: "Starting", Action: "StartKubeProxy",
		ReportingController: "kube-proxy", ReportingInstance: "kube-proxy-" + m.name,
	}
	_, err := m.f.client.EventsV1().Events(metav1.NamespaceDefault).Create(ctx, e, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("kube-proxy of %s: write its start event: %w", m.name, err)
	}
	return nil
}

func (m *machine) eventName(of string) string {
	m.eventSeq++
	return fmt.Sprintf("%s.%x", of, m.now().UnixNano()+int64(m.eventSeq))
}

// podEvent writes an event on a pod, or counts up the one of the same reason, as the kubelet's recorder does.
func (m *machine) podEvent(ctx context.Context, s *sandbox, kind, reason, message string) error {
	old := s.events[reason]
	if old == nil {
		ref := corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: s.key.namespace, Name: s.key.name, UID: s.pod.UID}
		e, err := m.createEvent(ctx, s.key.namespace, ref, kind, reason, message)
		if err != nil {
			return err
		}
		s.events[reason] = e
		return nil
	}
	e := old.DeepCopy()
	e.Count++
	e.Message = message
	e.LastTimestamp = metav1.NewTime(m.now())
	out, err := m.f.client.CoreV1().Events(e.Namespace).Update(ctx, e, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		delete(s.events, reason)
		return nil
	}
	if err != nil {
		return fmt.Errorf("kubelet of %s: count event %s on pod %s/%s: %w", m.name, reason, s.key.namespace, s.key.name, err)
	}
	s.events[reason] = out
	return nil
}
