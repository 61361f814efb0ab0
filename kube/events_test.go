package kube

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/model"
)

func TestEventsSince(t *testing.T) {
	created := time.Date(2026, 12, 1, 10, 0, 0, 400e6, time.UTC)
	minute := func(n int) metav1.Time {
		return metav1.NewTime(created.Truncate(time.Second).Add(time.Duration(n) * time.Minute))
	}
	micro := func(n int) metav1.MicroTime { return metav1.MicroTime{Time: minute(n).Time} }
	events := []corev1.Event{
		{Reason: "Rebooted", Type: "Warning", Message: "a former node", LastTimestamp: minute(-5), Source: corev1.EventSource{Component: "kubelet"}},
		{Reason: "Starting", Type: "Normal", EventTime: micro(2), ReportingController: "kube-proxy"},
		{Reason: "NodeReady", Type: "Normal", Message: "line one\nline two", LastTimestamp: minute(1), Count: 3, Source: corev1.EventSource{Component: "kubelet"}, ReportingController: "other"},
		{Reason: "Flapping", Type: "Warning", EventTime: micro(1), Series: &corev1.EventSeries{Count: 9, LastObservedTime: micro(3)}, ReportingController: "x"},
		{Reason: "Registered", Type: "Normal", LastTimestamp: minute(0), Source: corev1.EventSource{Component: "node-controller"}},
		{Reason: "Bare", ObjectMeta: metav1.ObjectMeta{CreationTimestamp: minute(4)}},
	}
	want := []model.Event{
		{Reason: "Bare", Count: 1, Last: minute(4).Time},
		{Reason: "Flapping", Type: "Warning", Count: 9, Last: minute(3).Time, Source: "x"},
		{Reason: "Starting", Type: "Normal", Count: 1, Last: minute(2).Time, Source: "kube-proxy"},
		{Reason: "NodeReady", Type: "Normal", Message: "line one line two", Count: 3, Last: minute(1).Time, Source: "kubelet"},
		{Reason: "Registered", Type: "Normal", Count: 1, Last: minute(0).Time, Source: "node-controller"},
	}
	got := eventsSince(events, created)
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d\n%+v\nwant\n%+v", i, got[i], want[i])
		}
	}
}

func TestEventsAreBounded(t *testing.T) {
	var events []corev1.Event
	for i := range maxEvents * 2 {
		events = append(events, corev1.Event{Reason: fmt.Sprint(i), LastTimestamp: metav1.Unix(int64(i), 0)})
	}
	got := eventsSince(events, time.Time{})
	if len(got) != maxEvents || got[0].Reason != fmt.Sprint(maxEvents*2-1) {
		t.Errorf("%d events, the first is %q", len(got), got[0].Reason)
	}
}
