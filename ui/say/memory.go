package say

import "strings"

// Amounts prints amounts of memory as a sentence holds them, one after the other:
// the unit stands behind the first, and again where it changes: "98 MiB", "256",
// "1.2 GiB".
func Amounts(bytes ...int64) []string {
	out := make([]string, len(bytes))
	before := "none"
	for i, n := range bytes {
		text := Bytes(n)
		number := strings.TrimRight(text, "KMGTPEi")
		unit := text[len(number):] + "B"
		out[i] = number
		if unit != before {
			out[i] += " " + unit
		}
		before = unit
	}
	return out
}
