package apiserver

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Events are served by two groups from one store, in the form of the core group; view and store translate.

// view is the stored item in the form of this resource.
func (r *resource) view(it *item) (*item, error) {
	if r.storedAs == "" {
		return it, nil
	}
	e, ok := it.obj.(*corev1.Event)
	if !ok {
		return nil, fmt.Errorf("show %s as an event: it is a %T", it.key, it.obj)
	}
	return newItem(eventToEvents(e), it.rev)
}

func (r *resource) viewAll(items []*item) ([]*item, error) {
	if r.storedAs == "" {
		return items, nil
	}
	out := make([]*item, len(items))
	for i, it := range items {
		v, err := r.view(it)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// store is an object of this resource in the form in which it is kept.
func (r *resource) store(obj runtime.Object) (runtime.Object, error) {
	if r.storedAs == "" {
		return obj, nil
	}
	e, ok := obj.(*eventsv1.Event)
	if !ok {
		return nil, fmt.Errorf("store an event: it is a %T", obj)
	}
	return eventsToEvent(e), nil
}

func eventToEvents(e *corev1.Event) *eventsv1.Event {
	out := &eventsv1.Event{
		ObjectMeta: e.ObjectMeta, EventTime: e.EventTime, ReportingController: e.ReportingController,
		ReportingInstance: e.ReportingInstance, Action: e.Action, Reason: e.Reason, Regarding: e.InvolvedObject,
		Related: e.Related, Note: e.Message, Type: e.Type, DeprecatedSource: e.Source,
		DeprecatedFirstTimestamp: e.FirstTimestamp, DeprecatedLastTimestamp: e.LastTimestamp, DeprecatedCount: e.Count,
	}
	if e.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

func eventsToEvent(e *eventsv1.Event) *corev1.Event {
	out := &corev1.Event{
		ObjectMeta: e.ObjectMeta, EventTime: e.EventTime, ReportingController: e.ReportingController,
		ReportingInstance: e.ReportingInstance, Action: e.Action, Reason: e.Reason, InvolvedObject: e.Regarding,
		Related: e.Related, Message: e.Note, Type: e.Type, Source: e.DeprecatedSource,
		FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp, Count: e.DeprecatedCount,
	}
	if e.Series != nil {
		out.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}
