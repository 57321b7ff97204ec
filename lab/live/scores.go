package live

import (
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/sim"
	"github.com/winnow-crawler/winnow/topic"
)

// Score returns the function by which the crawl scored pages last, nil if there was none. It is
// valid until the world is closed.
func (w *World) Score() (*score.Function, error) {
	s, err := w.Crawl.State()
	if err != nil || s.Scores == nil {
		return nil, err
	}
	return s.Scores.Function(), nil
}

// Topic returns what the crawl was about, nil if about nothing in particular.
func (w *World) Topic() (*topic.Topic, error) {
	conf, err := w.Crawl.Config()
	if err != nil {
		return nil, err
	}
	return conf.About()
}

// scored adds what pages are worth from a record on.
func (r *recorder) scored(x *journal.Record) error {
	if len(x.Facts.Score) == 0 {
		return nil
	}
	text, rules, values, err := state.UnpackScore(x.Facts.Score)
	if err != nil {
		return err
	}
	f, err := score.Compile(text)
	if err != nil {
		return err
	}
	if f.Rules, err = score.ParseRules(rules); err != nil {
		return err
	}
	if values != nil {
		r.values = values
	}
	f.Imported = r.values
	r.out.Terms = r.out.Terms.With(f.Needs)
	if session := x.Event.Kind == event.Session; session && !r.marks.opening {
		r.out.Score = f
	} else {
		r.marks.act(x.Now, sim.Act{Score: f, AtOnce: session, Since: x.Now - r.last})
	}
	return nil
}
