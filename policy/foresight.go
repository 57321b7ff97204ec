package policy

import (
	"bytes"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/boost"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/hindsight"
)

// Foresight is winnow's own: it learns in the crawl what pages are worth.
//
//	value(p) = what the model predicts from what is known of p before it is fetched
//
// At checkpoints it looks back at the fetched pages. The label of a page is the index of Horn
// and Sidney along the tree of discovery: what fetching it, and the best of what follows, has
// brought for each fetch, in estimated PageRank. From what was known of these pages when they
// were handed out, boosted trees learn to predict the label. XIM explores beside it, and both
// have turns by the labels of the pages that they chose.
//
// It knows the links of fetched pages, and URLs if there are any. Cost per link: a prediction;
// at each checkpoint, which come when the fetched pages have grown by a twentieth: some sweeps
// over all known links.
//
// Where it fails: at the start of a crawl, before it has learned anything.

func foresightSpec() *Spec {
	return &Spec{
		Name:   "foresight",
		What:   "what pages of this kind have turned out to be worth in this crawl",
		Boards: 2,
		Links:  true,
		New:    newForesight,
	}
}

// The features of a page, by their index.
const (
	featEst = iota // estimated PageRank
	featLinks
	featExplore // the value of XIM
	featDirs
	featIndex
	featOwnDir   // share of links from its own directory
	featSiteRate // links to it for each fetched page of the site
	featParentOut
	featKnown
	featTaken
	featGroup    // mean label of its group
	featGroupNew // mean number of new pages found on pages of its group
	featLook     // mean label of files that look alike
	featSiblings // mean label of the pages found on the same page
	features
)

const (
	samples     = 6000 // examples of a fit
	leastSample = 100
	looks       = 1 << 16 // classes of files, by hash
)

type foresight struct {
	graph.Set
	e     *Env
	board *Board
	xim   *xim
	tree  *group.Tree
	est   *hindsight.Estimate
	index *hindsight.Index
	model *boost.Learner
	path  group.Path
	url   []byte
	x     [features]float32

	// By page.
	group  *graph.Column[uint32]
	look   *graph.Column[uint16]
	shape  *graph.Column[uint8] // directories of its path; indexPage is added for an index
	guess  *graph.Column[float32]
	links  *graph.Column[uint32] // links to it
	ownDir *graph.Column[uint32] // of these, from its own directory
	out    *graph.Column[uint32] // links of it
	found  *graph.Column[uint32] // pages first found on it
	order  *graph.Column[uint32] // place among the fetched pages, from 1; 0: it is not
	label  *graph.Column[float32]
	sibSum *graph.Column[float32] // of labels of the pages first found on it
	sibN   *graph.Column[uint32]

	// By group and by look: sums of labels and of new pages, and numbers of pages.
	groupSum, groupNew, lookSum *graph.Column[float64]
	groupN, lookN               *graph.Column[uint32]

	// The pages handed out, thinned for samples: page and features. taken has all, with the
	// board in the highest bit.
	samplePage, taken *graph.Column[uint32]
	sampleX           *graph.Column[float32]

	numbers *graph.Column[uint64]
	weights *graph.Column[float64] // by board: weight, then what is due to it
}

// indexPage marks in foresight.shape a page that stands for its directory.
const indexPage = 128

// The indexes of foresight.numbers.
const (
	fsFetched = iota // fetched pages
	fsNext           // fetched pages at the next checkpoint
	fsNextFit        // and at the next fit
	fsStage          // of the checkpoint under way, see the constants below
	fsLimit          // fetched pages that it looks at
	fsPages          // known pages that it looks at
	fsStride         // one of so many pages handed out is a sample
	fsStrode         // pages handed out since the last sample
	fsMean           // mean label, bits of a float64
	foresightNumbers
)

// The stages of a checkpoint.
const (
	fsIdle = iota
	fsEstimating
	fsIndexing
	fsFitting
)

func newForesight(e *Env, _ Params) (Policy, error) {
	own := *e
	own.Boards = e.Boards[1:2]
	x, err := newXim(&own, nil)
	if err != nil {
		return nil, err
	}
	n := e.MaxPages
	f := &foresight{
		e: e, board: e.Boards[0], xim: x.(*xim), tree: group.New(2*n + 1),
		est: hindsight.NewEstimate(n, 2*n+1), index: hindsight.NewIndex(n),
		model: boost.New(boost.Options{Features: features, Examples: samples, Trees: 30, Depth: 3, Rate: .15, Leaf: 20}),
	}
	graph.AddTo(&f.Set, f.xim, f.tree, f.est, f.index, f.model)
	f.makeColumns(n)
	f.numbers.Slice()[fsNext] = 20
	f.numbers.Slice()[fsStride] = 1
	for i := range 2 {
		f.weights.Set(i, .5)
	}
	return f, nil
}

func (f *foresight) makeColumns(n int) {
	s := &f.Set
	f.group = graph.NewColumnIn[uint32](s, "foresight groups", n)
	f.look = graph.NewColumnIn[uint16](s, "foresight looks", n)
	f.shape = graph.NewColumnIn[uint8](s, "foresight shapes", n)
	f.guess = graph.NewColumnIn[float32](s, "foresight guesses", n)
	f.label = graph.NewColumnIn[float32](s, "foresight labels", n)
	f.sibSum = graph.NewColumnIn[float32](s, "foresight siblings", n)
	for _, c := range []struct {
		to   **graph.Column[uint32]
		name string
	}{{&f.links, "links"}, {&f.ownDir, "own links"}, {&f.out, "out"}, {&f.found, "found"}, {&f.order, "order"}, {&f.sibN, "sibling counts"}, {&f.taken, "taken"}} {
		*c.to = graph.NewColumnIn[uint32](s, "foresight "+c.name, n)
	}
	f.groupSum = graph.NewColumnIn[float64](s, "foresight group labels", 2*n+1)
	f.groupNew = graph.NewColumnIn[float64](s, "foresight group finds", 2*n+1)
	f.groupN = graph.NewColumnIn[uint32](s, "foresight group counts", 2*n+1)
	f.lookSum = graph.NewColumnIn[float64](s, "foresight look labels", looks)
	f.lookN = graph.NewColumnIn[uint32](s, "foresight look counts", looks)
	f.samplePage = graph.NewColumnIn[uint32](s, "foresight sample pages", 2*samples)
	f.sampleX = graph.NewColumnIn[float32](s, "foresight samples", 2*samples*features)
	f.numbers = graph.NewColumnIn[uint64](s, "foresight numbers", foresightNumbers)
	f.weights = graph.NewColumnIn[float64](s, "foresight weights", 4)
	f.lookSum.Grow(looks)
	f.lookN.Grow(looks)
	f.numbers.Grow(foresightNumbers)
	f.weights.Grow(4)
}

// Loaded prepares XIM.
func (f *foresight) Loaded() { f.xim.Loaded() }

func (f *foresight) Known(p, from graph.Page) {
	f.xim.Known(p, from)
	f.path.Parse(f.behindSite(p))
	shape := uint8(min(f.path.Dirs, indexPage-1))
	if f.path.Index {
		shape |= indexPage
	}
	f.group.Append(uint32(f.tree.Add(f.e.Facts.Site(p), &f.path)))
	f.look.Append(uint16(f.path.Look))
	f.shape.Append(shape)
	f.guess.Append(1 - follow)
	f.label.Append(0)
	f.sibSum.Append(0)
	for _, c := range []*graph.Column[uint32]{f.links, f.ownDir, f.out, f.found, f.order, f.sibN} {
		c.Append(0)
	}
	if from != graph.NoPage {
		f.found.Slice()[from]++
	}
	f.board.Set(p, f.score(p))
}

// behindSite returns the path and query of the URL of a page, / if URLs are not known.
func (f *foresight) behindSite(p graph.Page) []byte {
	f.url = append(f.url[:0], '/')
	if f.e.URL == nil {
		return f.url
	}
	f.url = f.e.URL(f.url[:0], p)
	if i := bytes.Index(f.url, []byte("://")); i >= 0 {
		if k := bytes.IndexByte(f.url[i+3:], '/'); k >= 0 {
			return f.url[i+3+k:]
		}
	}
	return f.url[len(f.url):]
}

func (f *foresight) Taken(now time.Duration, p graph.Page, board int) {
	f.xim.Taken(now, p, board)
	w := f.weights.Slice()
	for i := range 2 {
		w[2+i] += w[i]
	}
	w[2+board]--
	if f.order.At(int(p)) != 0 || f.taken.Len() >= f.e.MaxPages {
		return // a second visit
	}
	f.sample(p)
	f.tree.Take(group.ID(f.group.At(int(p))))
	f.taken.Append(uint32(p) | uint32(board)<<31)
}

// sample keeps what is known of a page that is handed out. When there are too many samples,
// every second one is dropped.
func (f *foresight) sample(p graph.Page) {
	num := f.numbers.Slice()
	if num[fsStrode]++; num[fsStrode] < num[fsStride] || f.model.Busy() {
		return
	}
	num[fsStrode] = 0
	f.samplePage.Append(uint32(p))
	for _, v := range f.features(p) {
		f.sampleX.Append(v)
	}
	if f.samplePage.Len() < 2*samples {
		return
	}
	num[fsStride] *= 2
	pages, x := f.samplePage.Slice(), f.sampleX.Slice()
	for i := range samples {
		pages[i] = pages[2*i]
		copy(x[i*features:(i+1)*features], x[2*i*features:])
	}
	f.samplePage.Truncate(samples)
	f.sampleX.Truncate(samples * features)
}

// Turn returns the board to which most is due.
func (f *foresight) Turn() int {
	w := f.weights.Slice()
	if w[3]+w[1] > w[2]+w[0] {
		return 1
	}
	return 0
}

func (f *foresight) Dropped(p graph.Page)  { f.xim.Dropped(p) }
func (f *foresight) Admitted(p graph.Page) { f.xim.Admitted(p) }

func (f *foresight) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	f.xim.Done(now, p, o, links)
	if o.Again || f.order.At(int(p)) != 0 {
		return
	}
	num := f.numbers.Slice()
	num[fsFetched]++
	f.order.Set(int(p), uint32(num[fsFetched]))
	if !brought(o) || len(links) == 0 {
		return
	}
	f.out.Set(int(p), uint32(len(links)))
	part := float64(follow*float64(f.guess.At(int(p)))) / float64(len(links))
	dir := f.tree.Dir(group.ID(f.group.At(int(p))))
	for _, q := range links {
		f.linked(q, part, dir, uint64(q) < num[fsPages])
	}
}

// linked takes in a link to q from a page of a directory.
func (f *foresight) linked(q graph.Page, part float64, dir group.ID, settled bool) {
	f.links.Slice()[q]++
	if f.tree.Dir(group.ID(f.group.At(int(q)))) == dir {
		f.ownDir.Slice()[q]++
	}
	if settled {
		part /= 2 // most of it is in the last estimate
	}
	f.guess.Slice()[q] += float32(part)
	if f.board.Waits(q) {
		f.board.Set(q, f.score(q))
	}
}
