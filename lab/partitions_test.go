package lab

import (
	"math"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// BenchmarkLoss measures what the order of crawls in 16 partitions loses on the real graphs beside
// the checkout: the table of docs/partitions.md. loss is in percent of the way from random to the
// same policy in one piece, by average cumulative PageRank, and ± its 95 % interval over starts of 20
// random pages. noise is by how much two crawls in one piece differ whose seeds are in another order,
// as a standard deviation in the same percent.
//
//	go test ./lab -run '^$' -bench 'Loss/webkb/foresight' -benchtime 1x -timeout 60m
func BenchmarkLoss(b *testing.B) {
	for _, x := range []struct {
		name string
		make func(*testing.B) *sim.World
	}{
		{"webkb", func(b *testing.B) *sim.World { return openWorld(b, "webkb") }},
		{"apache-sites by host", func(b *testing.B) *sim.World { return byHost(openWorld(b, "apache-sites")) }},
		{"wb-cs-stanford by host", func(b *testing.B) *sim.World { return byHost(openWorld(b, "wb-cs-stanford")) }},
		{"hollins by host", func(b *testing.B) *sim.World { return byHost(openWorld(b, "hollins")) }},
		{"all with URLs", unionWorld},
		{"all with URLs by host", func(b *testing.B) *sim.World { return byHost(unionWorld(b)) }},
		{"cnr-2000 in blocks", func(b *testing.B) *sim.World { return inBlocks(openWorld(b, "cnr-2000"), 500) }},
	} {
		b.Run(x.name, func(b *testing.B) {
			w := x.make(b)
			if w == nil {
				b.Skip("the graph is not beside the checkout")
			}
			truth, err := rank.PageRank(&rank.Web{Out: w.Out}, rank.Options{Follow: .9})
			if err != nil {
				b.Fatal(err)
			}
			for _, p := range []string{"foresight", "opic"} {
				b.Run(p, func(b *testing.B) { (&lossOf{w, truth.Score, p}).measure(b, 16) })
			}
		})
	}
}

// openWorld returns a real graph, nil if it is not there.
func openWorld(b *testing.B, name string) *sim.World {
	w := realWorld(b, name)
	if w == nil {
		return nil
	}
	b.Cleanup(func() {
		w.Free()
		w.Graph.Close()
	})
	return &w.Sim
}

// byHost deals the hosts of a world to the partitions in turn, whatever their domain.
func byHost(w *sim.World) *sim.World {
	if w != nil {
		w.Partition = func(s graph.Site, of int) int { return int(s) % of }
	}
	return w
}

// inBlocks makes sites of so many consecutive pages.
func inBlocks(w *sim.World, pages int) *sim.World {
	if w == nil {
		return nil
	}
	w.SiteOf = make([]graph.Site, w.Out.Pages())
	for p := range w.SiteOf {
		w.SiteOf[p] = graph.Site(p / pages)
	}
	w.Sites = (w.Out.Pages() + pages - 1) / pages
	w.SiteName = nil
	return w
}

// unionWorld returns all open graphs with URLs as one, nil if one is not there.
func unionWorld(b *testing.B) *sim.World {
	var parts []*sim.World
	var links [][]graph.Page
	all := &sim.World{}
	var firstPage, firstSite []int // by graph
	for _, name := range []string{"apache-sites", "hollins", "mdn", "openbsd", "wb-cs-stanford", "webkb"} {
		w := openWorld(b, name)
		if w == nil {
			return nil
		}
		first := graph.Page(len(links))
		parts, firstPage, firstSite = append(parts, w), append(firstPage, len(links)), append(firstSite, all.Sites)
		for p := range graph.Page(w.Out.Pages()) {
			var to []graph.Page
			for _, q := range w.Out.List(p) {
				to = append(to, first+q)
			}
			links = append(links, to)
			all.SiteOf = append(all.SiteOf, graph.Site(all.Sites)+w.SiteOf[p])
		}
		all.Sites += w.Sites
	}
	all.Out = graph.ListsOf(links)
	b.Cleanup(all.Out.Free)
	in := func(first []int, i int) (part, at int) {
		part, found := slices.BinarySearch(first, i)
		if !found {
			part--
		}
		return part, i - first[part]
	}
	all.URL = func(to []byte, p graph.Page) []byte {
		part, at := in(firstPage, int(p))
		return parts[part].URL(to, graph.Page(at))
	}
	all.SiteName = func(s graph.Site) string {
		part, at := in(firstSite, int(s))
		return parts[part].SiteName(graph.Site(at))
	}
	all.Partition = func(s graph.Site, of int) int {
		part, at := in(firstSite, int(s))
		return parts[part].Partition(graph.Site(at), of)
	}
	return all
}

// A lossOf is a policy in a world whose importance is known.
type lossOf struct {
	w          *sim.World
	importance []float64
	policy     string
}

// The starts of BenchmarkLoss, and the orders of their seeds.
const (
	lossStarts = 40
	lossLarge  = 6 // of graphs with more than a million links
	lossOrders = 3
	lossSeeds  = 20
)

func (l *lossOf) measure(b *testing.B, partitions int) {
	var losses, noise []float64
	starts := lossStarts
	if l.w.Out.Links() > 1e6 {
		starts = lossLarge
	}
	for start := range uint64(starts) {
		seeds := RandomSeeds(l.w.Out.Pages(), lossSeeds, 1, start+1)
		random := l.crawl(b, "random", seeds, 0)
		var one, cut []float64
		for order := range uint64(lossOrders) {
			if order > 0 {
				slices.SortFunc(seeds, func(p, q graph.Page) int {
					return int(policy.Hash(order, uint64(p))>>1) - int(policy.Hash(order, uint64(q))>>1)
				})
			}
			one, cut = append(one, l.crawl(b, l.policy, seeds, 0)), append(cut, l.crawl(b, l.policy, seeds, partitions))
		}
		way := (mean(one) - random) / 100
		losses = append(losses, (mean(one)-mean(cut))/way)
		for i := range one {
			noise = append(noise, (one[i]-one[(i+1)%len(one)])/way)
		}
		b.Logf("start %d: random %.4f, one piece %.4f, %d partitions %.4f: %.1f lost", start+1, random, one, partitions, cut, losses[start])
	}
	x := measure.OverGraphs(losses)
	b.ReportMetric(x.Mean, "%loss")
	b.ReportMetric((x.High-x.Low)/2, "±")
	b.ReportMetric(math.Sqrt(square(noise)), "%noise")
	b.ReportMetric(0, "ns/op")
}

// crawl returns the mean over a crawl of the share of importance gathered so far.
func (l *lossOf) crawl(b *testing.B, name string, seeds []graph.Page, partitions int) (average float64) {
	c, err := policy.Choose(name)
	if err != nil {
		b.Fatal(err)
	}
	r, err := sim.Run(l.w, sim.Options{Setup: sim.Setup{Seeds: seeds, Random: 1, Partitions: partitions}, Policy: c})
	if err != nil {
		b.Fatal(err)
	}
	sum := 0.0
	for _, p := range r.Order {
		sum += l.importance[p]
		average += sum
	}
	return average / sum / float64(len(r.Order))
}

func mean(x []float64) float64 { return measure.Sum(x) / float64(len(x)) }

// square returns the mean of the squares.
func square(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum / float64(len(x))
}
