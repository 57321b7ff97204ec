// Package worth reads what the configuration and its files say that pages are worth: an expression,
// rules for locations and imported values.
package worth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/score/files"
)

// Worth is what a configuration and its files say that pages are worth. Afterwards the journal
// has it.
type Worth struct {
	Function *score.Function // nil: pages have no score
	Stamps   Stamps          // of the files when they were read
	// gone are files that do not exist any more. A crawl that is resumed has in its journal
	// what they held.
	gone []string
}

// Read reads the expression, the rules and the values of a configuration, and sets its expression
// to the one that was read. The crawl may use so many bytes of memory.
func Read(c *config.Config, memory int64) (w Worth, err error) {
	w.Stamps = StampsOf(c) // before they are read: what is written later is a change
	file := c.ScoreFile
	if file != "" && c.Score != "" && isGone(file) {
		file, w.gone = "", append(w.gone, file)
	}
	if w.Function, err = files.Function(c.Score, file); err != nil || w.Function == nil {
		return w, err
	}
	values, rules := c.ImportValues, c.LocationRules
	for _, name := range []*string{&values, &rules} {
		if *name != "" && isGone(*name) {
			w.gone = append(w.gone, *name)
			*name = ""
		}
	}
	c.Score = w.Function.String()
	if err = files.CheckValues(c.ImportValues, w.Function); err == nil {
		err = files.Provide(values, rules, w.Function)
	}
	if err == nil {
		err = checkImported(w.Function.Imported, memory)
	}
	return w, err
}

// isGone reports whether a file does not exist.
func isGone(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// importedTimes is how often imported values are in memory while a crawl begins: as they were
// read, in the record, and in the state, which counts twice.
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

// Complete fills in from the journal what files that are gone held, and returns the name of one of
// them, "" if there is none. A new crawl needs them.
func (w *Worth) Complete(c *config.Config, s *state.State, fresh bool) (gone string, err error) {
	if w.Function == nil || len(w.gone) == 0 {
		return "", nil
	}
	if fresh || s.Scores.Text() == "" {
		return "", &hint.Error{Text: "the file " + w.gone[0] + " does not exist", Hint: "name the files of the score again: --score-file, --import-values, --location-rules"}
	}
	if slices.Contains(w.gone, c.LocationRules) {
		w.Function.Rules = s.Scores.Rules()
	}
	if last, err := score.Compile(s.Scores.Text()); err == nil && slices.Contains(w.gone, c.ScoreFile) && s.Scores.Covers(last) {
		last.Rules, last.Imported = w.Function.Rules, w.Function.Imported
		w.Function, c.Score = last, last.String() // it was read again after the session began
	}
	return w.gone[0], nil
}

// Stamps show whether files have changed.
type Stamps []stamp

type stamp struct {
	name string
	at   time.Time
	size int64
}

// StampsOf returns the stamps of the files of a score. A file that does not exist has none.
func StampsOf(c *config.Config) (list Stamps) {
	for _, name := range []string{c.ScoreFile, c.ImportValues, c.LocationRules} {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil {
			list = append(list, stamp{name, info.ModTime(), info.Size()})
		}
	}
	return list
}

// Equal reports whether no file has changed.
func (s Stamps) Equal(other Stamps) bool {
	return slices.EqualFunc(s, other, func(a, b stamp) bool { return a.name == b.name && a.at.Equal(b.at) && a.size == b.size })
}
