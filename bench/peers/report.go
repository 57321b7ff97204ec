package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
)

// conditions prints what was measured and where.
func conditions(o *options, web *remote, there []crawler) {
	n := int64(o.sites * o.pages)
	fmt.Printf("# %s %s/%s, %d cores, load average %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load())
	fmt.Printf("# %d sites of 127.0.0.0/8, %d pages of %d to %d KB: %.1f KB on average, %.1f KB with gzip, %.1f links\n",
		o.sites, n, leastPage>>10, mostPage>>10, float64(web.Plain)/float64(n)/1024, float64(web.Wire)/float64(n)/1024, float64(web.Links)/float64(n))
	if o.delay > 0 {
		fmt.Printf("# %s, delay %v, other settings as by default\n", o.scheme(), o.delay)
	} else {
		fmt.Printf("# %s, politeness off, %d requests at a time (wget2 at most 32, wget 1); winnow asks for robots.txt, the others do not\n", o.scheme(), o.workers)
	}
	for _, c := range there {
		fmt.Printf("# %s: %s\n", c.name, c.version)
	}
	fmt.Printf("# medians of %d interleaved rounds (least-most of them); CPU is user and system time of the process of the crawler\n", o.rounds)
}

func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}

// moduleVersion returns the version of a module that this program is made of.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "unknown"
}

// table holds what was measured, by crawler and round.
type table struct {
	pages    int
	crawlers []crawler
	rows     [][]measured
}

// A column is one of those that are printed, from the rounds of a crawler.
type column struct {
	head string
	cell func(rows []measured) string
}

func (t *table) print() {
	fmt.Printf("# load average at the end %s\n", load())
	columns := t.columns()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprint(out, "crawler\t")
	for _, c := range columns {
		fmt.Fprint(out, c.head, "\t")
	}
	fmt.Fprintln(out)
	for i, c := range t.crawlers {
		if len(t.rows[i]) == 0 {
			continue
		}
		fmt.Fprint(out, c.name, "\t")
		for _, c := range columns {
			fmt.Fprint(out, c.cell(t.rows[i]), "\t")
		}
		fmt.Fprintln(out)
	}
}

// columns returns the columns: costs, their ratios to others in the same round, and counts.
func (t *table) columns() []column {
	all := []column{{"us CPU/page", func(rows []measured) string { return middle("%.0f", rows, measured.perPage) }}}
	references := []string{"bare", "wget2", "colly"}
	if slices.ContainsFunc(t.crawlers, func(c crawler) bool { return c.name == "winnow'" }) {
		references = append(references, "winnow")
	}
	for i, to := range t.crawlers {
		if slices.Contains(references, to.name) && len(t.rows[i]) > 0 {
			all = append(all, column{"to " + to.name, func(rows []measured) string { return ratio(rows, t.rows[i]) }})
		}
	}
	if t.rows[0][0].commits > 0 {
		all = append(all, column{"groups", func(rows []measured) string { return middle("%.2f", rows, measured.groups) }})
	}
	count := func(head string, of func(m measured) int) {
		all = append(all, column{head, func(rows []measured) string { return fmt.Sprint(median(rows, of)) }})
	}
	count("pages/s", func(m measured) int { return int(float64(m.Pages) / m.wall.Seconds()) })
	count("peak MB", func(m measured) int { return int(m.rss >> 10) })
	count("pages", func(m measured) int { return m.Pages })
	count("missing", func(m measured) int { return t.pages - m.Distinct })
	count("repeats", func(m measured) int { return m.Pages - m.Distinct })
	count("bad", func(m measured) int { return m.Bad })
	count("HTTP/2", func(m measured) int { return m.HTTP2 })
	count("conns", func(m measured) int { return m.Conns })
	all = append(all, column{"to one site", func(rows []measured) string {
		return fmt.Sprint(slices.MaxFunc(rows, func(a, b measured) int { return cmp.Compare(a.Most, b.Most) }).Most)
	}})
	return all
}

// ratio returns the ratio of the costs of a page in the rounds that both have.
func ratio(rows, to []measured) string {
	cost := map[int]float64{}
	for _, m := range to {
		cost[m.round] = m.perPage()
	}
	both := slices.DeleteFunc(slices.Clone(rows), func(m measured) bool { return cost[m.round] == 0 })
	if len(both) == 0 {
		return "-"
	}
	return middle("%.2f", both, func(m measured) float64 { return m.perPage() / cost[m.round] })
}

// middle returns the median, and the least and the most, of what is measured.
func middle(format string, rows []measured, of func(measured) float64) string {
	by := func(a, b measured) int { return cmp.Compare(of(a), of(b)) }
	least, most := of(slices.MinFunc(rows, by)), of(slices.MaxFunc(rows, by))
	return fmt.Sprintf(strings.ReplaceAll("F (F-F)", "F", format), median(rows, of), least, most)
}

// median returns the middle one of what is measured; of an even number the lower.
func median[T cmp.Ordered](rows []measured, of func(measured) T) T {
	var all []T
	for _, m := range rows {
		all = append(all, of(m))
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}
