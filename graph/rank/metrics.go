package rank

import "github.com/winnow-crawler/winnow/graph"

// A Metric is a measure of importance with a name.
type Metric struct {
	Name, Short string
	In, Out     bool // which lists it reads
	// Solves reports that it is of the family of PageRank: it has a probability of following
	// a link, targets of jumps and a bound of its error.
	Solves bool
	Sweeps bool // it is computed to a tolerance
	Splits bool // Split says what remote and local links get
	Counts bool // values are counts, or exact sums
	ByPage bool // progress counts pages, not sweeps

	compute func(w *Web, o Options, split Split) (*Result, error)
}

// Compute computes the metric. Split means something to a metric that Splits.
func (m *Metric) Compute(w *Web, o Options, split Split) (*Result, error) {
	return m.compute(w, o, split)
}

// Metrics lists the metrics.
func Metrics() []Metric {
	return []Metric{
		{Name: "pagerank", Short: "PageRank", In: true, Solves: true, Sweeps: true, compute: plain(PageRank)},
		{Name: "pagerank-remote", Short: "PageRank by links from other sites alone", In: true, Solves: true, Sweeps: true, compute: plain(RemotePageRank)},
		{Name: "pagerank-weighted", Short: "PageRank with remote and local links weighted apart", In: true,
			Solves: true, Sweeps: true, Splits: true, compute: WeightedPageRank},
		{Name: "pagerank-reverse", Short: "PageRank with every link turned round", Out: true, Solves: true, Sweeps: true, compute: plain(ReversePageRank)},
		{Name: "backlinks", Short: "number of in-links", In: true, Counts: true, compute: plain(Backlinks)},
		{Name: "backlink-sites", Short: "number of sites with a link to the page", In: true, Counts: true, compute: plain(BacklinkSites)},
		{Name: "outlinks", Short: "number of out-links", Out: true, Counts: true, compute: plain(Outlinks)},
		{Name: "hits-authority", Short: "authority of HITS", In: true, Out: true, Sweeps: true, compute: authority(HITS)},
		{Name: "hits-hub", Short: "hub of HITS", In: true, Out: true, Sweeps: true, compute: hub(HITS)},
		{Name: "hits-authority-remote", Short: "authority of HITS by links between sites alone, as Kleinberg had it", In: true, Out: true, Sweeps: true, compute: authority(RemoteHITS)},
		{Name: "hits-hub-remote", Short: "hub of HITS by links between sites alone", In: true, Out: true, Sweeps: true, compute: hub(RemoteHITS)},
		{Name: "harmonic", Short: "harmonic centrality, exact: the time grows with the square of the pages", Out: true,
			Counts: true, ByPage: true, compute: plain(Harmonic)},
	}
}

// MetricNames returns the names of all metrics.
func MetricNames() (names []string) {
	for _, m := range Metrics() {
		names = append(names, m.Name)
	}
	return names
}

// Named returns the metric of a name.
func Named(name string) (m Metric, ok bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// plain returns a metric without a split.
func plain(fn func(*Web, Options) (*Result, error)) func(*Web, Options, Split) (*Result, error) {
	return func(w *Web, o Options, _ Split) (*Result, error) { return fn(w, o) }
}

type hitsFunc = func(*Web, Options) (authority, hub *Result, err error)

func authority(fn hitsFunc) func(*Web, Options, Split) (*Result, error) {
	return func(w *Web, o Options, _ Split) (*Result, error) {
		r, _, err := fn(w, o)
		return r, err
	}
}

func hub(fn hitsFunc) func(*Web, Options, Split) (*Result, error) {
	return func(w *Web, o Options, _ Split) (*Result, error) {
		_, r, err := fn(w, o)
		return r, err
	}
}

// RemoteHITS returns HITS by links from one site to another: Kleinberg's algorithm considers
// no others, because links inside a site serve navigation (Najork and Wiener 2001, section 4).
func RemoteHITS(w *Web, o Options) (authority, hub *Result, err error) {
	return hitsOf("remote HITS", w, o, func(v *world) {
		v.keep(func(from, to graph.Page) bool { return !v.local(from, to) })
	})
}
