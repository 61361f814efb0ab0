package say

import (
	"fmt"
	"strconv"
	"strings"
)

var byteUnits = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// Bytes prints an amount of memory in the largest binary unit that keeps it at
// one or more, with one decimal below ten: 512, 1.5Ki, 31Gi.
func Bytes(n int64) string {
	if n < 0 {
		return "-" + Bytes(-n)
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < len(byteUnits)-1 {
		f, unit = f/1024, unit+1
	}
	if unit > 0 && f >= 1023.5 && unit < len(byteUnits)-1 {
		f, unit = f/1024, unit+1
	}
	if unit == 0 || f >= 9.95 {
		return strconv.FormatFloat(f, 'f', 0, 64) + byteUnits[unit]
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + byteUnits[unit]
}

// Cores prints thousandths of a core as cores, with at most two decimals below
// ten and one above: 0.25, 4, 12.5. What is more than nothing never reads 0.
func Cores(milli int64) string {
	if milli > 0 && milli < 10 {
		return "<0.01"
	}
	decimals := 2
	if milli >= 9995 || milli <= -9995 {
		decimals = 1
	}
	s := strconv.FormatFloat(float64(milli)/1000, 'f', decimals, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Percent prints part of whole. Nothing can be said where whole is not positive.
func Percent(part, whole int64) string {
	if whole <= 0 {
		return "–"
	}
	return strconv.FormatInt((part*100+whole/2)/whole, 10) + "%"
}

// Count prints a number with its noun: "1 node", "3 nodes".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
