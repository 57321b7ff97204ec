package revisit

import (
	"bytes"

	"github.com/winnow-crawler/winnow/graph"
)

// Directories returns the directory of each page by its URL, and the directory above each
// directory: the path up to the last slash, then a segment less, up to the host.
func Directories(pages int, url func(b []byte, p graph.Page) []byte) (place, above []int) {
	known := map[string]int{}
	var find func(path []byte) int
	find = func(path []byte) int {
		if n, ok := known[string(path)]; ok {
			return n
		}
		up := -1
		if i := bytes.LastIndexByte(path, '/'); i > 0 && path[i-1] != '/' {
			up = find(path[:i])
		}
		n := len(above)
		known[string(path)] = n
		above = append(above, up)
		return n
	}
	var b []byte
	for p := range pages {
		b = url(b[:0], graph.Page(p))
		path, _, _ := bytes.Cut(b, []byte("?"))
		if i := bytes.LastIndexByte(path, '/'); i > 0 && path[i-1] != '/' {
			path = path[:i]
		}
		place = append(place, find(path))
	}
	return place, above
}
