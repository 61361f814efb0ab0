package part

import (
	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/say"
)

// CPUShare prints requested and allocatable thousandths of a core with their
// ratio: "1.5/4  38%". An allocatable amount of zero is unknown.
func CPUShare(requested, allocatable int64) string {
	if allocatable <= 0 {
		return say.Cores(requested) + "/?"
	}
	return say.Cores(requested) + "/" + say.Cores(allocatable) + FitRight(say.Percent(requested, allocatable), 5)
}

// MemoryShare prints requested and allocatable bytes with their ratio.
func MemoryShare(requested, allocatable int64) string {
	if allocatable <= 0 {
		return say.Bytes(requested) + "/?"
	}
	return say.Bytes(requested) + "/" + say.Bytes(allocatable) + FitRight(say.Percent(requested, allocatable), 5)
}

// SystemRole is the look of what belongs to an operating system.
func SystemRole(os model.OS) Role {
	switch os {
	case model.OSWindows:
		return Windows
	case model.OSLinux:
		return Linux
	default:
		return Dim
	}
}
