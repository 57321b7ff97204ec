package crawl

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// OnPage sees each fetched page once, with its body, whether pages are stored or not.
func TestOnPage(t *testing.T) {
	for _, store := range []string{config.Default().Store, "links"} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, 200, 10, answer.Mixed())
			w.o.Config.Store = store
			seen := map[string]bool{}
			w.o.OnPage = func(p *Page) error {
				if seen[p.URL] {
					t.Errorf("%s: seen twice", p.URL)
				}
				seen[p.URL] = true
				if p.Status != 200 || p.Media != "text/html" || p.Charset == "" || p.Time.IsZero() || p.Header.Get("Content-Type") == "" {
					t.Errorf("%s: status %d, type %q, charset %q, %v", p.URL, p.Status, p.Media, p.Charset, p.Time)
				}
				if !bytes.Contains(bytes.ToLower(p.Body), []byte("<html")) && p.Charset != "UTF-16LE" && p.Charset != "UTF-16BE" {
					t.Errorf("%s: no page in %d bytes (%s)", p.URL, len(p.Body), p.Charset)
				}
				return nil
			}
			sum := w.run(t)
			want := int(sum.Outcomes["ok"] + sum.Outcomes["duplicate"])
			if want < 100 || len(seen) != want {
				t.Errorf("store %s: OnPage saw %d of %d pages", store, len(seen), want)
			}
		})
	}
}

// An error of OnPage ends the crawl and is returned. The next run continues behind it.
func TestOnPageError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 10, answer.Options{})
		enough, seen := errors.New("enough"), 0
		w.o.OnPage = func(*Page) error {
			if seen++; seen == 20 {
				return enough
			}
			return nil
		}
		sum, err := Run(t.Context(), w.o)
		if !errors.Is(err, enough) || sum == nil || sum.Waiting == 0 || seen != 20 {
			t.Fatalf("after %d pages: %v", seen, err)
		}
		w.o.OnPage = func(*Page) error { seen++; return nil }
		if last := w.run(t); last.Why != whyFinished || int64(seen) < last.Fetched-int64(w.o.Config.Fetchers) || int64(seen) > last.Fetched {
			t.Errorf("%s: OnPage saw %d of %d pages", last.Why, seen, last.Fetched)
		}
	})
}

// Reports say when the last commit was: while pages are fetched it is never long ago.
func TestCommitAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 10, answer.Options{})
		reports := 0
		w.o.Progress = func(s *history.Status) {
			reports++
			age := s.Measured.Sub(s.Committed)
			if most := w.o.Config.Commit.Duration + w.o.Config.Delay.Duration + 2*mostLull; age < 0 || age > most {
				t.Errorf("the last of %d commits was %v ago", s.Commits, age)
			}
		}
		if w.run(t); reports < 10 {
			t.Errorf("%d reports", reports)
		}
	})
}
