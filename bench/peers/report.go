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
	"time"
)

// conditions prints what was measured and where.
func conditions(o *options, web *remote, there []crawler) {
	n := int64(o.sites * o.pages)
	fmt.Printf("# %s %s/%s, %d cores, load average %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load())
	fmt.Printf("# %d sites of 127.0.0.0/8, %d pages of %d to %d KB: %.1f KB on average, %.1f KB with gzip, %.1f links\n",
		o.sites, n, leastPage>>10, mostPage>>10, float64(web.Plain)/float64(n)/1024, float64(web.Wire)/float64(n)/1024, float64(web.Links)/float64(n))
	fmt.Printf("# politeness off, %d requests at a time (wget2 at most 32, wget 1); winnow asks for robots.txt, the others do not\n", o.workers)
	for _, c := range there {
		fmt.Printf("# %s: %s\n", c.name, c.version)
	}
	fmt.Printf("# medians of %d interleaved rounds; CPU is user and system time of the process of the crawler\n", o.rounds)
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

func (t *table) print() {
	fmt.Printf("# load average at the end %s\n", load())
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprintln(out, "crawler\tus CPU/page\tto bare\tto colly\tspread\tpages/s\tpeak MB\tpages\tmissing\trepeats\tbad\tconns\tto one site\t")
	bare, colly := t.cost("bare"), t.cost("colly")
	for i, c := range t.crawlers {
		rows := t.rows[i]
		if len(rows) == 0 {
			continue
		}
		cost := t.cost(c.name)
		most := slices.MaxFunc(rows, func(a, b measured) int { return cmp.Compare(a.Most, b.Most) })
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%.0f\t%.0f\t%d\t%d\t%d\t%d\t%d\t%d\t\n", c.name, cost.Microseconds(),
			ratio(cost, bare), ratio(cost, colly), spread(rows),
			median(rows, func(m measured) float64 { return float64(m.Pages) / m.wall.Seconds() }),
			median(rows, func(m measured) float64 { return float64(m.rss) / 1024 }),
			count(rows, func(m measured) int { return m.Pages }),
			t.pages-count(rows, func(m measured) int { return m.Distinct }),
			count(rows, func(m measured) int { return m.Pages - m.Distinct }),
			count(rows, func(m measured) int { return m.Bad }),
			count(rows, func(m measured) int { return m.Conns }), most.Most)
	}
}

// cost returns the median CPU time of a page of a crawler, 0 if it did not run.
func (t *table) cost(name string) time.Duration {
	i := slices.IndexFunc(t.crawlers, func(c crawler) bool { return c.name == name })
	if i < 0 || len(t.rows[i]) == 0 {
		return 0
	}
	return median(t.rows[i], func(m measured) time.Duration { return m.perPage() })
}

func ratio(a, b time.Duration) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// spread returns the least and the most CPU time of a page over the rounds.
func spread(rows []measured) string {
	by := func(a, b measured) int { return cmp.Compare(a.perPage(), b.perPage()) }
	least, most := slices.MinFunc(rows, by), slices.MaxFunc(rows, by)
	return fmt.Sprintf("%d-%d", least.perPage().Microseconds(), most.perPage().Microseconds())
}

func count(rows []measured, of func(measured) int) int { return median(rows, of) }

// median returns the middle one of what is measured; of an even number the lower.
func median[T cmp.Ordered](rows []measured, of func(measured) T) T {
	var all []T
	for _, m := range rows {
		all = append(all, of(m))
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}
