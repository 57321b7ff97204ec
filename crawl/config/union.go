package config

import "slices"

// Union returns the strings of both lists, each once.
func Union(a, b []string) []string {
	known := map[string]bool{}
	list := make([]string, 0, len(a)+len(b))
	for _, s := range slices.Concat(a, b) {
		if !known[s] {
			known[s] = true
			list = append(list, s)
		}
	}
	return list
}
