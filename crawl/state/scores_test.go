package state

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/score"
)

// scoredBy returns the record that puts a score in force.
func scoredBy(t *testing.T, kind event.Kind, text, rules string, values *score.Imported) *journal.Record {
	t.Helper()
	f, err := score.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rules, err = score.ParseRules(rules); err != nil {
		t.Fatal(err)
	}
	return &journal.Record{Event: event.Event{Kind: kind}, Facts: journal.Facts{Score: PackScore(f, values)}}
}

// newScoredState returns the state of a crawl with an expression and imported values.
func newScoredState(t *testing.T, text string) *State {
	t.Helper()
	c := config.Default()
	c.Policy, c.Score, c.ImportValues = "score", text, "values.tsv"
	set, err := NewSetup(&c, layout.Identity{Crawl: [16]byte{1}, Secret: [16]byte{2}}, 1<<26)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Empty(&layout.Parts{Urls: disk.NewMemory(), UrlFile: layout.URLFile}, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// An expression takes effect if its terms are kept. Values stay until others are recorded.
func TestScoresInForce(t *testing.T) {
	s := newScoredState(t, "q(backlinks) + imported")
	values, err := score.NewImported([]string{"a.example"}, []float64{3})
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		text   string
		values *score.Imported
		used   string
		keys   int
	}{
		{"q(pagerank)", nil, "0", 0},
		{"q(pagerank) + imported", values, "0", 1},
		{"backlinks/imported", nil, "backlinks/imported", 1},
		{"q(depth)", nil, "backlinks/imported", 1},
		{"imported", new(score.Imported), "imported", 0},
	} {
		s.Apply(scoredBy(t, event.Scored, step.text, "1 home\n", step.values), true)
		if f := s.Scores.Function(); f.String() != step.used || f.Imported.Len() != step.keys || s.Scores.Text() != step.text {
			t.Errorf("step %d: %s with %d keys, want %s with %d", i, f, f.Imported.Len(), step.used, step.keys)
		}
		f, err := score.Compile(step.text)
		if err != nil {
			t.Fatal(err)
		}
		if f.Rules, err = score.ParseRules("1 home"); err != nil || s.Scores.Pack(f) != nil {
			t.Errorf("step %d: what is in force is recorded again", i)
		}
		if f.Rules = score.DefaultRules(); s.Scores.Pack(f) == nil {
			t.Errorf("step %d: other rules are not recorded", i)
		}
	}
}

func FuzzUnpackScore(f *testing.F) {
	values, err := score.NewImported([]string{"a.example", "http://a.example/b"}, []float64{1, 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(PackScore(score.Default(), values))
	f.Add(PackScore(score.Default(), nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		text, rules, values, err := UnpackScore(b)
		if err == nil && (len(text)+len(rules) > len(b) || values == nil != (b[0] == 0)) {
			t.Errorf("%q, %q, %v of %x", text, rules, values, b)
		}
	})
}
