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
}

func (m *metric) takes(flag string) bool { return slices.Contains(m.flags, flag) }

// solved are the flags of metrics that solve the equation of PageRank.
func solved(more ...string) []string {
	return append([]string{"follow", "jump", "teleport", "start", "tolerance"}, more...)
}

// plain is a metric that needs nothing of the command line but rank.Options.
func plain(fn func(*rank.Web, rank.Options) (*rank.Result, error)) func(*rank.Web, rank.Options, *rankOptions) (*rank.Result, error) {
	return func(w *rank.Web, opt rank.Options, _ *rankOptions) (*rank.Result, error) { return fn(w, opt) }
}

// metrics are all of them, in the order of the help.
func metrics() []metric {
	return []metric{
		{"pagerank", "PageRank", true, false, solved(), plain(rank.PageRank)},
		{"pagerank-remote", "PageRank by links from other sites alone", true, false, solved(), plain(rank.RemotePageRank)},
		{"pagerank-weighted", "PageRank with remote and local links weighted apart", true, false,
			solved("remote-share", "remote-factor"), weighted},
		{"pagerank-reverse", "PageRank with every link turned round", false, true, solved(), plain(rank.ReversePageRank)},
	}
}

func metricNames() []string {
	var names []string
	for _, m := range metrics() {
		names = append(names, m.name)
	}
	return names
}

func findMetric(name string) (metric, bool) {
	for _, m := range metrics() {
		if m.name == name {
			return m, true
		}
	}
	return metric{}, false
}

// weighted divides pages as --remote-share or --remote-factor say (M20).
func weighted(w *rank.Web, opt rank.Options, o *rankOptions) (*rank.Result, error) {
	split := rank.Share(0.8)
	switch {
	case o.flags.Changed("remote-share"):
		split = rank.Share(o.remoteShare.float())
	case o.flags.Changed("remote-factor"):
		split = rank.Factor(o.remoteFactor)
	}
	return rank.WeightedPageRank(w, opt, split)
}
