// Package spelling finds the word that was meant by one that does not exist.
package spelling

import "strings"

// Nearest returns the name that the user most likely meant: the one with the fewest edits (first
// one on a tie), if that is at most a third of the letters, or one that begins
// with what was typed, or with most of it.
func Nearest(typed string, names []string) (string, bool) {
	lower := strings.ToLower(typed)
	best, fewest := "", max(1, len(typed)/3)+1
	for _, name := range names {
		if d := edits(lower, strings.ToLower(name)); d < fewest {
			best, fewest = name, d
		}
	}
	for i := 0; best == "" && len(typed) >= 2 && i < len(names); i++ {
		if strings.HasPrefix(strings.ToLower(names[i]), lower) {
			best = names[i]
		}
	}
	for i := 0; best == "" && len(typed) >= 6 && i < len(names); i++ {
		if strings.HasPrefix(strings.ToLower(names[i]), lower[:len(lower)*3/4]) {
			best = names[i]
		}
	}
	return best, best != ""
}

// SharesWords returns the shortest name that has all words of the typed one, or of whose
// words the typed one has all: max-depth for depth, pages for max-pages.
func SharesWords(typed string, names []string) (best string, ok bool) {
	has := func(long, short string) bool { return strings.Contains("-"+long+"-", "-"+short+"-") }
	for _, name := range names {
		if (has(name, typed) || has(typed, name)) && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	return best, best != ""
}

// edits returns the number of insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment).
func edits(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
