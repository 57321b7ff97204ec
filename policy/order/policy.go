package order

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/topic"
)

// Facts describes pages without their content.
type Facts interface {
	Site(graph.Page) graph.Site
	From(graph.Page) graph.Page // the page that linked to it first; NoPage for a seed
	Depth(graph.Page) int       // links from a seed: along From, or on the shortest known path
}

// A Board is one order of the known pages: a policy sets the values, and the frontier reads
// the order.
type Board = queue.Board

// Env holds all that a policy may know, and the boards for its values. It has no oracle:
// policies that need one are constructed with it (Spec.NewOmniscient), which only the
// laboratory can do.
type Env struct {
	Facts Facts
	// Out returns the links of a fetched page, as Done saw them. They are valid until the
	// next call. Links are kept for policies whose Spec has Links.
	Out func(graph.Page) []graph.Page
	// URL appends the URL of a page to b. It is nil if URLs are not known.
	URL func(b []byte, p graph.Page) []byte
	// SiteName returns the name of a site: scheme, host and port, in lower case.
	SiteName func(graph.Site) string
	// Prior holds the values of an earlier crawl, scaled to a mean of 1. It is nil if
	// there was none.
	Prior *Prior
	// Score is what the policy score orders by; nil means score.Default. Terms are kept in
	// addition to those that it uses, for functions that take its place: see Valuer.
	Score *score.Function
	Terms score.Needs
	// Topic says how frequent the terms of the topic of the crawl are, and how similar texts are
	// to it; policies do not change it. Similarity returns how near a fetched page is, and
	// whether it is about the topic. Both are nil if the crawl has no topic.
	Topic      *topic.Collection
	Similarity func(graph.Page) (near float64, hot bool)
	// Discounted reports whether a page waits with less than its value: see Board.Discount. nil
	// means that none does.
	Discounted func(graph.Page) bool
	// Partitions is the number of partitions of the crawl, 0 if there is one, and Self that of this
	// one, from 0 on.
	Partitions int
	Self       int
	// Foreign reports whether a page is one of another partition of the crawl, which is never
	// handed out here. Owe says that there is something to hand on to such a page, also if no link
	// to it was found: see Exchanger. Both are nil if there is one partition.
	Foreign func(graph.Page) bool
	Owe     func(graph.Page)
	// Boards are the orders that the policy keeps: as many as Spec.Count returns.
	Boards []*Board
	// Random is the seed of all randomness. Random numbers are Hash(Random, ...).
	Random uint64
	// Batch is K, unless a parameter of the policy replaces it.
	Batch int
	// MaxPages and MaxSites are the sizes of columns.
	MaxPages, MaxSites int
}

// Prior holds the values of the pages in an earlier crawl.
type Prior struct {
	Value func(graph.Page) (float64, bool)
	All   []float64 // the whole old vector, in the order of the file
}

// An Oracle answers from the whole graph. Only the laboratory has one.
type Oracle interface {
	Importance(graph.Page) float64 // true importance; PageRank is scaled to a mean of 1
	Place(graph.Page) int          // place in the Horn order, from 0
}

// A Policy orders the known pages: its methods are called for what happens, and it sets the
// values of pages on its boards. It has no clock, no input and no output, and keeps all
// that it knows in its columns.
type Policy interface {
	// Known is called once for each page, in the order of discovery, which is that of
	// the ids. from is the page that linked to it, NoPage for a seed. The page is put
	// into the queues afterwards.
	Known(p, from graph.Page)
	// Done is called at the end of every attempt, also of a failed one, after Known was
	// called for the new pages. The links are distinct and known.
	Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page)
	// Columns calls each for the whole state of the policy apart from its boards.
	Columns(each func(graph.AnyColumn))
}

// Optional interfaces of policies.
type (
	// A Seeder is notified when all pages of a seed event, first to end-1, are known.
	Seeder interface{ Seeded(first, end graph.Page) }
	// A Taker is notified when a page was handed out, with the board that chose it, or that
	// chose its site if the policy orders the sites.
	Taker interface {
		Taken(now time.Duration, p graph.Page, board int)
	}
	// A Dropper is notified when a waiting page will not be handed out, because it is
	// barred or its site is unavailable.
	Dropper interface{ Dropped(p graph.Page) }
	// A Listener is notified of what a sitemap file says about pages that wait, or that become
	// known by it: Known is called for these afterwards.
	Listener interface{ Heard(hints []event.Hint) }
	// An Admitter is notified when a page waits again: one that was dropped is to be
	// fetched after all, or one that was fetched is to be visited again. As with Known, the
	// page is put into the queues afterwards.
	Admitter interface{ Admitted(p graph.Page) }
	// A Revisiter is notified, instead of by Done, of the end of an attempt at a page that
	// was fetched before. links are the present ones. Admitted and Taken were called
	// before, if the policy has them.
	Revisiter interface {
		Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page)
	}
	// A Worker has long work to do now and then, such as solving for PageRank. Work is
	// called before a page is handed out. It may process about that many links, and reports
	// whether more is left. The laboratory lets it finish; the crawler gives it a slice at
	// a time.
	Worker interface{ Work(links int) (more bool) }
	// A Mixer has several boards. Turn returns the one that chooses the next page. It must
	// return the same board until the next page is handed out.
	Mixer interface{ Turn() int }
	// A Sampler needs the links of some fetched pages only. KeepsLinks is called before Done,
	// and reports whether Env.Out is to return the links of p from then on. Sample returns of
	// how many pages those of one are kept; 1 means of all.
	Sampler interface {
		KeepsLinks(p graph.Page) bool
		Sample() int
	}
	// A Loader is notified when its columns were loaded.
	Loader interface{ Loaded() }
	// A Scorer hides values: some pages wait on a board with less than they are worth. Score
	// returns what p is worth on a board. Without it, that is the value on the board.
	Scorer interface {
		Score(p graph.Page, board int) float64
	}
	// A Noter has something to tell the user about the crawl so far, or "".
	Noter interface{ Note() string }
	// An Exchanger hands something on with links to pages of other partitions, beside their number:
	// so many amounts for each page. Give sets those of p, a foreign page, to what was gathered
	// since the last call, and forgets it. Take adds what other partitions have gathered for p, a
	// page of this one, and the links that they have found.
	Exchanger interface {
		Amounts() int
		Give(p graph.Page, amounts []float64)
		Take(p graph.Page, links int, amounts []float64)
	}
	// A Foreteller is an Exchanger that wants to know what others hand on with a page before Known is
	// called for it: it is the next page.
	Foreteller interface{ Foretell(amounts []float64) }
	// A Teacher lets the same policy in other partitions learn from what it knows. Teaches reports
	// whether it has something new for one; Teach appends that to a list, and Learn is called with
	// it there.
	Teacher interface {
		Teaches(part int) bool
		Teach(part int, to []float32) []float32
		Learn(part int, lessons []float32)
	}
	// A Leveler has values that mean something only within a partition. Level returns what p,
	// which waits, is worth on a board, on a scale that all partitions share, with its discount.
	Leveler interface {
		Level(p graph.Page, board int) float64
	}
	// A Sharer is a Mixer whose boards have turns over all partitions together. Shares returns the
	// part of the turns that each of them is to have. The result is valid until the next call.
	Sharer interface{ Shares() []float64 }
	// An Explainer knows what the value of a page is made of. p may be any known page. The
	// most important factor comes first.
	Explainer interface{ Explain(p graph.Page) []Factor }
	// A Valuer knows what pages are worth by a function of the user. UseScore replaces the
	// function; it may use only terms that are kept (Env.Score, Env.Terms). Rerank gives all
	// pages that wait their values by it: in slices of Work, or at once. Scores reports whether
	// there is a function at all: a policy that is made of others may have no such part. Worth
	// returns the score of a page, from 0 to 1, and Appraise explains it; both may be called
	// only then.
	Valuer interface {
		Scores() bool
		UseScore(f *score.Function)
		Rerank(atOnce bool)
		Worth(p graph.Page) float64
		Appraise(p graph.Page) *Appraisal
	}
)

// Needs returns the terms of pages that are kept: those of the function, and others.
func (e *Env) Needs() score.Needs {
	if e.Score == nil {
		return e.Terms.With(score.Default().Needs)
	}
	return e.Terms.With(e.Score.Needs)
}

// OnBoard returns the environment of a member that has one of the boards.
func (e *Env) OnBoard(i int) *Env {
	own := *e
	own.Boards = e.Boards[i : i+1]
	return &own
}

// An Appraisal explains the score of a page.
type Appraisal struct {
	Expression string      `json:"expression"`
	Score      float64     `json:"score"` // from 0 to 1
	Terms      []TermValue `json:"terms"`
}

// A TermValue is what a page has of a term that the expression uses.
type TermValue struct {
	Name     string   `json:"name"`
	Value    *float64 `json:"value"`              // null if it is missing
	Quantile *float64 `json:"quantile,omitempty"` // if the expression uses it
}

// A Factor is one of the numbers that decide the value of a page. It is for people; no order
// depends on it.
type Factor struct {
	Name  string  `json:"name"` // in a few plain words, such as "links in"
	Value float64 `json:"value"`
	// Share is the part that the factor has in the value of the page, below 0 if it lowers
	// the value. The shares of a page add up to 1, or are all 0 if they cannot be stated.
	Share float64 `json:"share"`
	// Of names the part of a mixed policy to which the factor belongs; "" for others.
	Of string `json:"of,omitempty"`
}

// Sole returns the only factor of a value.
func Sole(name string, value float64) []Factor {
	return []Factor{{Name: name, Value: value, Share: 1}}
}

// Adopt adds the columns of a policy to a set. If the policy is a [graph.Part], what it does
// not save counts as memory and is freed with the set, too.
func Adopt(set *graph.Set, p Policy) {
	if part, ok := p.(graph.Part); ok {
		graph.AddTo(set, part)
		return
	}
	p.Columns(func(c graph.AnyColumn) { graph.AddTo(set, c) })
}

// Brought reports whether an attempt ended with a page whose links count.
func Brought(o *event.Outcome) bool { return !o.Again && !o.Class.Failed() }

// Void reports whether an attempt ended because a new session began. The page waits again, and
// a crawl that is killed continues as if the page had not been handed out.
func Void(o *event.Outcome) bool { return o.Again && !o.Class.Failed() }

// Hash mixes a seed and further numbers into one. It is the only source of randomness in
// policies. The rounds are those of splitmix64.
func Hash(seed uint64, n ...uint64) uint64 {
	h := mix(seed)
	for _, v := range n {
		h = mix(h ^ v)
	}
	return h
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
