package stored

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/graph"
)

// A Reason says why there is no copy of a page.
type Reason string

const (
	Unfound    Reason = "not-found"   // no index has it; Explain finds out more
	Later      Reason = "later"       // its first copy is later than the time that was asked for
	Deleted    Reason = "deleted"     // its WARC file is not there any more
	NoOriginal Reason = "no-original" // it had not changed, and the copy from which is gone
	Unknown    Reason = "unknown"     // the crawl does not know the URL
	Waiting    Reason = "waiting"     // it was not fetched yet
	Failed     Reason = "failed"
	Skipped    Reason = "skipped"
	Withheld   Reason = "withheld" // it was fetched, and asks not to be stored
	Dropped    Reason = "dropped"  // it was stored, and made room for others
	NotStored  Reason = "not-stored"
)

// Missing is the error of a copy that is not there.
type Missing struct {
	URL    string
	Reason Reason
	Why    string    // more about the reason: a class of failures, a bar, robots tags
	Others []string  // other spellings of the URL of which there are copies
	File   string    // of Deleted: the WARC file
	First  time.Time // of Later: the first copy; of NoOriginal: when that was stored
	dir    string    // of the crawl
	part   string    // of the partition that has the URL
}

func (m *Missing) Error() string {
	because := map[Reason]string{
		Unfound:    "the archive has none",
		Later:      "the first one is of " + m.First.UTC().Format(time.RFC3339),
		Deleted:    "its WARC file " + m.File + " is not there",
		NoOriginal: "the page had not changed, and the answer that it had not changed from is not in the archive",
		Unknown:    "the crawl does not know this URL",
		Waiting:    "it was not fetched yet",
		Failed:     "the attempts to fetch it failed",
		Skipped:    "it was skipped",
		Withheld:   "it was fetched and not stored, because it asks for that",
		Dropped:    "it was stored and dropped since, to make room for others (--keep-pages)",
		NotStored:  "it was fetched and not stored",
	}[m.Reason]
	if m.Why != "" {
		because += " (" + m.Why + ")"
	}
	return fmt.Sprintf("no copy of %s in %s: %s", m.URL, m.dir, because)
}

// Explain finds out from the journal why a page has no copy. It replays the journal, or what
// follows the last snapshot.
func (m *Missing) Explain(ctx context.Context) error {
	c, err := history.Open(ctx, m.part)
	if err != nil {
		return err
	}
	defer c.Close()
	if len(m.Others) == 0 {
		if err := m.spellings(c); err != nil {
			return err
		}
	}
	p, known, err := c.Lookup(m.URL)
	if err != nil {
		return err
	}
	if m.Reason != Unfound {
		return nil
	}
	if m.Reason = Unknown; !known {
		return m.explainRequisite(c)
	}
	return c.Pages(&history.PageFilter{Only: []graph.Page{p}}, func(x *history.PageInfo) error {
		m.explain(x)
		return nil
	})
}

// explainRequisite takes the reason from what the crawl knows about a requisite, if the URL is one.
func (m *Missing) explainRequisite(c *history.Crawl) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	x, err := history.Requisite(s, m.URL, c.AboutRequisite)
	if x != nil {
		m.explain(&history.PageInfo{State: x.State, Why: x.Why, Class: x.Class})
	}
	return err
}

// spellings looks for other spellings of the URL that the crawl has fetched.
func (m *Missing) spellings(c *history.Crawl) error {
	var pages []graph.Page
	for _, other := range page.Spellings(m.URL) {
		form, err := page.ParseSeed(other)
		if err != nil || form == m.URL {
			continue
		}
		p, known, err := c.Lookup(form)
		if err != nil {
			return err
		}
		if known && !slices.Contains(pages, p) {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		return nil
	}
	return c.Pages(&history.PageFilter{Only: pages, State: history.PageFetched}, func(x *history.PageInfo) error {
		if x.Withheld == "" && !x.Dropped {
			m.Others = append(m.Others, x.URL)
		}
		return nil
	})
}

// explain takes the reason from what the crawl knows about the page.
func (m *Missing) explain(x *history.PageInfo) {
	switch m.Why = x.Why; {
	case x.Withheld != "":
		m.Reason, m.Why = Withheld, x.Withheld
	case x.Dropped:
		m.Reason, m.Why = Dropped, ""
	case x.State == history.PageWaiting:
		m.Reason = Waiting
	case x.State == history.PageFailed:
		m.Reason = Failed
		if strings.HasPrefix(x.Note, m.Why) {
			m.Why = x.Note
		} else if x.Note != "" {
			m.Why += ": " + x.Note
		}
	case x.State == history.PageSkipped:
		m.Reason = Skipped
	default:
		m.Reason, m.Why = NotStored, x.Class
	}
}
