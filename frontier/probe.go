package frontier

import "github.com/winnow-crawler/winnow/graph"

// probe lets the robots.txt of s be asked for out of turn, on the clock of s: it is a hop
// of s to itself. A site that is closed, whose robots.txt moved, or that is being probed is
// skipped.
func (f *Frontier) probe(s graph.Site) {
	if !f.CanProbe(s) {
		return
	}
	f.addHop(s, s)
	if f.place.At(int(s)) == ready {
		f.offerHops(s)
	}
}

// CanProbe reports whether the event Probed would let the robots.txt of s be asked for.
func (f *Frontier) CanProbe(s graph.Site) bool {
	_, pending := f.target[s]
	return f.o.Robots && !pending && f.stage.At(int(s)) == open
}

// Hopeful reports whether something is left to do at a site that answers: otherwise all
// that waits is at sites whose last answers failed. It goes over all sites.
func (f *Frontier) Hopeful() bool {
	for i := range f.Sites() {
		if s := graph.Site(i); f.failures(s) == 0 && f.wanting(s) {
			return true
		}
	}
	for _, d := range f.due {
		if f.failures(f.Site(graph.Page(d.id))) == 0 {
			return true
		}
	}
	return false
}

// Wanting reports whether a site has something to hand out, now or later.
func (f *Frontier) Wanting(s graph.Site) bool { return f.wanting(s) }

// Failures is how many times in a row a site gave no answer, or said that it cannot.
func (f *Frontier) Failures(s graph.Site) int { return f.failures(s) }
