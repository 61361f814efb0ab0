package part

import (
	"strconv"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/say"
)

// unknown stands where a figure is not known: because the pods have not arrived or
// must not be read, or because the node reports nothing allocatable. It is never 0.
const unknown = "?"

// PodShare prints how many pods there are of how many there can be: "12/60".
func PodShare(pods, most int, known bool) string {
	left, right := unknown, unknown
	if known {
		left = strconv.Itoa(pods)
	}
	if most > 0 {
		right = strconv.Itoa(most)
	}
	return left + "/" + right
}

// CPUShare prints requested and allocatable thousandths of a core with their
// ratio: "1.5/4  38%".
func CPUShare(requested, allocatable int64, known bool) string {
	return share(requested, allocatable, known, say.Cores)
}

// MemoryShare prints requested and allocatable bytes with their ratio.
func MemoryShare(requested, allocatable int64, known bool) string {
	return share(requested, allocatable, known, say.Bytes)
}

func share(part, whole int64, known bool, print func(int64) string) string {
	switch {
	case !known && whole <= 0:
		return unknown + "/" + unknown
	case !known:
		return unknown + "/" + print(whole) + "    " + unknown
	case whole <= 0:
		return print(part) + "/" + unknown
	default:
		return print(part) + "/" + print(whole) + FitRight(say.Percent(part, whole), 5)
	}
}

// Fullness warns of what is nearly used up: nine tenths and more.
func Fullness(part, whole int64, known bool) Role {
	switch {
	case !known:
		return Dim
	case whole > 0 && part*10 >= whole*9:
		return Warn
	default:
		return Text
	}
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

// Meter draws a share of w cells, full and empty ones; nothing where the whole is
// not known. What is more than nothing fills a cell, and only a full share all.
func Meter(part, whole int64, w int) (full, empty string) {
	if whole <= 0 || w <= 0 {
		return "", Blank(w)
	}
	n := int(min(part*int64(w)/whole, int64(w)))
	if n == 0 && part > 0 {
		n = 1
	}
	return strings.Repeat("━", n), strings.Repeat("─", w-n)
}
