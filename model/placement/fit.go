package placement

// Fit is whether a Windows host can run an image in process isolation.
type Fit uint8

// The answers, the best first.
const (
	FitSame      Fit = iota // both of one build
	FitOlder                // a host newer than Server 2025 takes images from that on
	FitException            // Server 2022 on Server 2025 (and on 23H2): documented, and not to build on
	FitUnknown              // one of the builds is not known: it may fail at start
	FitNever
)

// String returns the words that the UI shows.
func (f Fit) String() string {
	return [...]string{"same build", "older build that the host takes", "documented exception", "unknown", "never"}[f]
}

// Builds at which the rule changes.
const (
	server2022 = 20348
	server2025 = 26100
)

// FitOf applies the rule of Windows containers without Hyper-V: up to Server 2022 a host
// runs its own build alone; Server 2025 takes 2022 too, as an exception; later hosts take
// everything from Server 2025 up to their own. The revision does not matter.
// (containerd platforms, windowsMatchComparer; Microsoft, version compatibility.)
func FitOf(host, image int) Fit {
	switch {
	case host <= 0 || image <= 0:
		return FitUnknown
	case host == image:
		return FitSame
	case host <= server2022 || image > host:
		return FitNever
	case host > server2025 && image >= server2025:
		return FitOlder
	case host <= server2025 && image >= server2022:
		return FitException
	default:
		return FitNever
	}
}
