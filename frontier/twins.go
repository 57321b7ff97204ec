package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Twins are the sites of one host under its two schemes. One server answers for both,
// so it must not notice that they are two:
//
//   - while one of them is acquired, the other is blocked
//   - after an answer of either, both wait for the largest delay of both
//
// An instant that concerns one of them only, at which its robots.txt is to be tried
// again, does not hold up the other.

// twinOf is the other one of two, NoSite if s is alone.
func (f *Frontier) twinOf(s graph.Site) graph.Site {
	if f.o.Twin == nil {
		return graph.NoSite
	}
	return f.twin.At(int(s))
}

// pair finds the twin of s, the last site. A site that the driver knows already and the
// frontier does not will find s in its turn.
func (f *Frontier) pair(s graph.Site) {
	if f.o.Twin == nil {
		return
	}
	t := f.o.Twin(s)
	if t >= s || f.twin.At(int(t)) != graph.NoSite {
		f.twin.Append(graph.NoSite)
		return
	}
	f.twin.Append(t)
	f.twin.Set(int(t), s)
	f.next.Set(int(s), f.next.At(int(t)))
}

// taken reports whether s is acquired.
func (f *Frontier) taken(s graph.Site) bool {
	at := f.place.At(int(s))
	return at == acquired || at == kept
}

// blocks reports whether the twin of s keeps it from being asked.
func (f *Frontier) blocks(s graph.Site) bool {
	t := f.twinOf(s)
	return t != graph.NoSite && f.taken(t)
}

// block keeps the twin of s, which was just acquired, from being asked.
func (f *Frontier) block(s graph.Site) {
	if t := f.twinOf(s); t != graph.NoSite && f.place.At(int(t)) == ready {
		f.withdraw(t, blocked)
	}
}

// unblock lets the twin of s go on, which is not acquired any more.
func (f *Frontier) unblock(now time.Duration, s graph.Site) {
	if t := f.twinOf(s); t != graph.NoSite && f.place.At(int(t)) == blocked {
		f.await(now, t)
	}
}

// crawlDelay is the Crawl-delay that holds for s: the larger one of both.
func (f *Frontier) crawlDelay(s graph.Site) time.Duration {
	d := f.delay.At(int(s))
	if t := f.twinOf(s); t != graph.NoSite {
		d = max(d, f.delay.At(int(t)))
	}
	return time.Duration(d)
}

// spare lets s and its twin wait at least until an instant.
func (f *Frontier) spare(now time.Duration, s graph.Site, at time.Duration) {
	f.notBefore(s, at)
	if t := f.twinOf(s); t != graph.NoSite && f.next.At(int(t)) < int64(at) {
		f.notBefore(t, at)
		f.reoffer(now, t)
	}
}
