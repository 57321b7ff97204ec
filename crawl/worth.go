package crawl

import (
	"context"
	"log/slog"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/worth"
	"github.com/winnow-crawler/winnow/event"
)

// LevelNote is the level of what a user wants to know although nothing is wrong.
const LevelNote = slog.LevelInfo + 2

// note logs a message of that level.
func note(log *slog.Logger, text string, args ...any) {
	log.Log(context.Background(), LevelNote, text, args...)
}

// completeWorth fills in from the journal what files that are gone held, and says so.
func completeWorth(w *worth.Worth, c *config.Config, s *state.State, fresh bool, log *slog.Logger) error {
	gone, err := w.Complete(c, s, fresh)
	if gone != "" {
		note(log, "files of the score are gone: the crawl continues with what its journal has", "first", gone)
	}
	return err
}

// score adds the score to the record of a session, if it is another one than before.
func (a *admission) score(packed *[]byte) {
	if a.state.Scores == nil {
		return
	}
	was := a.state.Scores.Text()
	*packed = a.state.Scores.Pack(a.worth.Function)
	a.worth.Function.Imported = nil // the record has it
	if now := a.worth.Function.String(); was != "" && was != now {
		note(a.log, "the score has changed", "score", now, "was", was)
	}
}

// rescoring reads the files of the score again while a crawl runs: when they change, and when
// the user demands it.
type rescoring struct {
	*session
	limits *limits
	at     time.Duration // when to look again
	stamps worth.Stamps  // of the files when they were read last
	next   worth.Worth   // for the next session, if the crawl must be opened again
}

// scoreEvery is the time between two looks at the files.
const scoreEvery = 5 * time.Second

func newRescoring(s *session, l *limits) rescoring {
	return rescoring{session: s, limits: l, stamps: s.worth.Stamps}
}

// look reads the files again if one has changed, or if the user demands it, and puts the score
// in force if it is another one. If anything is wrong the old one stays.
func (x *rescoring) look(now time.Duration, demanded bool) {
	if x.state.Scores == nil || x.limits.stopped() || !demanded && now < x.at {
		return
	}
	x.at = now + scoreEvery
	if !demanded && worth.StampsOf(x.config).Equal(x.stamps) {
		return
	}
	c := *x.config
	w, err := worth.Read(&c, x.memory)
	if x.stamps = w.Stamps; err == nil {
		err = completeWorth(&w, &c, x.state, false, x.log)
	}
	if err != nil {
		x.log.Warn("the score cannot be read again and stays as it was", "error", err, "score", x.state.Scores.Text())
		return
	}
	x.change(now, w)
}

// change puts a score in force, if it is another one. What it needs and nobody kept so far is in
// the journal: then the crawl is opened again.
func (x *rescoring) change(now time.Duration, w worth.Worth) {
	packed := x.state.Scores.Pack(w.Function)
	switch {
	case packed == nil:
	case !x.state.Scores.Covers(w.Function):
		note(x.log, "the score needs other terms: the journal is replayed for them", "score", w.Function.String(), "was", x.state.Scores.Text())
		x.next = w
		x.limits.stop(now, whyReload)
	default:
		x.begin(event.Scored, now).Facts.Score = packed
		x.record()
		x.config.Score = w.Function.String()
		if err := x.dir.writeConfig(x.config); err != nil {
			x.log.Warn("cannot write the configuration", "error", err) // the journal has it
		}
		note(x.log, "the score was read again", "score", w.Function.String())
	}
}
