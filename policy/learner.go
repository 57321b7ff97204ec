package policy

import (
	"bytes"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/boost"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/hindsight"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/queue"
)

// learner is the learned order of foresight.
type learner struct {
	graph.Set
	e         *Env
	board     *Board
	xim       *xim
	most      int // links that are kept in any case
	tree      *group.Tree
	est       *hindsight.Estimate
	index     *hindsight.Index
	model     *boost.Learner
	memo      memory
	rescoring queue.Rescoring
	path      group.Path          // reused
	url       []byte              // reused
	next      []graph.Page        // reused
	x         [boost.Room]float32 // reused
	roots     [rootSteps]float64  // 2^(i/rootSteps)
	middle    middle              // of the labels as they are; no state
	scale     labelScale

	// By page.
	group  *graph.Column[uint32]
	look   *graph.Column[uint16] // number of what kind of file it is, see lookOf
	state  *graph.Column[uint16] // see dirBits
	links  *graph.Column[uint16] // links to it
	ownDir *graph.Column[uint16] // of these, from its own directory
	out    *graph.Column[uint16] // links of it
	found  *graph.Column[uint16] // pages first found on it
	label  *graph.Column[uint16] // see labelOf; 0: it has none
	sibSum *graph.Column[int32]  // labels of the pages first found on it, in steps
	sibN   *graph.Column[uint32] // and their number
	above  *graph.Column[uint8]  // event.Hint.Above as bits; it ends with the last page that has one

	// By group: sums of labels in steps and of new pages found, and number of labels.
	dirs       *graph.Column[uint32] // 1 + its directory of XIM, 0 if it is none
	groupSum   *graph.Column[int64]
	groupFinds *graph.Column[float32]
	groupN     *graph.Column[uint32]
	groupDull  *graph.Column[uint32] // pages that brought nothing new
	lookSum    *graph.Column[int64]  // by look, as by group
	lookN      *graph.Column[uint32]
	lookNumber *graph.Column[uint16] // by hash of a look: see lookOf
	late       *graph.Column[uint32] // pages fetched since the checkpoint under way began
	trade      trade
	numbers    *graph.Column[uint64] // see learnFetched
}

// The bits of learner.state.
const (
	dirBits   = 7 // directories of its path, 7 at most
	indexBit  = 8 << (iota - 1)
	pickedBit // it was handed out
	unkeptBit // its links are not kept
	gotBit    // it was fetched, or failed
	lateBit   // and that after the checkpoint under way began
	lostBit   // it failed
	dullBit   // it brought nothing new
	farBit    // it is one of another partition
)

// The indexes of learner.numbers.
const (
	learnFetched = iota // fetched and failed pages
	learnNext           // the clock at the next checkpoint
	learnNextFit        // and at the next fit
	learnStage          // of the checkpoint under way, see the constants below
	learnAt             // page or group at which the stage continues
	learnPages          // known pages that it looks at
	learnGroups         // groups that it looks at
	learnCredit         // 1 if credits are new
	learnDirs           // directories of XIM
	learnEvery          // links of one fetched page of how many are kept
	learnKept           // links that are kept
	learnMost           // number of them at which fewer are
	learnMeaned         // groups of which means are known
	learnBegan          // the clock when the last checkpoint began
	learnNews           // see noteNews, bits of a float64
	learnRefit          // 1 if the model is new to the waiting pages
	learnRound          // checkpoints that have begun
	learnLinks          // links of fetched pages
	learnSpent          // work, see spend
	learnFitPaid        // what was earned at the last fit, bits of a float64
	learnNumbers
)

// looks is the number of kinds of files.
const looks = 1 << 16

// newLearner returns a learner for the first of the boards of foresight that keeps all links
// up to a number of them, and beyond it those of a sample.
func newLearner(e *Env, x *xim, boards, most int) *learner {
	n := e.MaxPages
	groups := n/5 + leastGroups
	l := &learner{
		e: e, board: e.Boards[0], xim: x, most: most, tree: group.New(groups, e.MaxSites),
		est: hindsight.NewEstimate(n, groups), middle: middle{root: 1},
		model: boost.New(boost.Options{Features: features, Examples: fitted, Trees: 24, Depth: 2, Rate: .25, Leaf: 10}),
	}
	l.index = hindsight.NewIndex(l.est)
	graph.AddTo(&l.Set, l.tree, l.est, l.index, l.model)
	l.memo = newMemory(&l.Set, boards)
	l.rescoring = queue.NewRescoring(&l.Set, "foresight", linkCost, scoreCost)
	l.makeColumns(n, groups)
	l.trade = newTrade(&l.Set, e, groups)
	for i := range l.roots {
		l.roots[i] = order.Exp2(float64(i) / rootSteps)
	}
	l.scale.fill()
	l.numbers.Set(learnNext, firstPages)
	l.numbers.Set(learnEvery, 1)
	l.numbers.Set(learnMost, uint64(most))
	return l
}

// leastGroups is the number of groups for which there is room in any case.
const leastGroups = 20_000

func (l *learner) makeColumns(n, groups int) {
	s := &l.Set
	l.group = graph.NewColumnIn[uint32](s, "foresight groups", n)
	l.look = graph.NewColumnIn[uint16](s, "foresight looks", n)
	l.state = graph.NewColumnIn[uint16](s, "foresight states", n)
	l.links = graph.NewColumnIn[uint16](s, "foresight links", n)
	l.ownDir = graph.NewColumnIn[uint16](s, "foresight own links", n)
	l.out = graph.NewColumnIn[uint16](s, "foresight out", n)
	l.found = graph.NewColumnIn[uint16](s, "foresight found", n)
	l.label = graph.NewColumnIn[uint16](s, "foresight labels", n)
	l.sibSum = graph.NewColumnIn[int32](s, "foresight siblings", n)
	l.sibN = graph.NewColumnIn[uint32](s, "foresight sibling counts", n)
	l.above = graph.NewColumnIn[uint8](s, "foresight priorities", n)
	l.dirs = graph.NewColumnIn[uint32](s, "foresight directories", groups)
	l.groupSum = graph.NewColumnIn[int64](s, "foresight group sums", groups)
	l.groupFinds = graph.NewColumnIn[float32](s, "foresight group finds", groups)
	l.groupN = graph.NewColumnIn[uint32](s, "foresight group counts", groups)
	l.groupDull = graph.NewColumnIn[uint32](s, "foresight dull pages", groups)
	l.lookSum = graph.NewColumnIn[int64](s, "foresight look sums", looks)
	l.lookN = graph.NewColumnIn[uint32](s, "foresight look counts", looks)
	l.lookNumber = graph.NewColumnIn[uint16](s, "foresight look numbers", looks)
	l.late = graph.NewColumnIn[uint32](s, "foresight late", n)
	l.numbers = graph.NewColumnIn[uint64](s, "foresight numbers", learnNumbers)
	l.lookSum.Grow(1)
	l.lookN.Grow(1)
	l.lookNumber.Grow(looks)
	l.numbers.Grow(learnNumbers)
}

func (l *learner) Known(p, from graph.Page) {
	g, state := l.place(p, from)
	l.est.Known()
	l.index.Known()
	l.group.Append(uint32(g))
	l.look.Append(l.lookOf(l.path.Look))
	l.state.Append(state)
	for _, c := range []*graph.Column[uint16]{l.links, l.ownDir, l.out, l.found, l.label} {
		c.Append(0)
	}
	l.trade.known()
	l.sibSum.Append(0)
	l.sibN.Append(0)
	if l.dirs.Len() < l.tree.Len() {
		l.growGroups(l.tree.Len())
	}
	if from != graph.NoPage {
		count(l.found, from)
	}
}

// lookOf returns the number of a look by its hash, in the order in which they became known. So their
// sums are close together. When there are too many, the others are number 0.
func (l *learner) lookOf(hash uint64) uint16 {
	n := &l.lookNumber.Slice()[uint16(hash)]
	if *n == 0 && l.lookSum.Len() < looks {
		*n = uint16(l.lookSum.Len())
		l.lookSum.Append(0)
		l.lookN.Append(0)
	}
	return *n
}

// growGroups makes room for groups. It is done at once and not at the next checkpoint, which would
// need much memory in one turn.
func (l *learner) growGroups(n int) {
	l.dirs.Grow(n)
	l.groupSum.Grow(n)
	l.groupFinds.Grow(n)
	l.groupN.Grow(n)
	l.groupDull.Grow(n)
	if l.trade.means != nil {
		l.trade.means.Grow(n)
	}
	l.est.Groups(n)
}

// dir returns the directory of XIM to which a new page belongs: the next one if it is new.
func (l *learner) dir(p graph.Page) int {
	g := int(l.tree.Near(group.ID(l.group.At(int(p)))))
	if l.dirs.At(g) == 0 {
		l.numbers.Slice()[learnDirs]++
		l.dirs.Set(g, uint32(l.numbers.At(learnDirs)))
	}
	return int(l.dirs.At(g)) - 1
}

// enter gives a value to a page that no page linked to. To others the link gives one.
func (l *learner) enter(p, from graph.Page) {
	if from == graph.NoPage {
		l.board.Set(p, l.score(p))
	}
}

// place returns the group of a new page and the state that its URL gives.
func (l *learner) place(p, from graph.Page) (g group.ID, state uint16) {
	home, away := 0, false
	if l.trade.foreign != nil {
		home, away = l.trade.homes.next()
	}
	if l.e.URL == nil {
		if away {
			return l.placeAway(home), 0
		}
		nth := 0
		if from != graph.NoPage {
			g, nth = group.ID(l.group.At(int(from))), int(l.found.At(int(from)))
		}
		return l.tree.AddFound(g, from, nth), 0
	}
	l.path.Parse(l.behindSite(p))
	state = uint16(min(l.path.Dirs, dirBits))
	if l.path.Index {
		state |= indexBit
	}
	return l.tree.Add(l.e.Facts.Site(p), &l.path), state
}

// behindSite returns the path and query of the URL of a page.
func (l *learner) behindSite(p graph.Page) []byte {
	l.url = l.e.URL(l.url[:0], p)
	if i := bytes.Index(l.url, []byte("://")); i >= 0 {
		if k := bytes.IndexByte(l.url[i+3:], '/'); k >= 0 {
			return l.url[i+3+k:]
		}
	}
	return l.url[len(l.url):]
}

// count adds 1 to a number of a page, up to the most that fits.
func count(c *graph.Column[uint16], p graph.Page) uint16 {
	at := &c.Slice()[p]
	*at = max(*at, *at+1)
	return *at
}

// Taken keeps what is known of p now, at its first hand-out.
func (l *learner) Taken(_ time.Duration, p graph.Page, board int) {
	state := &l.state.Slice()[p]
	if *state&pickedBit != 0 {
		return
	}
	*state |= pickedBit
	if l.memo.wants() {
		l.memo.keep(p, board, l.features(p)[:features])
	}
	l.tree.Take(group.ID(l.group.At(int(p))))
}

func (l *learner) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	state := &l.state.Slice()[p]
	if o.Again || *state&(gotBit|lostBit) == gotBit {
		return
	}
	l.got(p, state)
	*state &^= lostBit
	if o.Dull {
		l.noteDull(p)
	}
	l.sample(p, state, len(links))
	l.numbers.Slice()[learnLinks] += uint64(len(links))
	if order.Brought(o) {
		l.follow(p, links)
	} else {
		*state |= lostBit
	}
	if l.model.Fits() > 0 && l.small() {
		l.rescoreNext(l.e.Facts.Site(p))
	}
}

// follow takes in the links of p.
func (l *learner) follow(p graph.Page, links []graph.Page) {
	if len(links) == 0 {
		return
	}
	l.out.Set(int(p), uint16(min(len(links), 1<<16-1)))
	part := float64(follow*l.est.Value(p)) / float64(len(links))
	dir := l.tree.Dir(group.ID(l.group.At(int(p))))
	for _, q := range links {
		l.linked(q, part, dir)
	}
}

// KeepsLinks reports whether p is one of the pages whose links are kept.
func (l *learner) KeepsLinks(p graph.Page) bool {
	return order.Hash(l.e.Random, uint64(p))%l.numbers.At(learnEvery) == 0
}

// sample counts the links of p if they are kept. When there are too many, one page less of two
// is kept from then on, until there are a quarter more.
func (l *learner) sample(p graph.Page, state *uint16, links int) {
	num := l.numbers.Slice()
	if *state &^= unkeptBit; !l.KeepsLinks(p) {
		*state |= unkeptBit
		return
	}
	if num[learnKept] += uint64(links); num[learnKept] > num[learnMost] {
		num[learnEvery] *= 2
		num[learnMost] += uint64(l.most / 4)
	}
}

// got counts a page that was fetched or failed, once.
func (l *learner) got(p graph.Page, state *uint16) {
	if *state&gotBit != 0 {
		return
	}
	*state |= gotBit
	l.numbers.Slice()[learnFetched]++
	if l.numbers.At(learnStage) != learnIdle {
		*state |= lateBit
		l.late.Append(uint32(p))
	}
}

// linked takes in a link to q from a page of a directory.
func (l *learner) linked(q graph.Page, part float64, dir group.ID) {
	n := count(l.links, q)
	if l.tree.Dir(group.ID(l.group.At(int(q)))) == dir {
		count(l.ownDir, q)
	}
	if uint64(q) < l.numbers.At(learnPages) {
		part /= 2 // most of it is in the last estimate
	}
	l.est.Add(q, part)
	if n&(n-1) == 0 && l.board.Waits(q) {
		l.board.Set(q, l.score(q))
	}
}
