package say

import (
	"strings"
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	for _, c := range []struct {
		in   time.Duration
		want string
	}{
		{-time.Hour, "0s"},
		{0, "0s"},
		{999 * time.Millisecond, "0s"},
		{59 * time.Second, "59s"},
		{time.Minute, "1m"},
		{59*time.Minute + 59*time.Second, "59m"},
		{time.Hour, "1h"},
		{47*time.Hour + 59*time.Minute, "47h"},
		{48 * time.Hour, "2d"},
		{400 * 24 * time.Hour, "400d"},
	} {
		if got := Age(c.in); got != c.want {
			t.Errorf("Age(%v) = %q, want %q", c.in, got, c.want)
		}
		if Age(Round(c.in)) != Age(c.in) {
			t.Errorf("Round(%v) changes what Age prints", c.in)
		}
	}
}

func TestSinceUnknown(t *testing.T) {
	if got := Since(time.Now(), time.Time{}); got != "" {
		t.Errorf("a zero moment reads %q, want nothing", got)
	}
}

func TestMomentAndDay(t *testing.T) {
	at := time.Date(2026, 12, 1, 1, 2, 3, 0, time.FixedZone("", 3600))
	if got := Moment(at); got != "2026-12-01 00:02:03 UTC" {
		t.Errorf("Moment = %q", got)
	}
	if got := Day(at); got != "2026-12-01" {
		t.Errorf("Day = %q", got)
	}
	if Moment(time.Time{}) != "unknown" || Day(time.Time{}) != "unknown" {
		t.Error("a zero time must read unknown")
	}
}

func TestBytes(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0", 1: "1", 1023: "1023", 1024: "1Ki", 1536: "1.5Ki",
		10 << 20: "10Mi", 1<<30 - 1: "1Gi", 31 << 30: "31Gi",
		1 << 40: "1Ti", -1536: "-1.5Ki", 1<<63 - 1: "8Ei",
	} {
		if got := Bytes(in); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestCores(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0", 1: "<0.01", 9: "<0.01", 10: "0.01", 250: "0.25", 1000: "1", 1500: "1.5",
		9994: "9.99", 9999: "10", 12540: "12.5", 96000: "96", 100000: "100", -250: "-0.25",
	} {
		if got := Cores(in); got != want {
			t.Errorf("Cores(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestPercentAndCount(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(1, 3), "33%"}, {Percent(2, 3), "67%"}, {Percent(3, 2), "150%"}, {Percent(1, 0), "–"},
		{Count(0, "node"), "0 nodes"}, {Count(1, "node"), "1 node"}, {Count(2, "node"), "2 nodes"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestAmounts(t *testing.T) {
	const mi, gi = 1 << 20, 1 << 30
	for _, c := range []struct {
		bytes []int64
		want  string
	}{
		{[]int64{98 * mi, 256 * mi, 41 * mi}, "98 MiB, 256, 41"},
		{[]int64{2936 * mi, 9471 * mi, 900 * mi, 800 * mi}, "2.9 GiB, 9.2, 900 MiB, 800"},
		{[]int64{500 * mi, 9 * gi}, "500 MiB, 9 GiB"},
		{[]int64{0, 17}, "0 B, 17"},
		{[]int64{-3 * mi}, "-3 MiB"},
		{nil, ""},
	} {
		if got := strings.Join(Amounts(c.bytes...), ", "); got != c.want {
			t.Errorf("%d: %q, want %q", c.bytes, got, c.want)
		}
	}
}
