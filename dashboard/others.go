package dashboard

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
	"github.com/winnow-crawler/winnow/journal"
)

// lastFailures returns the last failed requests.
func lastFailures(base string, v *follow.View, limit int) (list []row) {
	v.Index.Failures(func(r *journal.Record) bool {
		list = append(list, requestRow(base, v, r, fmt.Sprintf("f%d", len(list))))
		return len(list) < limit
	})
	return list
}

// A frontierPage lists the next pages.
type frontierPage struct {
	outcome[[]explain.Handout]
	Rows []handoutRow
}

// A handoutRow is a page that would be requested soon.
type handoutRow struct {
	explain.Handout
	To, SiteTo, Why, Waits string
}

// handoutsShown is the number of pages that the frontier page lists.
const handoutsShown = 100

func showFrontier(a *asked) (any, error) {
	if a.glance.Phase != follow.Following {
		return nil, errNoIndex
	}
	x := &frontierPage{outcome: ask(&a.c.jobs, &a.c.jobs.handouts, 5*time.Second, a.c.rehearse)}
	for until := time.Now().Add(a.s.patience); x.At.IsZero() && x.Running && time.Now().Before(until); { // in a small crawl it takes a moment
		time.Sleep(10 * time.Millisecond)
		x.outcome = a.c.jobs.handouts.last()
	}
	for _, h := range x.Result {
		x.Rows = append(x.Rows, handoutRow{h, pageLink(a.base, h.URL), siteLink(a.base, h.Site), wording.HandoutReason(&h), show.Duration(time.Duration(h.Wait * 1e9))})
	}
	return x, x.Err
}

// rehearse returns the pages that would be requested next. It opens the crawl once more, because
// the state is of no use afterwards.
func (c *crawled) rehearse(ctx context.Context, _ func(string)) ([]explain.Handout, error) {
	return explain.HandoutsOf(ctx, c.Dir, time.Now(), handoutsShown)
}

// A trapPage lists what is skipped as traps, and mirrors.
type trapPage struct {
	Reasons  []count
	Places   []trapPlace
	Held     int64
	Mirrors  []state.MirrorOf
	Mirrored int64
	Largest  *history.SiteShare
}

// A trapPlace is a place that is skipped.
type trapPlace struct {
	Reason, Site, To, Pattern string
	Pages                     int64
}

func showTraps(a *asked) (any, error) {
	x := &trapPage{}
	s := a.glance.Status
	if s == nil || a.glance.Survey == nil {
		return x, errNoIndex
	}
	for _, t := range wording.Skipped(s) {
		x.Reasons = append(x.Reasons, count{Name: t.Bar.String(), Meaning: t.Bar.Meaning(), Pages: t.Pages, To: a.base + "pages?state=" + history.PageSkipped + "&why=" + t.Bar.String()})
	}
	x.Held, x.Mirrors, x.Mirrored, x.Largest = s.Held, s.Mirrors, s.Mirrored, s.Largest
	return x, a.read(false, func(v *follow.View) error {
		for _, m := range a.glance.Survey.Marks[:min(len(a.glance.Survey.Marks), 200)] {
			name := string(v.S.Table.Name(m.Site))
			x.Places = append(x.Places, trapPlace{m.Bar.String(), name, siteLink(a.base, name), m.Pattern, m.Pages})
		}
		return nil
	})
}

// A logPage is the ledger of requests, and what a verification found.
type logPage struct {
	Site, Until string
	Rows        []ledgerRow
	Next, First string
	Verify      outcome[*history.Findings]
	Violations  []finding
	Check       string // address that starts a verification
	Kinds       string
}

// A finding is a promise that was not kept.
type finding struct {
	history.Finding
	To string
}

func showLog(a *asked) (any, error) {
	x := &logPage{Site: strings.TrimSpace(a.FormValue("site")), Until: strings.TrimSpace(a.FormValue("until")), Check: a.with("verify", "1")}
	if a.FormValue("verify") != "" {
		x.Verify = ask(&a.c.jobs, &a.c.jobs.verify, 10*time.Second, a.c.verified)
	} else {
		x.Verify = a.c.jobs.verify.last()
	}
	if f := x.Verify.Result; f != nil {
		x.Kinds = show.ByNumber(f.Kinds)
		for _, v := range f.List {
			to := ""
			if v.URL != "" {
				to = pageLink(a.base, v.URL)
			} else if v.Site != "" {
				to = siteLink(a.base, v.Site)
			}
			x.Violations = append(x.Violations, finding{v, to})
		}
	}
	from, _ := strconv.ParseUint(a.FormValue("from"), 10, 32) // else from the last on
	return x, a.read(true, func(v *follow.View) error {
		site, n := graph.NoSite, uint32(from)
		if x.Site != "" {
			id, ok := v.S.Table.LookupSite(v.S.Key.Site([]byte(x.Site)), []byte(x.Site))
			if !ok {
				return &wrong{"The crawl knows no site " + x.Site + ".", "A site is scheme, host and port, as in the list of the sites."}
			}
			site = id
		}
		if x.Until != "" && n == 0 {
			at, err := parseTime(x.Until, v.S.Wall(v.S.Now))
			if err != nil {
				return &wrong{err.Error(), "A time is 2026-11-03T15:04:05, 2026-11-03 or 15:04."}
			}
			if n = v.Index.Until(site, at.Sub(time.Unix(0, v.S.Began))); n == 0 {
				return nil
			}
		}
		rows, next := ledger(a.base, v, site, n, perPage)
		if x.Rows = rows; next != 0 {
			x.Next = a.with("from", fmt.Sprint(next), "verify", "")
		}
		if from != 0 {
			x.First = a.with("from", "", "verify", "")
		}
		return nil
	})
}

// parseTime reads a time as people write it. A time of day is that of the last day.
func parseTime(text string, last time.Time) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{time.TimeOnly, "15:04"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			y, m, d := last.Local().Date()
			return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, time.Local), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}

// verified checks a crawl against the rules of politeness, and its parts against each other.
func (c *crawled) verified(ctx context.Context, note func(string)) (*history.Findings, error) {
	return history.Verify(ctx, c.Dir, history.VerifyOptions{Version: c.jobs.s.o.Version, Limit: 50, Progress: func(done, total int64) {
		note(fmt.Sprintf("%s of %s", show.Bytes(done), show.Bytes(total)))
	}})
}

// A freshPage tells how old the copies are.
type freshPage struct {
	On     bool // the crawl visits pages again
	Every  string
	Policy string
	F      *follow.Freshness
	Ages   []bar
	Likely []bar
	Again  int64 // visits of pages that were fetched before
	Same   int64 // visits that found no change
	Wait   int   // pages that wait for another visit
	Mean   string
	Oldest string
}

func showFreshness(a *asked) (any, error) {
	x := &freshPage{}
	g := &a.glance
	if g.Status == nil || g.Config == nil || g.Survey == nil {
		return x, errNoIndex
	}
	x.On, x.Every, x.Policy = g.Config.Recrawl.Duration > 0, show.Duration(g.Config.Recrawl.Duration), g.Config.Revisit
	x.Same, x.Wait, x.F = g.Status.NotModified+g.Status.Unchanged, g.Status.Counts.Revisits, g.Survey.Fresh
	if f := x.F; f != nil {
		x.Mean, x.Oldest = fmt.Sprintf("%.2f", f.Mean), show.Duration(f.Oldest)
		x.Ages = barsOf(f.Ages[:], func(i int) string {
			return ageNames[i]
		})
		x.Likely = barsOf(f.Likely[:], func(i int) string { return fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10) })
	}
	return x, a.read(true, func(v *follow.View) error {
		for _, s := range v.Index.Course.Steps {
			x.Again += s.Visits
		}
		return nil
	})
}

// ageNames are the words for follow.Ages.
var ageNames = [len(follow.Ages)]string{"up to a minute", "up to 10 minutes", "up to an hour", "up to 6 hours", "up to a day", "up to a week", "up to 30 days", "older"}

// barsOf returns counts as bars.
func barsOf(n []int64, label func(int) string) (list []bar) {
	most := int64(1)
	for _, m := range n {
		most = max(most, m)
	}
	for i, m := range n {
		list = append(list, bar{label(i), show.Grouped(m), 100 * float64(m) / float64(most)})
	}
	return list
}
