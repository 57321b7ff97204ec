package crawl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// scoreFiles are the files of a score.
type scoreFiles struct{ score, values, rules string }

// writeScore makes the crawl use an expression, with values for pages and rules.
func (w *testWeb) writeScore(t *testing.T, pages int, text string) scoreFiles {
	t.Helper()
	dir := t.TempDir()
	f := scoreFiles{filepath.Join(dir, "score.txt"), filepath.Join(dir, "values.tsv"), filepath.Join(dir, "rules.txt")}
	var b bytes.Buffer
	for p := range graph.Page(pages) {
		if v, ok := oldValue(p); ok {
			fmt.Fprintf(&b, "%s\t%g\n", w.server.URL(p), v)
		}
	}
	writeFile(t, f.score, text)
	writeFile(t, f.values, b.String())
	writeFile(t, f.rules, "-1 slash\n+2 contains 1\n")
	c := &w.o.Config
	c.Score, c.ScoreFile, c.ImportValues, c.LocationRules, c.Policy = text, f.score, f.values, f.rules, "default"
	return f
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// remove removes all files.
func (f scoreFiles) remove() {
	for _, name := range []string{f.score, f.values, f.rules} {
		os.Remove(name)
	}
}

const importedScore = "(imported ?? 0)/1000 + 0.1*q(location) + 0.01*q(pagerank)"

// A crawl of one site fetches pages by the imported values as far as they are known. What the
// files held is in the journal: a crawl that is paused again and again has the order of one that
// is not, although the files are gone.
func TestScoreIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := newTestWeb(t, 80, 1, answer.Options{})
		whole.writeScore(t, 80, importedScore)
		whole.run(t)
		w := newTestWeb(t, 80, 1, answer.Options{})
		files := w.writeScore(t, 80, importedScore)
		for _, pages := range []int64{20, 45, 0} {
			w.o.Config.Pages = pages
			w.run(t)
			w.sameFromRecords(t)
			files.remove()
			time.Sleep(time.Hour)
		}
		w.verified(t)
		got, want := w.order(t), whole.order(t)
		if !slices.Equal(got, want) || len(want) < 70 {
			t.Errorf("the order is %v, want %v", got, want)
		}
		other := newTestWeb(t, 80, 1, answer.Options{})
		other.writeScore(t, 80, "-("+importedScore+")")
		other.run(t)
		if best, worst := values(want[:40]), values(other.order(t)[:40]); best < 1.3*worst {
			t.Errorf("values of %v, and of %v in the opposite order: they do not decide", best, worst)
		}
	})
}

// values returns the sum of the values of pages.
func values(list []graph.Page) (sum float64) {
	for _, p := range list {
		if v, ok := oldValue(p); ok {
			sum += v
		}
	}
	return sum
}

// TestScoreIsKept would pass if nothing but the expression was recorded; here the state has the
// values and rules, counts their memory, and explains the score by them.
func TestScoreInState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 60, 2, answer.Options{})
		files := w.writeScore(t, 60, importedScore)
		w.run(t)
		files.remove()
		c := w.history(t)
		defer c.Close()
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string]int64{}
		s.Account(func(name string, n int64) { sizes[name] += n })
		if s.Scores.Imported().Len() != 40 || sizes["imported keys"] == 0 || sizes["imported values"] == 0 || s.Scores.Rules().Len() != 2 {
			t.Errorf("%d values and %d rules in %v", s.Scores.Imported().Len(), s.Scores.Rules().Len(), sizes)
		}
		for p := range graph.Page(s.Frontier.Pages()) {
			a := s.Frontier.Ranks().Appraise(p)
			page, ok := w.server.Page(string(s.AppendURL(nil, p)))
			if !ok || a.Expression != importedScore {
				t.Fatalf("%+v of page %v", a, ok)
			}
			v, known := oldValue(page)
			for _, x := range a.Terms {
				if x.Name == "imported" && known && (x.Value == nil || *x.Value != v) {
					t.Errorf("page %d has %v, want %v", page, x.Value, v)
				}
			}
		}
	})
}

// changes returns the number of records that change the score, and of sessions that do.
func (w *testWeb) scoreChanges(t *testing.T) (scored, sessions int) {
	t.Helper()
	dir, _ := w.disk.open(layout.JournalDir)
	if _, err := journal.Read(dir, 0, func(r *journal.Record) error {
		switch {
		case len(r.Facts.Score) == 0:
		case r.Event.Kind == event.Scored:
			scored++
		default:
			sessions++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return scored, sessions
}

// editAfter writes a file when so many pages have been fetched.
func (w *testWeb) editAfter(t *testing.T, pages int64, name, text string) {
	before := w.o.Progress
	done := false
	w.o.Progress = func(s *history.Status) {
		if before != nil {
			before(s)
		}
		if !done && s.Fetched >= pages {
			done = true
			writeFile(t, name, text)
		}
	}
}

// Files that are edited while the crawl runs are read again: the change is a record, and the
// state is the same from the records. A file with an error changes nothing. An expression that
// needs other terms takes effect, too, in another session of the same run.
func TestScoreReload(t *testing.T) {
	for _, test := range []struct {
		name, text       string
		scored, sessions int
	}{
		{"other weights", "0.5*q(location) + 0.5*q(pagerank)", 1, 1},
		{"an error", "q(pagerang)", 0, 1},
		{"the same", importedScore + "\n", 0, 1},
		{"other terms", "q(backlinks) - raw(depth)/10", 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestWeb(t, 120, 4, answer.Options{})
				files := w.writeScore(t, 120, importedScore)
				w.editAfter(t, 30, files.score, test.text)
				if sum := w.run(t); sum.Why != whyFinished {
					t.Errorf("it ended because of %s", sum.Why)
				}
				if scored, sessions := w.scoreChanges(t); scored != test.scored || sessions != test.sessions {
					t.Errorf("%d changes and %d sessions, want %d and %d", scored, sessions, test.scored, test.sessions)
				}
				w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(w.o.Config.MaxBody)})
				w.verified(t)
				if test.sessions > 1 {
					w.o.Config.Score = test.text
				}
				w.sameFromRecords(t)
				files.remove() // what was in force last stays
				w.run(t)
				if scored, sessions := w.scoreChanges(t); scored != test.scored || sessions != test.sessions {
					t.Errorf("without files: %d changes and %d sessions, want %d and %d", scored, sessions, test.scored, test.sessions)
				}
			})
		})
	}
}

// Values and rules are read again, too, also when that is demanded.
func TestScoreReloadValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 100, 2, answer.Options{})
		files := w.writeScore(t, 100, importedScore)
		demand := make(chan struct{}, 1)
		w.o.Reload = demand
		w.editAfter(t, 30, files.values, "http://s0.example\t7\nhttp://s1.example\t8\n")
		w.editAfter(t, 60, files.rules, "+1 home\n")
		w.o.Config.Duration = config.Seconds(0)
		demand <- struct{}{}
		w.run(t)
		if scored, sessions := w.scoreChanges(t); scored != 2 || sessions != 1 {
			t.Errorf("%d changes and %d sessions, want 2 and 1", scored, sessions)
		}
		w.withState(t, w.disk[layout.SnapshotDir], func(s *state.State) {
			if v, _ := s.Scores.Imported().Value([]byte("http://s1.example/x")); v != 8 || s.Scores.Rules().Text() != "1 home\n" {
				t.Errorf("the value is %v, the rules are %q", v, s.Scores.Rules().Text())
			}
		})
		w.verified(t)
		w.sameFromRecords(t)
	})
}

// A crawl that is resumed with another score has it from then on, over other terms, too.
func TestScoreOnResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 100, 4, answer.Options{})
		c := &w.o.Config
		for i, text := range []string{"q(backlinks)", "1 - q(backlinks)", "0.5*q(pagerank) + 0.5*q(site_pages)", "", "q(depth)"} {
			c.Score, c.Policy, c.Pages = text, "default", int64(15*(i+1))
			w.run(t)
			w.sameFromRecords(t)
			clean(t, w.verify(t))
			time.Sleep(time.Minute)
		}
		if scored, sessions := w.scoreChanges(t); scored != 0 || sessions != 4 {
			t.Errorf("%d changes and %d sessions, want none and 4", scored, sessions)
		}
	})
}

// A score weighs the visits of pages that were fetched, whichever policy orders new ones.
func TestScoreWeighs(t *testing.T) {
	for _, policyName := range []string{"default", "foresight"} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, 60, 2, answer.Options{})
			c := &w.o.Config
			c.Score, c.Policy, c.Recrawl, c.Revisit, c.Duration = "(site_pages > 0) * (depth == 1 ? 1 : 0)", policyName, config.Duration{Duration: time.Hour}, "importance", config.Duration{Duration: 20 * time.Hour}
			w.o.Machine.Sizes.Status = time.Hour
			w.run(t)
			w.sameFromRecords(t)
			clean(t, w.verify(t))
			visits := map[graph.Page]int{}
			for _, p := range w.order(t) {
				visits[p]++
			}
			w.withState(t, disk.NewMemory(), func(s *state.State) {
				sum, n := [2]int{}, [2]int{}
				for p := range graph.Page(s.Frontier.Pages()) {
					page, _ := w.server.Page(string(s.AppendURL(nil, p)))
					i := 0
					if s.Frontier.Depth(p) == 1 {
						i = 1
					}
					sum[i] += visits[page]
					n[i]++
				}
				if n[0] == 0 || n[1] == 0 || sum[1]*n[0] < 10*sum[0]*n[1] {
					t.Errorf("%s: pages of weight 0.01 and 1: %v visits of %v", policyName, sum, n)
				}
			})
		})
	}
}

// Files that a new crawl names and that do not exist are refused.
func TestScoreRefused(t *testing.T) {
	w := newTestWeb(t, 20, 1, answer.Options{})
	w.writeScore(t, 20, importedScore).remove()
	w.refused(t, "does not exist")
}
