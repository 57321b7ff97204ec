package terminal

import (
	"fmt"
	"io"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
)

// PrintFindings writes what was verified, and what was found.
func PrintFindings(w io.Writer, dir string, f *history.Findings) error {
	listed := map[string]int64{}
	for _, x := range f.List {
		about := x.URL
		if about == "" {
			about = x.Site
		}
		if about != "" {
			about += ": "
		}
		fmt.Fprintf(w, "%s\n", show.Line(fmt.Sprintf("%s: record %d: %s%s", x.Kind, x.Record, about, x.What)))
		listed[x.Kind]++
	}
	for _, kind := range show.ByValue(f.Kinds) {
		if more := f.Kinds[kind] - listed[kind]; more > 0 {
			fmt.Fprintf(w, "%s: and %s more\n", show.Line(kind), show.Grouped(more))
		}
	}
	if len(f.List) > 0 {
		fmt.Fprintln(w)
	}
	return verifiedTable(dir, f).Print(w)
}

// verifiedTable returns the counts of what was verified.
func verifiedTable(dir string, f *history.Findings) *show.List {
	t := show.NewList()
	t.Add("directory", "", dir)
	t.AddFields(f)
	verdict := "none found"
	if n := f.Count(); n > 0 {
		verdict = show.ByNumber(f.Kinds)
	}
	t.Add("violations", show.Grouped(f.Count()), verdict)
	return t
}
