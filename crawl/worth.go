package crawl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/score"
	scorefiles "github.com/winnow-crawler/winnow/score/files"
)

// LevelNote is the level of what a user wants to know although nothing is wrong.
const LevelNote = slog.LevelInfo + 2

// note logs a message of that level.
func note(log *slog.Logger, text string, args ...any) {
	log.Log(context.Background(), LevelNote, text, args...)
}

// worth is what the configuration and its files say that pages are worth. Afterwards the journal
// has it.
type worth struct {
	f *score.Function // nil: pages have no score
	// gone are files that do not exist any more. A crawl that is resumed has in its journal
	// what they held.
	gone   []string
	stamps []fileStamp // of the files when they were read
}

// readWorth reads the expression, the rules and the values of a configuration, and sets its
// expression to the one that was read.
func readWorth(o *RunOptions) (w worth, err error) {
	c := &o.Config
	w.stamps = stampsOf(c) // before they are read: what is written later is a change
	file := c.ScoreFile
	if file != "" && c.Score != "" && isGone(file) {
		file, w.gone = "", append(w.gone, file)
	}
	if w.f, err = scorefiles.Function(c.Score, file); err != nil || w.f == nil {
		return w, err
	}
	values, rules := c.ImportValues, c.LocationRules
	for _, name := range []*string{&values, &rules} {
		if *name != "" && isGone(*name) {
			w.gone = append(w.gone, *name)
			*name = ""
		}
	}
	c.Score = w.f.String()
	if err = scorefiles.CheckValues(c.ImportValues, w.f); err == nil {
		err = scorefiles.Provide(values, rules, w.f)
	}
	if err == nil {
		err = checkImported(w.f.Imported, memoryLimit(o))
	}
	return w, err
}

// isGone reports whether a file does not exist.
func isGone(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// importedTimes is how often imported values are in memory while a crawl begins: as they were
// read, in the record, and in the state, which counts twice (see ceiling).
const importedTimes = 4

// checkImported returns an error if there are more imported values than the crawl has room for.
func checkImported(m *score.Imported, memory int64) error {
	if m == nil {
		return nil
	}
	text, _, _ := m.Parts()
	need := importedTimes * int64(len(text)+12*m.Len())
	switch {
	case m.Len() > state.MaxImported || len(text) > state.MaxImportedBytes:
		return &hint.Error{Text: fmt.Sprintf("--import-values: %d keys of %d bytes are too many: it can be %d of %d", m.Len(), len(text), state.MaxImported, state.MaxImportedBytes), Hint: "give values of sites or prefixes in place of pages"}
	case need > memory:
		return &hint.Error{Text: fmt.Sprintf("--import-values: %d values do not fit into the memory", m.Len()), Hint: fmt.Sprintf("give the crawl more memory: --max-memory %dM", need>>20+1)}
	}
	return nil
}

// complete fills in from the journal what files that are gone held. A new crawl needs them.
func (w *worth) complete(o *RunOptions, s *state.State, fresh bool) error {
	if w.f == nil || len(w.gone) == 0 {
		return nil
	}
	if fresh || s.Scores.Text() == "" {
		return &hint.Error{Text: "the file " + w.gone[0] + " does not exist", Hint: "name the files of the score again: --score-file, --import-values, --location-rules"}
	}
	if slices.Contains(w.gone, o.Config.LocationRules) {
		w.f.Rules = s.Scores.Rules()
	}
	if last, err := score.Compile(s.Scores.Text()); err == nil && slices.Contains(w.gone, o.Config.ScoreFile) && s.Scores.Covers(last) {
		last.Rules, last.Imported = w.f.Rules, w.f.Imported
		w.f, o.Config.Score = last, last.String() // it was read again after the session began
	}
	note(o.Log, "files of the score are gone: the crawl continues with what its journal has", "first", w.gone[0])
	return nil
}

// score adds the score to the record of a session, if it is another one than before.
func (a *admission) score(packed *[]byte) {
	if a.state.Scores == nil {
		return
	}
	was := a.state.Scores.Text()
	*packed = a.state.Scores.Pack(a.worth.f)
	a.worth.f.Imported = nil // the record has it
	if now := a.worth.f.String(); was != "" && was != now {
		note(a.log, "the score has changed", "score", now, "was", was)
	}
}

// rescoring reads the files of the score again while a crawl runs: when they change, and when
// the user demands it.
type rescoring struct {
	*session
	limits *limits
	at     time.Duration // when to look again
	stamps []fileStamp   // of the files when they were read last
	next   worth         // for the next session, if the crawl must be opened again
}

// A fileStamp shows whether a file has changed.
type fileStamp struct {
	name string
	at   time.Time
	size int64
}

// scoreEvery is the time between two looks at the files.
const scoreEvery = 5 * time.Second

func newRescoring(s *session, l *limits) rescoring {
	return rescoring{session: s, limits: l, stamps: s.worth.stamps}
}

// stampsOf returns the stamps of the files of a score. A file that does not exist has none.
func stampsOf(c *config.Config) (list []fileStamp) {
	for _, name := range []string{c.ScoreFile, c.ImportValues, c.LocationRules} {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil {
			list = append(list, fileStamp{name, info.ModTime(), info.Size()})
		}
	}
	return list
}

// look reads the files again if one has changed, or if the user demands it, and puts the score
// in force if it is another one. If anything is wrong the old one stays.
func (x *rescoring) look(now time.Duration, demanded bool) {
	if x.state.Scores == nil || x.limits.stopped() || !demanded && now < x.at {
		return
	}
	x.at = now + scoreEvery
	if !demanded && slices.EqualFunc(stampsOf(x.config), x.stamps, func(a, b fileStamp) bool { return a.name == b.name && a.at.Equal(b.at) && a.size == b.size }) {
		return
	}
	o := *x.options
	w, err := readWorth(&o)
	if x.stamps = w.stamps; err == nil {
		err = w.complete(&o, x.state, false)
	}
	if err != nil {
		x.log.Warn("the score cannot be read again and stays as it was", "error", err, "score", x.state.Scores.Text())
		return
	}
	x.change(now, w)
}

// change puts a score in force, if it is another one. What it needs and nobody kept so far is in
// the journal: then the crawl is opened again.
func (x *rescoring) change(now time.Duration, w worth) {
	packed := x.state.Scores.Pack(w.f)
	switch {
	case packed == nil:
	case !x.state.Scores.Covers(w.f):
		note(x.log, "the score needs other terms: the journal is replayed for them", "score", w.f.String(), "was", x.state.Scores.Text())
		x.next = w
		x.limits.stop(now, whyReload)
	default:
		x.begin(event.Scored, now).Facts.Score = packed
		x.record()
		x.config.Score = w.f.String()
		if err := x.dir.writeConfig(x.config); err != nil {
			x.log.Warn("cannot write the configuration", "error", err) // the journal has it
		}
		note(x.log, "the score was read again", "score", w.f.String())
	}
}
