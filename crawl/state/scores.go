package state

import (
	"encoding/binary"
	"errors"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

// Scores holds what pages are worth by an expression of the user, for a crawl that has one. The
// records have every expression with its rules and values, so that they stay the same whatever
// happens to the files.
//
// The terms that are kept of pages are those of the configuration. An expression of an earlier
// session that needs others is not in force, so what was in force stays; before the first one all
// pages are worth 0.
type Scores struct {
	s     *State
	saved savedScores
	// The imported values: keys one after the other, the end of each, and its value. They are nil
	// unless the configuration names a file of them.
	keys   *graph.Column[uint8]
	ends   *graph.Column[uint32]
	values *graph.Column[float64]
}

// savedScores are in the head of a snapshot.
type savedScores struct {
	Text, Rules string // as recorded last
	Used        string // the expression in force
}

// The most imported values, and the most bytes of their keys. All are in one record.
const (
	MaxImported      = 1 << 26
	MaxImportedBytes = 1 << 31
)

func newScores(s *State) *Scores {
	x := &Scores{s: s, saved: savedScores{Used: nothing}}
	if s.Setup.scores.imports {
		x.keys = graph.NewColumnIn[uint8](&s.Saved, "imported keys", MaxImportedBytes)
		x.ends = graph.NewColumnIn[uint32](&s.Saved, "imported ends", MaxImported)
		x.values = graph.NewColumnIn[float64](&s.Saved, "imported values", MaxImported)
	}
	return x
}

// nothing is the expression before the first record.
const nothing = "0"

// Text returns the expression that was recorded last.
func (x *Scores) Text() string { return x.saved.Text }

// Covers reports whether an expression needs no other terms than those that are kept.
func (x *Scores) Covers(f *score.Function) bool { return x.s.Setup.scores.terms.Cover(f.Needs) }

// Imported returns the imported values, nil if there are none.
func (x *Scores) Imported() *score.Imported {
	if x.keys == nil {
		return nil
	}
	return score.ImportedOf(x.keys.Slice(), x.ends.Slice(), x.values.Slice())
}

// Rules returns the rules that were recorded last.
func (x *Scores) Rules() *score.Rules {
	r, err := score.ParseRules(x.saved.Rules)
	if err != nil {
		return score.DefaultRules() // of a later version, which has other rules
	}
	return r
}

// Pack returns a function as the journal has it, nil if it is the one that was recorded last.
// Without imported values it keeps those that there are.
func (x *Scores) Pack(f *score.Function) []byte {
	values := f.Imported
	if values != nil && x.keys != nil && values.Equal(x.Imported()) {
		values = nil
	}
	if rules := f.Rules.Text(); values == nil && f.String() == x.saved.Text && rules == x.saved.Rules {
		return nil
	}
	return PackScore(f, values)
}

// hasValues is a flag of a packed score.
const hasValues = 1

// PackScore returns a function as the journal has it, with values unless they are nil.
func PackScore(f *score.Function, values *score.Imported) []byte {
	b := []byte{0}
	for _, text := range []string{f.String(), f.Rules.Text()} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	if values != nil {
		b[0] = hasValues
		b = values.AppendBinary(b)
	}
	return b
}

// UnpackScore reads what PackScore returned. values is nil if the ones before stay.
func UnpackScore(b []byte) (text, rules string, values *score.Imported, err error) {
	wrong := errors.New("the score is damaged")
	if len(b) == 0 || b[0] > hasValues {
		return "", "", nil, wrong
	}
	flags, b := b[0], b[1:]
	for _, to := range []*string{&text, &rules} {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return "", "", nil, wrong
		}
		*to, b = string(b[size:][:n]), b[uint64(size)+n:]
	}
	switch {
	case flags == hasValues:
		values, err = score.ReadImported(b)
	case len(b) > 0:
		err = wrong
	}
	return text, rules, values, err
}

// note puts the score of a record in force. A session does so at once.
func (x *Scores) note(r *journal.Record) {
	if x == nil || len(r.Facts.Score) == 0 {
		return
	}
	text, rules, values, err := UnpackScore(r.Facts.Score)
	if err != nil {
		return // by a later version
	}
	x.saved.Text, x.saved.Rules = text, rules
	if values != nil && x.keys != nil {
		x.setValues(values)
	}
	if f, err := score.Compile(text); err == nil && x.Covers(f) {
		x.saved.Used = text
	}
	x.s.Frontier.SetScore(x.Function(), r.Event.Kind == event.Session)
}

// setValues replaces the imported values.
func (x *Scores) setValues(m *score.Imported) {
	text, ends, values := m.Parts()
	replace(x.keys, text)
	replace(x.ends, ends)
	replace(x.values, values)
}

// replace gives a column the elements of a list.
func replace[T graph.Value](c *graph.Column[T], list []T) {
	c.Truncate(0)
	c.Grow(len(list))
	copy(c.Slice(), list)
}

// Function returns what is in force. It is valid until the next record.
func (x *Scores) Function() *score.Function {
	f := compiled(x.saved.Used)
	f.Rules, f.Imported = x.Rules(), x.Imported()
	return f
}

// load restores what was in force when a snapshot was taken.
func (x *Scores) load(saved *savedScores) error {
	if saved == nil {
		return errors.New("it has no score")
	}
	if _, err := score.Compile(saved.Used); err != nil {
		return err
	}
	x.saved = *saved
	x.s.Frontier.LoadScore(x.Function())
	return nil
}

// scoring is the part of a Setup that concerns scores.
type scoring struct {
	on      bool
	terms   score.Needs // that are kept of pages
	imports bool        // there are imported values
}

func newScoring(c *config.Config) (x scoring, err error) {
	if c.Score == "" {
		return x, nil
	}
	f, err := score.Compile(c.Score)
	if err != nil {
		return x, err
	}
	return scoring{true, f.Needs, c.ImportValues != ""}, nil
}

// prepare lets policies keep the terms. Before the first record all pages are worth 0.
func (x *scoring) prepare(env *policy.Env) {
	if x.on {
		env.Terms, env.Score = x.terms, compiled(nothing)
	}
}

// compiled returns the function of an expression that was compiled before.
func compiled(text string) *score.Function {
	f, err := score.Compile(text)
	if err != nil {
		panic(err)
	}
	return f
}

// layout describes what columns depend on.
func (x *scoring) layout() string {
	text := "score " + x.terms.String()
	if x.imports {
		text += ", imported"
	}
	return text
}
