package show

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Total returns the sum of counts.
func Total(m map[string]int64) (n int64) {
	for _, k := range m {
		n += k
	}
	return n
}

// ByValue returns the names in a map, the largest number first. Equal numbers are sorted by
// name.
func ByValue[N integer](m map[string]N) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(m[b], m[a]) })
	return names
}

// ByNumber lists counts, the largest first: "page 12, robots 3".
func ByNumber[N integer](m map[string]N) string { return Fitted(m, 0) }

// Fitted lists counts, the largest first, in at most width characters; the smallest are
// summed up if there is no room for all: "page 12, robots 3, 4 others 7". The first is
// always listed. A width of 0 or less has room for all.
func Fitted[N integer](m map[string]N, width int) string {
	names := ByValue(m)
	text, rest := "", N(0)
	for n := len(names); n > 0; n-- {
		var parts []string
		for _, name := range names[:n] {
			parts = append(parts, name+" "+Grouped(m[name]))
		}
		if n < len(names) {
			rest += m[names[n]]
			parts = append(parts, fmt.Sprintf("%d others %s", len(names)-n, Grouped(rest)))
		}
		if text = strings.Join(parts, ", "); width <= 0 || len(text) <= width {
			break
		}
	}
	return text
}

// Clip cuts a text to a number of characters.
func Clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:max(width-1, 0)]) + "…"
	}
	return text
}

// Percent writes the share of part in whole.
func Percent(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
