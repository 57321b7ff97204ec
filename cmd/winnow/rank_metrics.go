package main

import (
	"slices"

	"github.com/winnow-crawler/winnow/graph/rank"
)

// A metric is one value of --metric.
type metric struct {
	name, short string
	in, out     bool     // which lists it reads
	flags       []string // which of the flags that not all metrics have it takes
	compute     func(w *rank.Web, opt rank.Options, o *rankOptions) (*rank.Result, error)

	counts bool // values are counts, scaled only when --normalise is given
	bypage bool // progress counts pages, not sweeps
}

func (m *metric) takes(flag string) bool { return slices.Contains(m.flags, flag) }

// solved returns the flags of metrics that solve the equation of PageRank.
func solved(more ...string) []string {
	return append([]string{"follow", "jump", "teleport", "dangling", "start", "tolerance"}, more...)
}

// plain returns a metric that needs only rank.Options of the command line.
func plain(fn func(*rank.Web, rank.Options) (*rank.Result, error)) func(*rank.Web, rank.Options, *rankOptions) (*rank.Result, error) {
	return func(w *rank.Web, opt rank.Options, _ *rankOptions) (*rank.Result, error) { return fn(w, opt) }
}

// rankMetrics returns all metrics, in the order of the help.
func rankMetrics() []metric {
	return []metric{
		{name: "pagerank", short: "PageRank", in: true, flags: solved(), compute: plain(rank.PageRank)},
		{name: "pagerank-remote", short: "PageRank by links from other sites alone", in: true,
			flags: solved(), compute: plain(rank.RemotePageRank)},
		{name: "pagerank-weighted", short: "PageRank with remote and local links weighted apart", in: true,
			flags: solved("remote-share", "remote-factor"), compute: weighted},
		{name: "pagerank-reverse", short: "PageRank with every link turned round", out: true,
			flags: solved(), compute: plain(rank.ReversePageRank)},
		{name: "backlinks", short: "number of in-links", in: true, counts: true, compute: plain(rank.Backlinks)},
		{name: "backlink-sites", short: "number of sites with a link to the page", in: true, counts: true, compute: plain(rank.BacklinkSites)},
		{name: "outlinks", short: "number of out-links", out: true, counts: true, compute: plain(rank.Outlinks)},
		{name: "hits-authority", short: "authority of HITS", in: true, out: true, flags: []string{"tolerance"}, compute: authority},
		{name: "hits-hub", short: "hub of HITS", in: true, out: true, flags: []string{"tolerance"}, compute: hub},
		{name: "harmonic", short: "harmonic centrality, exact: the time grows with the square of the pages", out: true,
			counts: true, bypage: true, compute: plain(rank.Harmonic)},
	}
}

func metricNames() []string {
	var names []string
	for _, m := range rankMetrics() {
		names = append(names, m.name)
	}
	return names
}

func findMetric(name string) (metric, bool) {
	for _, m := range rankMetrics() {
		if m.name == name {
			return m, true
		}
	}
	return metric{}, false
}

// weighted weighs links by --remote-share or --remote-factor.
func weighted(w *rank.Web, opt rank.Options, o *rankOptions) (*rank.Result, error) {
	split := rank.Share(0.8)
	switch {
	case o.flags.Changed("remote-share"):
		split = rank.Share(o.remoteShare.Float())
	case o.flags.Changed("remote-factor"):
		split = rank.Factor(o.remoteFactor)
	}
	return rank.WeightedPageRank(w, opt, split)
}

// authority and hub compute the two halves of HITS.
func authority(w *rank.Web, opt rank.Options, _ *rankOptions) (*rank.Result, error) {
	res, _, err := rank.HITS(w, opt)
	return res, err
}

func hub(w *rank.Web, opt rank.Options, _ *rankOptions) (*rank.Result, error) {
	_, res, err := rank.HITS(w, opt)
	return res, err
}
