package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Facts is what is known of a page without looking at its content.
type Facts interface {
	Site(graph.Page) graph.Site
	From(graph.Page) graph.Page // the page that linked to it first; NoPage for a seed
	Depth(graph.Page) int       // links from a seed: along From, or the fewest that are known
}

// Env is all that a policy may know, and where it puts its values. There is no oracle
// in it: policies that need one are constructed with it (Spec.NewOmniscient), and only
// the laboratory can do so (O1, P13).
type Env struct {
	Facts Facts
	// Out is the links of a page that has come, as Came saw them; valid until the next
	// call. It is kept for policies whose Spec says Links.
	Out func(graph.Page) []graph.Page
	// URL appends the URL of a page to b. Nil where URLs are not known.
	URL func(b []byte, p graph.Page) []byte
	// SiteName is the name of a site: scheme, host and port, lower-case.
	SiteName func(graph.Site) string
	// Prior is the value of a page in an earlier crawl, on the mean-1 scale. Nil where
	// there was none.
	Prior *Prior
	// Boards are the orders that the policy keeps: as many as its Spec says.
	Boards []*Board
	// Random is the seed of all randomness: numbers are Hash(Random, ...), there is no
	// generator with a state.
	Random uint64
	// Batch is K where the policy's own parameter does not say otherwise.
	Batch int
	// MaxPages and MaxSites are what columns must have room for.
	MaxPages, MaxSites int
}

// Prior is what an earlier crawl knew.
type Prior struct {
	Value func(graph.Page) (float64, bool)
	All   []float64 // the whole old vector, in the order of the file
}

// An Oracle knows the whole graph. The laboratory alone owns one.
type Oracle interface {
	Importance(graph.Page) float64 // true importance, on the mean-1 scale for PageRank
	Place(graph.Page) int          // place in the Horn order, from 0
}

// A Policy orders the known pages: it says what each is worth by setting values on
// its boards, and is told what happens. It has no clock, no input and no output, and
// everything it knows lies in its columns.
type Policy interface {
	// Known is called once for each page, in the order of discovery, which is that of
	// the ids. from is the page that linked to it, NoPage for a seed. The page is put
	// into the queues afterwards.
	Known(p, from graph.Page)
	// Came is called at every end of an attempt, failures too, after Known was called
	// for the pages that it brought. The links are distinct and known.
	Came(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page)
	// Columns is the whole state of the policy apart from its boards.
	Columns(each func(graph.AnyColumn))
}

// The following are optional.
type (
	// A Seeder is told when all pages of a seed event, first to end-1, are known.
	Seeder interface{ Seeded(first, end graph.Page) }
	// A Taker is told that a page was handed out.
	Taker interface {
		Taken(now time.Duration, p graph.Page, board int)
	}
	// A Dropper is told that a waiting page will never be handed out, because a rule of
	// its site forbids it or the site cannot be reached.
	Dropper interface{ Dropped(p graph.Page) }
	// An Admitter is told that a page waits again of which it was told that it is gone:
	// one that was dropped is to be fetched after all, or one that came is to be
	// visited again. As with Known, the page is put into the queues afterwards.
	Admitter interface{ Admitted(p graph.Page) }
	// A Revisiter is told of the end of an attempt at a page that came before, for which
	// Came is not called again. Its links are those that it has now. The page was
	// Admitted before, if the policy is an Admitter, and Taken.
	Revisiter interface {
		Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page)
	}
	// A Worker has long work to do now and then, such as solving for PageRank. Work is
	// called before a page is handed out and does about so many links' worth of it;
	// the laboratory lets it finish, the crawler gives it a slice at a time.
	Worker interface{ Work(links int) (more bool) }
	// A Loader is told that its columns were loaded.
	Loader interface{ Loaded() }
)

// brought reports whether an attempt is over and fetched a page, whose links count.
func brought(o *event.Outcome) bool { return !o.Again && !o.Class.Failed() }

// Hash mixes a seed and further numbers into one: all randomness of policies. The
// rounds are those of splitmix64.
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
