// Package leaderboard ranks policies by what they did from many starts on several graphs. A
// Board holds the numbers of virtual crawls; its sections show regret by graph, paired
// differences with intervals over the graphs, the best published policy chosen without the
// graph it is judged on, and the starts where the subject is behind. Earlier reads the
// numbers of an earlier run back.
//
// The package crawls nothing: lab/boards fills the board. A graph counts once, however many
// starts it has.
package leaderboard

import (
	"errors"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/lab/measure"
)

// A Kind states what a policy is compared as.
type Kind int

// Kinds of policies.
const (
	Own       Kind = iota // winnow's own
	Published             // of the literature, without an oracle and without an earlier crawl
	Other                 // with an oracle or an earlier crawl
	Baseline              // random, horn, omniscient
)

func (k Kind) String() string { return [...]string{"ours", "published", "other", "baseline"}[k] }

// A Policy is one that was run.
type Policy struct {
	Name string
	Kind Kind
}

// The baselines, which every board has.
const (
	random     = "random"
	horn       = "horn"
	omniscient = "omniscient"
)

// Baselines returns the names of the policies that regret is measured between.
func Baselines() []string { return []string{random, horn, omniscient} }

// A Graph holds what is shown of one graph, by policy. NaN and nil mean that it was not run.
type Graph struct {
	Name   string
	Curves [][]float64 // percent of the PageRank at each of Shares, mean over the starts
	Micros []float64   // measured time of a crawl, in microseconds a link
	Bytes  []float64   // of memory a known page
	// Hours is the mean time until a page was fetched, weighted by PageRank, for each of
	// Fetchers; nil if the graph has no sites.
	Hours [][]float64
}

// NewGraph returns a graph without numbers for a number of policies.
func NewGraph(name string, policies int) *Graph {
	g := &Graph{Name: name, Curves: make([][]float64, policies), Micros: make([]float64, policies), Bytes: make([]float64, policies)}
	for i := range policies {
		g.Micros[i], g.Bytes[i] = math.NaN(), math.NaN()
	}
	return g
}

// Shares returns the shares of the reachable pages at which curves are kept.
func Shares() []float64 {
	return []float64{0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}
}

// Fetchers returns the numbers r of fetchers of the crawls under politeness.
func Fetchers() []int { return []int{1, 64, 256} }

// A Start is where crawls of a graph began, with the average cumulative PageRank that each
// policy had from there; NaN for one that cannot run on the graph.
type Start struct {
	Graph   int
	Name    string
	Pages   int // that can be reached
	Average []float64
}

// A Board holds the results. The first policy is the subject: it is compared with the others.
type Board struct {
	Policies []Policy
	Graphs   []*Graph
	Starts   []*Start
}

// ErrRivals is a board on which the subject can be compared with nothing.
var ErrRivals = errors.New("no published policy ran on all graphs: there is nothing to compare with")

// Check returns an error if the board has no rivals.
func (b *Board) Check() error {
	if len(b.rivals()) == 0 {
		return ErrRivals
	}
	return nil
}

// Subject returns the name of the policy that is compared with the others.
func (b *Board) Subject() string { return b.Policies[0].Name }

func (b *Board) index(name string) int {
	return slices.IndexFunc(b.Policies, func(p Policy) bool { return p.Name == name })
}

// An averageOf returns the average of a policy, or of a choice among policies, from a start.
type averageOf func(*Start) float64

// of returns the averages of policy i.
func of(i int) averageOf { return func(s *Start) float64 { return s.Average[i] } }

// regret returns that of an average from a start; NaN if nothing can be gained there.
func (b *Board) regret(s *Start, average float64) float64 {
	v, ok := measure.Regret(average, s.Average[b.index(random)], s.Average[b.index(horn)], s.Average[b.index(omniscient)])
	if !ok {
		return math.NaN()
	}
	return v
}

// means returns for each graph the mean of a value over its starts, without starts that have
// none; NaN where no start has one.
func (b *Board) means(value func(*Start) float64) []float64 {
	sums, n := make([]float64, len(b.Graphs)), make([]float64, len(b.Graphs))
	for _, s := range b.Starts {
		if v := value(s); !math.IsNaN(v) {
			sums[s.Graph] += v
			n[s.Graph]++
		}
	}
	for g := range sums {
		sums[g] /= n[g] // 0/0 is NaN
	}
	return sums
}

// regrets returns the regret by graph.
func (b *Board) regrets(a averageOf) []float64 {
	return b.means(func(s *Start) float64 { return b.regret(s, a(s)) })
}

// rivals returns the published policies, but for the subject, that ran on all graphs.
func (b *Board) rivals() (list []int) {
	for i, p := range b.Policies {
		if i > 0 && p.Kind == Published && !slices.ContainsFunc(b.means(of(i)), math.IsNaN) {
			list = append(list, i)
		}
	}
	return list
}

// bestOf returns the published policy, but for the subject, with the largest value, of those
// that have one. Of equals it is the first.
func (b *Board) bestOf(value func(i int) float64) (best int, most float64) {
	most = math.Inf(-1)
	for i, p := range b.Policies {
		if v := value(i); i > 0 && p.Kind == Published && v > most {
			best, most = i, v
		}
	}
	return best, most
}

// hindsight returns the best average of a published policy, chosen anew for each start, also
// among those that do not run on all graphs.
func (b *Board) hindsight() averageOf {
	return func(s *Start) float64 {
		_, most := b.bestOf(func(i int) float64 { return s.Average[i] })
		return most
	}
}

// without leaves out graph g of one value for each graph; -1 leaves out none.
func without(values []float64, g int) []float64 {
	if g < 0 {
		return values
	}
	return slices.Delete(slices.Clone(values), g, g+1)
}

// best returns the rival with the smallest mean regret over the graphs without graph g; -1
// leaves out none. Of equals it is the first.
func (b *Board) best(g int) (rival int) {
	least := math.Inf(1)
	for _, i := range b.rivals() {
		if m := mean(without(b.regrets(of(i)), g)); m < least {
			least, rival = m, i
		}
	}
	return rival
}

// leftOut returns for each graph the rival that is best on the others. It needs two graphs.
func (b *Board) leftOut() (rivals []int) {
	for g := range b.Graphs {
		rivals = append(rivals, b.best(g))
	}
	return rivals
}

// chosen returns the averages of the rivals that leftOut chooses.
func (b *Board) chosen() averageOf {
	rivals := b.leftOut()
	return func(s *Start) float64 { return s.Average[rivals[s.Graph]] }
}

// known returns the values that are not NaN.
func known(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

// mean returns the mean of the known values.
func mean(values []float64) float64 { return measure.OverGraphs(known(values)).Mean }

// minus returns the differences of two lists of values by graph.
func minus(a, c []float64) []float64 {
	d := make([]float64, len(a))
	for g := range d {
		d[g] = a[g] - c[g]
	}
	return d
}
