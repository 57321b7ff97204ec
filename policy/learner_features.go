package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/boost"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/queue"
)

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
	featPriority // by its sitemap, see aboveMean
	features
)

// score returns the value of a page, lowered if pages like it brought nothing new.
func (l *learner) score(p graph.Page) float64 {
	if l.likeDull(p) {
		return queue.Lower(l.predict(p))
	}
	return l.predict(p)
}

// rescore returns the value of a page that has one already.
func (l *learner) rescore(p graph.Page) float64 {
	l.spend(scoreWork)
	return l.score(p)
}

// predict returns what the model predicts for a page, drawn towards what the estimate of its
// PageRank says where news are few. Before the first fit it is the estimate.
func (l *learner) predict(p graph.Page) float64 {
	if l.model.Fits() == 0 {
		return l.est.Value(p)
	}
	share := l.modelShare()
	return float64(share*l.model.Predict(l.features(p))) + float64((1-share)*l.ownWorth(p))
}

// ownWorth returns the target of a page that leads to nothing, by the estimate.
func (l *learner) ownWorth(p graph.Page) float64 {
	l.mean()
	return min(math.Sqrt(math.Sqrt(l.est.Value(p)))*l.middle.root, largestTarget)
}

// features returns what is known of a page that waits. The result is valid until the next
// call.
func (l *learner) features(p graph.Page) *[boost.Room]float32 {
	i, x, mean := int(p), &l.x, l.mean()
	g := group.ID(l.group.At(i))
	links := float64(l.links.At(i))
	x[featEst] = float32(l.est.Value(p))
	x[featLinks] = float32(links)
	x[featExplore] = float32(l.xim.value(p))
	x[featDirs] = float32(l.state.At(i) & dirBits)
	x[featIndex] = float32(l.state.At(i) & indexBit)
	x[featOwnDir] = float32(float64(l.ownDir.At(i)) / (links + 1))
	x[featSiteRate] = float32((links + .1) / (float64(l.tree.Taken(l.tree.Site(g))) + .5))
	x[featKnown] = float32(l.tree.Known(g))
	x[featTaken] = float32(l.tree.Taken(g))
	x[featGroup], x[featGroupNew] = l.groupMeans(g)
	k := int(l.look.At(i))
	x[featLook] = meanOf(l.lookSum.At(k), l.lookN.At(k), mean)
	x[featParentOut], x[featSiblings] = -.5, 0
	if up := l.e.Facts.From(p); up != graph.NoPage {
		x[featParentOut] = float32(l.out.At(int(up)))
		x[featSiblings] = meanOf(int64(l.sibSum.At(int(up))), l.sibN.At(int(up)), mean)
	} else if home, ok := l.trade.home(p); ok {
		h := &l.trade.homes
		x[featParentOut] = float32(h.out.At(home))
		x[featSiblings] = meanOf(int64(h.sibSum.At(home)), h.sibN.At(home), mean)
	}
	x[featPriority] = l.aboveMean(p)
	return x
}

// groupMeans returns the means of labels and of finds of a group, or of the next one above it
// that was there at the last checkpoint.
func (l *learner) groupMeans(g group.ID) (label, finds float32) {
	for uint64(g) >= l.numbers.At(learnMeaned) && g != 0 {
		if label, finds, ok := l.trade.meansTold(g); ok {
			return label, finds
		}
		g = l.tree.Up(g)
	}
	return l.tree.Means(g)
}

// meansAbove returns the means of the group above g, or those that the home of g tells.
func (l *learner) meansAbove(g group.ID) (label, finds float32) {
	if label, finds, ok := l.trade.meansTold(g); ok {
		return label, finds
	}
	return l.tree.Means(l.tree.Up(g))
}

// meanOf returns a mean label, less that of all, drawn towards 0.
func meanOf(sum int64, n uint32, all float64) float32 {
	return float32((float64(sum)/labelSteps - float64(float64(n)*all)) / (float64(n) + 3))
}

func lg(x float64) float32 { return float32(order.Log2(x)) }
