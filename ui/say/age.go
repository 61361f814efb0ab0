// Package say turns values into the words that the screens show. It is pure: the
// moment comes in as an argument.
package say

import (
	"fmt"
	"time"
)

const day = 24 * time.Hour

// Round cuts a duration to the unit in which Age prints it, so that two ages that
// read alike are equal. Negative durations (a clock behind the server's) are zero.
func Round(d time.Duration) time.Duration {
	switch {
	case d <= 0:
		return 0
	case d < time.Minute:
		return d.Truncate(time.Second)
	case d < time.Hour:
		return d.Truncate(time.Minute)
	case d < 2*day:
		return d.Truncate(time.Hour)
	default:
		return d.Truncate(day)
	}
}

// Age prints a duration in its largest whole unit: 45s, 12m, 47h, 400d.
func Age(d time.Duration) string {
	switch d = Round(d); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/day)
	}
}

// Since prints how long ago a moment was; a zero moment is unknown and prints "".
func Since(now, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return Age(now.Sub(at))
}

// Moment prints a point in time in UTC, to the second; zero prints "unknown".
func Moment(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Day prints a date; zero prints "unknown".
func Day(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(time.DateOnly)
}
