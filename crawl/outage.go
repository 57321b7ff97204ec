package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/trouble"
)

// noteWeather tells the outage of an attempt that ended. That a name was found says
// nothing: it may come out of a cache, or from a resolver that lies.
func (o *owner) noteWeather(now time.Duration, t *task) {
	if t.answer == nil && t.class == event.OK || o.s.Portal.IsHost(o.s.Table.Name(t.work.Site)) {
		return
	}
	answered := t.answer != nil && t.answer.Status != 0
	if answered {
		like, none := o.atPortal(now, t)
		switch {
		case none:
			answered = false
			silence(t)
		case like:
			return // whoever is asked will tell
		case t.work.Kind != event.Robots && !trouble.Passes(t.answer.Class): // a robots.txt may be all that a site has
			o.quiet = 0
		}
	}
	if o.outage.Note(now, t.work.Site, answered) {
		o.takeBack(now)
		o.log.Warn("nothing can be reached any more, not even sites that answered before; the crawl waits until one of them does")
	}
}

// doubt lets the robots.txt of a site be asked for that fails and fails, to see whether
// anybody is there.
func (o *owner) doubt(now time.Duration, s graph.Site) {
	if o.outage.On() || !trouble.Doubt(o.s.Frontier.Failures(s)) || !o.mayAsk(s) {
		return
	}
	r := o.begin(event.Probed, now)
	r.Event.Site = s
	o.record()
}

// mayAsk reports whether a site may be asked for its robots.txt out of turn.
func (o *owner) mayAsk(s graph.Site) bool {
	return o.s.Frontier.CanProbe(s) && !o.scope.DeniesSite(o.s.Table.Name(s))
}

// askWitness asks a site that answered before, when there is a doubt whether we are cut
// off: for its robots.txt, on its clock.
func (o *owner) askWitness(now time.Duration) {
	if o.stopping != "" {
		return
	}
	s, ok := o.outage.Ask(now, o.mayAsk)
	if !ok {
		return
	}
	r := o.begin(event.Probed, now)
	r.Event.Site = s
	o.record()
	o.witness, o.witnessAsked = s, now
}

// witnessPatience is how long a witness is waited for that cannot be asked.
const witnessPatience = 10 * time.Minute

// mayProbe reports whether, while we seem to be cut off, the next work is a question to a
// witness: nothing else is under way, and its instant has come.
func (o *owner) mayProbe(now time.Duration) bool {
	if now-o.witnessAsked > witnessPatience {
		o.outage.Forget()
	}
	return len(o.idle) == len(o.crew) && o.outage.Asked() && o.s.Frontier.Instant(o.witness) <= now
}

// probeAt is the instant at which the owner has to look after the outage.
func (o *owner) probeAt(now time.Duration) time.Duration {
	switch {
	case o.stopping != "":
		return event.Never
	case o.outage.On() && o.outage.Asked() && len(o.idle) == len(o.crew):
		return max(o.s.Frontier.Instant(o.witness), now+time.Second) // it may be held a moment longer
	}
	return o.outage.Wake()
}

// hopeEvery is how often the owner looks whether anything is left that answers.
const hopeEvery = 10 * time.Second

// firstPatience is how long a crawl tries that has never had an answer.
const firstPatience = 5 * time.Minute

// losePatience ends the run when for the time of --patience nothing was left but sites
// that cannot be reached.
func (o *owner) losePatience(now time.Duration) {
	if o.stopping != "" || now < o.hopeAt {
		return
	}
	o.hopeAt = now + min(hopeEvery, o.patience()/8)
	switch {
	case !o.outage.On() && o.s.Frontier.Hopeful(), o.s.Frontier.Counts().Queued+o.s.Frontier.Counts().Due == 0:
		o.quiet = 0
	case o.quiet == 0:
		o.quiet = max(now, 1)
	case now-o.quiet >= o.patience():
		o.stop(now, whyUnreachable)
	}
}

// patience is that of the configuration, or less if nothing ever answered.
func (o *owner) patience() time.Duration {
	if p := o.c.Patience.Duration; o.fetched > 0 || p < firstPatience {
		return p
	}
	return firstPatience
}
