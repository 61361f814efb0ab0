package kube

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/mullion-tui/mullion/model"
)

const (
	// maxEvents is how many events of a node are returned.
	maxEvents = 50
	// maxEventsRead bounds the answer for a node that floods its events; the API
	// server returns them by name, so of more the newest may be missing.
	maxEventsRead = 1000
	eventsWithin  = 10 * time.Second
)

// NodeEvents returns the recent events about a node, newest first, at most 50. It
// asks for those of all namespaces: the API lets events about a node stand in
// default and in kube-system. The node's UID is not asked for, because kube-proxy
// leaves it empty; events of a former node of the same name are left out by time.
func (s *Session) NodeEvents(ctx context.Context, node string) ([]model.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, eventsWithin)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	list, err := s.client.CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.kind": "Node", "involvedObject.name": node}.String(),
		Limit:         maxEventsRead,
	})
	if s.life.Err() != nil {
		return nil, ErrClosed
	}
	if err != nil {
		return nil, fmt.Errorf("list the events of node %s: %w", node, err)
	}
	return eventsSince(list.Items, s.createdAt(node)), nil
}

// createdAt returns when the node that the session shows was created, or the zero
// time when it shows none.
func (s *Session) createdAt(node string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		return time.Time{}
	}
	if v, ok := s.latest.Node(node); ok {
		return v.Created
	}
	return time.Time{}
}

// eventsSince turns events into the model's, newest first, without those from
// before a moment. Events have a resolution of a second.
func eventsSince(events []corev1.Event, created time.Time) []model.Event {
	out := make([]model.Event, 0, len(events))
	for i := range events {
		if e := eventOf(&events[i]); !e.Last.Before(created.Truncate(time.Second)) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b model.Event) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return out[:min(len(out), maxEvents)]
}

// eventOf reads an event of either API. Those of events.k8s.io, which kube-proxy
// and the scheduler write, have neither lastTimestamp nor source nor count in the
// core API's form.
func eventOf(e *corev1.Event) model.Event {
	out := model.Event{
		Type:    cut(e.Type),
		Reason:  cut(e.Reason),
		Message: cut(oneLine(e.Message)),
		Source:  cut(cmp.Or(e.Source.Component, e.ReportingController)),
		Count:   max(int(e.Count), 1),
		Last:    at(e.LastTimestamp),
	}
	if out.Last.IsZero() && !e.EventTime.IsZero() {
		out.Last = e.EventTime.UTC()
	}
	if e.Series != nil {
		out.Count = max(out.Count, int(e.Series.Count))
		if last := e.Series.LastObservedTime; last.After(out.Last) {
			out.Last = last.UTC()
		}
	}
	if out.Last.IsZero() {
		out.Last = at(e.CreationTimestamp)
	}
	return out
}

// PodEvents returns the recent events about a pod, newest first, at most 50. Those of
// a former pod of the same name are left out by the UID, where it is known.
func (s *Session) PodEvents(ctx context.Context, p *model.Pod) ([]model.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, eventsWithin)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	about := fields.Set{"involvedObject.kind": "Pod", "involvedObject.name": p.Name}
	if p.UID != "" {
		about["involvedObject.uid"] = p.UID
	}
	list, err := s.client.CoreV1().Events(p.Namespace).List(ctx, metav1.ListOptions{FieldSelector: about.String(), Limit: maxEventsRead})
	if s.life.Err() != nil {
		return nil, ErrClosed
	}
	if err != nil {
		return nil, fmt.Errorf("list the events of pod %s/%s: %w", p.Namespace, p.Name, err)
	}
	return eventsSince(list.Items, time.Time{}), nil
}
