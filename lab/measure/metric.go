package measure

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/graph/rank"
)

// MetricTruth returns any metric of package rank as the truth: forward links for hubs, HITS,
// reverse PageRank and so on. PageRank and backlinks are as PageRankTruth and BacklinksTruth
// have them. Counts have thresholds in their own unit.
func MetricTruth(w *rank.Web, m rank.Metric, o TruthOptions) (*Truth, error) {
	switch m.Name {
	case PageRankMetric:
		return PageRankTruth(w, o)
	case BacklinksMetric:
		return BacklinksTruth(w, o)
	}
	in, err := countedLinks(w, o)
	if err != nil {
		return nil, fmt.Errorf("%s truth: %w", m.Name, err)
	}
	defer in.free()
	out := rank.Transpose(in.lists)
	defer out.Free()
	opt := rank.Options{Follow: o.Follow, SelfLinks: o.SelfLinks, Threads: o.Threads, Progress: o.Progress}
	if o.Within != nil && m.Solves {
		opt.Teleport, opt.DanglingToTeleport = in.inside, true
	}
	r, err := m.Compute(&rank.Web{In: in.lists, Out: out, Sites: w.Sites, Fetched: w.Fetched}, opt, rank.Share(0.8))
	var short *rank.ToleranceError
	if err != nil && !(errors.As(err, &short) && r != nil) {
		return nil, fmt.Errorf("%s truth: %w", m.Name, err)
	}
	return &Truth{Metric: m.Name, Value: r.Score, Pages: in.pages, MeanScale: !m.Counts, Bound: r.Bound}, nil
}
