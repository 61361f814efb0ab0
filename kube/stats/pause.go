package stats

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mullion-tui/mullion/model"
)

// How long a source that fails is left alone: longer each time, and at once the
// longest where only an operator can change it.
const (
	firstPause = 20 * time.Second
	longPause  = 5 * time.Minute
)

// pause says until when a source is left alone, and why.
type pause struct {
	until  time.Time
	failed int // times in a row
	why    string
}

type pauses map[model.StatsSource]pause

// fail notes a failure. Answers that were under way when the first came count once.
func (r pauses) fail(s model.StatsSource, now time.Time, err error, why string) {
	if errors.Is(err, ErrNoExporter) {
		return // it cost no request, and one may start at any time
	}
	old := r[s]
	if now.Before(old.until) {
		return
	}
	d := min(longPause, firstPause<<min(old.failed, 5))
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || errors.Is(err, ErrNoPrometheus) {
		d = longPause
	}
	r[s] = pause{now.Add(d), old.failed + 1, why}
}

// wide reports whether err would be the same for every node: what the API server
// itself refuses, and what was asked for all of them at once.
func wide(err error) bool {
	return apierrors.IsForbidden(err) || errors.As(err, &wideError{})
}
