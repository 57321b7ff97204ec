package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
)

// lookedAt is what the checkpoint under way may know: pages fetched before it began.
type lookedAt struct{ *foresight }

func (w lookedAt) Fetched(p graph.Page) bool {
	o := w.order.At(int(p))
	return o != 0 && uint64(o) <= w.numbers.At(fsLimit)
}
func (w lookedAt) Out(p graph.Page) []graph.Page { return w.e.Out(p) }
func (w lookedAt) Group(p graph.Page) uint32     { return w.group.At(int(p)) }
func (w lookedAt) Up(g uint32) uint32            { return uint32(w.tree.Up(group.ID(g))) }

// Work does a part of a checkpoint when it is time.
func (f *foresight) Work(links int) (more bool) {
	num := f.numbers.Slice()
	switch num[fsStage] {
	case fsIdle:
		if num[fsFetched] < num[fsNext] {
			return false
		}
		num[fsNext] = num[fsFetched] + max(20, num[fsFetched]/20)
		num[fsLimit], num[fsPages], num[fsStage] = num[fsFetched], uint64(f.group.Len()), fsEstimating
		f.est.Begin(f.group.Len(), f.tree.Len())
	case fsEstimating:
		if !f.est.Step(lookedAt{f}, links) {
			f.endEstimate()
		}
	case fsIndexing:
		if !f.index.Step(links, func(p graph.Page) float64 { return float64(f.guess.At(int(p))) }, f.e.Facts.From) {
			f.endIndex()
		}
	case fsFitting:
		if !f.model.Step() {
			f.end()
			return false
		}
	}
	return true
}

// endEstimate takes over the estimates and begins the index.
func (f *foresight) endEstimate() {
	n := int(f.numbers.At(fsPages))
	guess := f.guess.Slice()
	for p := range n {
		guess[p] = float32(f.est.Value(graph.Page(p)))
	}
	f.index.Begin(n)
	f.numbers.Set(fsStage, fsIndexing)
}

// endIndex takes over the labels, and begins a fit if it is time.
func (f *foresight) endIndex() {
	num := f.numbers.Slice()
	f.setLabels()
	f.sumLabels()
	f.credit()
	num[fsStage] = fsFitting
	if num[fsFetched] < num[fsNextFit] || !f.beginFit() {
		f.end()
		num[fsStage] = fsIdle
		return
	}
	num[fsNextFit] = num[fsFetched] + max(50, num[fsFetched]/10)
}

// setLabels sets the labels of the fetched pages, and their mean.
func (f *foresight) setLabels() {
	w, sum, n := lookedAt{f}, 0.0, 0
	for p := range graph.Page(f.numbers.At(fsPages)) {
		if w.Fetched(p) {
			l := log2(f.index.Value(p) + 1e-6)
			f.label.Set(int(p), float32(l))
			sum += l
			n++
		}
	}
	f.numbers.Set(fsMean, math.Float64bits(sum/float64(max(1, n))))
}

// mean returns the mean label.
func (f *foresight) mean() float64 { return math.Float64frombits(f.numbers.At(fsMean)) }

// sumLabels sums the labels by group, by look and by the page on which pages were found.
func (f *foresight) sumLabels() {
	f.clearSums()
	w, mean := lookedAt{f}, f.mean()
	for p := range graph.Page(f.numbers.At(fsPages)) {
		if !w.Fetched(p) {
			continue
		}
		l, fresh := float64(f.label.At(int(p)))-mean, log2(1+float64(f.found.At(int(p))))
		g := group.ID(f.group.At(int(p)))
		for ; ; g = f.tree.Up(g) {
			f.groupSum.Slice()[g] += l
			f.groupNew.Slice()[g] += fresh
			f.groupN.Slice()[g]++
			if g == 0 {
				break
			}
		}
		f.lookSum.Slice()[f.look.At(int(p))] += l
		f.lookN.Slice()[f.look.At(int(p))]++
		if up := f.e.Facts.From(p); up != graph.NoPage {
			f.sibSum.Slice()[up] += float32(l)
			f.sibN.Slice()[up]++
		}
	}
}

func (f *foresight) clearSums() {
	n := f.tree.Len()
	f.groupSum.Grow(n)
	f.groupNew.Grow(n)
	f.groupN.Grow(n)
	for _, c := range []*graph.Column[float64]{f.groupSum, f.groupNew, f.lookSum} {
		clear(c.Slice())
	}
	for _, c := range []*graph.Column[uint32]{f.groupN, f.lookN, f.sibN} {
		clear(c.Slice())
	}
	clear(f.sibSum.Slice())
}

// beginFit gives the oldest nine tenths of the samples to the model. It reports whether they
// are enough.
func (f *foresight) beginFit() bool {
	w, pages, x := lookedAt{f}, f.samplePage.Slice(), f.sampleX.Slice()
	n := len(pages) * 9 / 10
	step, mean := max(1, (n+samples-1)/samples), f.mean()
	var used []int
	for i := 0; i < n; i += step {
		if w.Fetched(graph.Page(pages[i])) {
			used = append(used, i)
		}
	}
	if len(used) < leastSample {
		return false
	}
	for _, i := range used {
		l := float64(f.label.At(int(pages[i]))) - mean
		f.model.Add(x[i*features:(i+1)*features], math.Exp2(min(l, 6)/4))
	}
	f.model.Begin()
	return true
}

// credit sets the weights of the boards by the mean label of the pages that they chose lately,
// the newest tenth left out.
func (f *foresight) credit() {
	const floor, eta = .1, 2
	var sum, n [2]float64
	last := max(60, f.taken.Len()/4)
	list := f.taken.Slice()[max(0, f.taken.Len()-last):]
	w := lookedAt{f}
	for _, t := range list[:len(list)*9/10] {
		if p := graph.Page(t &^ (1 << 31)); w.Fetched(p) {
			sum[t>>31] += float64(f.label.At(int(p)))
			n[t>>31]++
		}
	}
	if n[0] < 5 || n[1] < 5 {
		return
	}
	a := 1 / (1 + math.Exp(eta*(sum[1]/n[1]-sum[0]/n[0])))
	f.weights.Set(0, floor+(1-2*floor)*a)
	f.weights.Set(1, floor+(1-2*floor)*(1-a))
}

// end ends a checkpoint: all waiting pages get new values.
func (f *foresight) end() {
	f.numbers.Set(fsStage, fsIdle)
	f.board.Rescore(f.score)
}

// score returns the value of a page: what the model predicts, and before the first fit the
// estimate of its PageRank.
func (f *foresight) score(p graph.Page) float64 {
	if f.model.Fits() == 0 {
		return float64(f.guess.At(int(p)))
	}
	return f.model.Predict(f.features(p))
}

// features returns what is known of a page that waits. The result is valid until the next
// call.
func (f *foresight) features(p graph.Page) []float32 {
	i, x := int(p), &f.x
	g := group.ID(f.group.At(i))
	links := float64(f.links.At(i))
	x[featEst] = lg(float64(f.guess.At(i)) + 1e-6)
	x[featLinks] = lg(links + 1)
	x[featExplore] = lg(f.xim.value(p))
	x[featDirs] = float32(f.shape.At(i) &^ indexPage)
	x[featIndex] = float32(f.shape.At(i) / indexPage)
	x[featOwnDir] = float32(float64(f.ownDir.At(i)) / (links + 1))
	x[featSiteRate] = lg((links + .1) / (float64(f.tree.Taken(f.tree.Site(g))) + .5))
	x[featKnown] = lg(1 + float64(f.tree.Known(g)))
	x[featTaken] = lg(1 + float64(f.tree.Taken(g)))
	x[featGroup], x[featGroupNew] = f.groupMeans(g)
	k := f.look.At(i)
	x[featLook] = float32(f.lookSum.At(int(k)) / (float64(f.lookN.At(int(k))) + 3))
	x[featParentOut], x[featSiblings] = -1, 0
	if up := f.e.Facts.From(p); up != graph.NoPage {
		x[featParentOut] = lg(float64(f.out.At(int(up))) + 1)
		x[featSiblings] = float32(float64(f.sibSum.At(int(up))) / (float64(f.sibN.At(int(up))) + 3))
	}
	return x[:]
}

// groupMeans returns the means of labels and of finds of a group, drawn towards those of the
// groups above it.
func (f *foresight) groupMeans(g group.ID) (label, finds float32) {
	var way [16]group.ID
	n := 0
	for ; n < len(way)-1 && g != 0; g = f.tree.Up(g) {
		way[n] = g
		n++
	}
	way[n] = 0
	a, b := 0.0, 0.0
	for ; n >= 0; n-- {
		if c := int(way[n]); c < f.groupN.Len() && f.groupN.At(c) > 0 {
			k := float64(f.groupN.At(c)) + 3
			a, b = (f.groupSum.At(c)+3*a)/k, (f.groupNew.At(c)+3*b)/k
		}
	}
	return float32(a), float32(b)
}

func lg(x float64) float32 { return float32(log2(x)) }
