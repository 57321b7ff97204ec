package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/policy"
)

// PrintPage writes what a crawl knows about a page as text.
func PrintPage(w io.Writer, x *explain.Page, dir, resume string) error {
	fmt.Fprintf(w, "%s\n\n", show.Line(x.Sentence))
	t := show.NewList()
	t.Add("url", x.URL)
	if x.Given != "" {
		t.Add("given as", show.Line(x.Given))
	}
	t.Add("state", stateSince(x))
	t.Add("crawl", fmt.Sprintf("%s, %s; as of %s ago", dir, x.Crawl, show.Duration(time.Duration(x.Age*1e9))))
	if resume != "" && x.State == explain.Waiting {
		t.Add("to resume", resume)
	}
	if x.Facts != nil {
		addFacts(t, x)
	}
	if r := x.Requisite; r != nil {
		t.Add("first needed by", show.Line(r.Page))
		t.Add("steps from it", show.Grouped(r.Step))
		if r.Status != 0 {
			t.Add("answer", fmt.Sprintf("%d, %s, %s", r.Status, show.Line(r.Media), show.Bytes(r.Bytes)))
		}
	}
	if err := t.Print(w); err != nil || x.Facts == nil {
		return err
	}
	return printTables(w, x)
}

// stateSince returns the state of a page, why, and since when.
func stateSince(x *explain.Page) string {
	text := x.State
	if x.Why != "" {
		text += " (" + x.Why + ")"
	}
	if x.Facts != nil {
		text += " since " + clockTime(x.Since)
	}
	return text
}

// clockTime writes a time as people read it.
func clockTime(t time.Time) string { return t.Local().Format(time.DateTime) }

// addFacts adds what is known of a page to a list.
func addFacts(t *show.List, x *explain.Page) {
	if x.To != "" {
		t.Add("redirects to", show.Line(x.To))
	}
	if x.Like != "" {
		t.Add("content like", show.Line(x.Like))
	}
	if x.Rule != "" {
		t.Add("robots.txt", "Disallow: "+show.Line(x.Rule))
	}
	article := "a"
	if x.Found.By == "history" {
		article = "the"
	}
	found := fmt.Sprintf("by %s %s, %s, depth %d", article, x.Found.By, clockTime(x.Found.At), x.Depth)
	if x.Found.On != "" {
		found += ", on " + show.Line(x.Found.On)
	}
	t.Add("found", found)
	t.Add("links in", show.Counted(x.Links, "fetched page"))
	for _, url := range x.Linked {
		t.Add("", show.Line(url))
	}
	if x.Attempts > len(x.Visits) {
		t.Add("attempts", fmt.Sprintf("%s; the last %d are listed", show.Grouped(x.Attempts), len(x.Visits)))
	}
	if x.Clock != nil {
		addClock(t, x)
	}
	value := fmt.Sprintf("%s, by %s", plot.Number(x.Value), x.Policy)
	if x.Discounted {
		value += "; counts a quarter: only near duplicates or pages that seem to be in a trap link to it, or its site is a mirror"
	}
	t.Add("value", value)
	if x.Score != nil {
		t.Add("score", fmt.Sprintf("%s, by %s", plot.Number(x.Score.Score), show.Line(x.Score.Expression)))
	}
	if x.Topic != nil {
		addTopic(t, x.Topic)
	}
	if a := x.Again; a != nil {
		t.Add("changes", fmt.Sprintf("every %s or so; visits found %s here, and nearby of late %.2f of what was expected", show.Duration(time.Duration(min(a.Every, 1e9)*1e9)), plot.Number(a.Found), a.OfLate))
		t.Add("copy", fmt.Sprintf("of %s; up to date with a probability of %.2f", clockTime(a.Last), a.UpToDate))
		if a.Told {
			t.Add("signal", "a sitemap, a feed or a notice says that it has changed since")
		}
		t.Add("next visit", fmt.Sprintf("in about %s: a visit gains more at %s of %s", show.Duration(time.Duration(a.In*1e9)), show.Counted(a.Before, "page"), show.Grouped(a.Pages)))
	}
}

// addTopic adds what the page has to do with the topic of the crawl.
func addTopic(t *show.List, x *explain.Topic) {
	if x.Similarity != nil {
		hot := "not hot"
		if x.Hot {
			hot = "hot"
		}
		t.Add("similarity", fmt.Sprintf("%.4f, %s; %s, nearest to: %s", *x.Similarity, hot, show.Counted(int64(x.Words), "word"), show.Line(x.Query)))
	}
	for _, term := range x.Terms {
		t.Add("", fmt.Sprintf("%s: %d in the title, %d in the text, idf %s", show.Line(term.Word), term.Title, term.Text, plot.Number(term.IDF)))
	}
	for _, at := range []struct {
		name  string
		words []string
	}{{"in links", x.Anchor}, {"near links", x.Around}, {"in the URL", x.URL}} {
		if len(at.words) > 0 {
			t.Add(at.name, show.Line(strings.Join(at.words, " ")))
		}
	}
}

// addClock adds what a waiting page waits for.
func addClock(t *show.List, x *explain.Page) {
	k := x.Clock
	next := "now"
	switch {
	case x.Crawl != history.StateRunning:
		next = "when the crawl is resumed"
	case k.Next != nil:
		next = clockTime(*k.Next)
	}
	t.Add("site", fmt.Sprintf("%s; next request %s (%s), then every %s (%s)", k.Place, next, k.Needs, show.Duration(time.Duration(k.Between*1e9)), k.By))
	if k.Unreachable != "" {
		t.Add("", fmt.Sprintf("unreachable: %s, %s in a row", show.Line(k.Unreachable), show.Counted(k.Failures, "failure")))
	}
	if k.Demanded {
		t.Add("", "the server demanded the pause (Retry-After)")
	}
	if k.Address != nil {
		t.Add("IP address", "next request "+clockTime(*k.Address))
	}
	if k.Retry != nil {
		t.Add("next attempt", clockTime(*k.Retry))
	}
}

// printTables prints attempts, ranks and factors.
func printTables(w io.Writer, x *explain.Page) error {
	visits := show.NewList("attempt", "status", "outcome", "took", "note")
	for _, v := range x.Visits {
		visits.Add(clockTime(v.At), orDash(int(v.Status)), v.Class, show.Duration(time.Duration(v.Took*1e9)), show.Line(v.Note))
	}
	ranks := show.NewList("rank by", "in its site", "of", "overall", "of", "value")
	for _, r := range x.Ranks {
		name := r.Board
		if name == "" {
			name = x.Policy
		}
		overall := show.Grouped(r.Overall)
		if r.Overall == 0 {
			overall = "site " + show.Grouped(r.Site)
		}
		ranks.Add(name, show.Grouped(r.InSite), show.Grouped(r.OfSite), overall, show.Grouped(r.Of), plot.Number(r.Value))
	}
	factors := show.NewList("factor", "value", "share")
	for _, f := range x.Factors {
		share := "-"
		if f.Share != 0 {
			share = fmt.Sprintf("%.0f %%", 100*f.Share)
		}
		factors.Add(strings.TrimPrefix(f.Of+": "+f.Name, ": "), plot.Number(f.Value), share)
	}
	terms, used := termTable(x.Score)
	for _, table := range []struct {
		list *show.List
		rows int
	}{{visits, len(x.Visits)}, {ranks, len(x.Ranks)}, {factors, len(x.Factors)}, {terms, used}} {
		if table.rows > 0 {
			fmt.Fprintln(w)
			if err := table.list.Print(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// termTable returns the terms of a score, and their number.
func termTable(a *policy.Appraisal) (t *show.List, rows int) {
	t = show.NewList("term", "value", "quantile")
	if a == nil {
		return t, 0
	}
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return plot.Number(*v)
	}
	for _, x := range a.Terms {
		value := number(x.Value)
		if x.Value == nil {
			value = "missing"
		}
		t.Add(x.Name, value, number(x.Quantile))
	}
	return t, len(a.Terms)
}

// orDash writes a number, or - for 0.
func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
