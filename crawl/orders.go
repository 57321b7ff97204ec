package crawl

import (
	"context"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
)

// orders holds the command that is carried out. A command ends the session, and another one
// begins whose record has the command: so it is in force when the session has begun, a
// configuration holds for a whole session, and nothing else can change a crawl that runs. While
// a crawl is paused, each command begins a session that requests nothing.
type orders struct {
	order *control.Order // nil: none waits for its answer
	plan  *control.Plan  // of the session that a command began; nil: none did
}

// text returns the command that begins a session, "" if none does.
func (x *orders) text() string {
	if x.order == nil {
		return ""
	}
	return x.order.String()
}

// paused reports whether the session requests nothing.
func (x *orders) paused() bool { return x.plan != nil && x.plan.Paused }

// answer answers the command that is carried out, if there is one.
func (x *orders) answer(err error) {
	if x.order != nil {
		x.order.Answer(err)
		x.order = nil
	}
}

// end refuses what was not carried out, and all further commands.
func (x *orders) end(c *control.Control) {
	x.answer(control.ErrEnded)
	c.End()
}

// take makes the plan of the next session, or refuses the order.
func (x *orders) take(o *control.Order, now control.Plan) bool {
	now.Paused = x.paused()
	next, err := o.Change(now)
	if err != nil {
		o.Answer(err)
		return false
	}
	x.order, x.plan = o, &next
	return true
}

// command ends the session for a command of the user, unless the command is wrong or the crawl
// ends anyway.
func (l *loop) command(now time.Duration, x *control.Order) {
	if l.limits.stopped() { // in this very turn
		x.Answer(control.ErrBusy)
		return
	}
	if l.options.orders.take(x, control.Plan{Config: *l.config}) {
		note(l.log, "command", "command", x.String())
		l.limits.stop(now, whyCommand)
	}
}

// obey prepares the session that a command demands. While the crawl is paused, it waits for the
// next command. It returns false if the context ends first.
func (o *RunOptions) obey(ctx context.Context, sum *Summary) bool {
	for o.orders.order == nil { // the session before was a pause
		if o.Progress != nil {
			o.Progress(&sum.Status)
		}
		select {
		case x := <-o.Control.Orders():
			o.orders.take(x, control.Plan{Config: o.Config})
		case <-ctx.Done():
			sum.Why = whyStopped
			return false
		}
	}
	p := o.orders.plan
	o.Config, o.Chance = p.Config, nil
	o.Seeds, o.AddSeeds = p.Seeds, len(p.Seeds) > 0
	o.Config.Seeds = config.Union(o.Config.Seeds, p.Seeds)
	if o.Port != nil {
		o.Seeds = o.Port.NewSeeds(p.Seeds)
	}
	if p.Retry != "" {
		o.Chance = &Chance{Site: p.Retry}
	}
	return true
}
