package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
	"github.com/winnow-crawler/winnow/journal"
)

const (
	visitsShown = 50 // of a page
	linksShown  = 50 // from a page
	drawn       = 8  // links on each side of the picture

	// ranksUpTo is the number of known pages up to which the rank of a waiting page among all is
	// counted. Counting takes some 30 ns for each and each board.
	ranksUpTo = 1_000_000
)

// A urlPage is all about a page.
type urlPage struct {
	*explain.Page
	Title   string // of the page itself
	SiteTo  string
	Facts   []figure
	Factors []figure // by which the policy values it
	Visits  []visit
	In, Out []linked
	Outs    int // all links from it
	Picture *picture
	Copy    string
	Similar string // address of the page with another spelling
}

// A visit is an attempt at a page, and whether its content had changed.
type visit struct {
	At      time.Time
	Status  uint16
	Class   string
	Took    string
	Bytes   string
	Changed string
	Note    string
	Failed  bool
	Copy    string
}

// A linked is a page at the other end of a link.
type linked struct{ URL, To, State, Region string }

func showPage(a *asked) (any, error) {
	x := &urlPage{}
	text := strings.TrimSpace(a.FormValue("url"))
	if text == "" {
		return x, &wrong{"Which page?", "Give a URL."}
	}
	if _, err := page.Forms(text); err != nil {
		return x, &wrong{strings.TrimPrefix(err.Error(), "seed "), "A URL is needed, such as https://example.org/docs/"}
	}
	err := a.read(true, func(v *follow.View) error {
		var err error
		reason := wording.PauseReason(v.Status, v.Conf)
		x.Page, err = explain.URL(v, text, explain.Options{Now: time.Now(), Status: v.Status, Reason: reason, Visits: visitsShown, Links: follow.Linkers, InSite: v.S.Frontier.Pages() > ranksUpTo})
		if err != nil {
			return err
		}
		if x.Similar != "" {
			x.Similar = pageLink(a.base, x.Similar)
		}
		if x.Page.Facts == nil {
			x.Similar = ""
			if x.Page.Similar != "" {
				x.Similar = pageLink(a.base, x.Page.Similar)
			}
			return nil
		}
		x.fill(a, v)
		return v.S.Err
	})
	a.title = text
	if x.Page != nil {
		a.title = x.URL
	}
	return x, err
}

// fill adds what the journal has about the page, and its links.
func (x *urlPage) fill(a *asked, v *follow.View) {
	x.SiteTo = siteLink(a.base, x.Site)
	var out []graph.Page
	var regions []event.Anchor
	var digest [16]byte
	v.Index.About(x.ID, func(r *journal.Record) error { // its only errors are those of the function
		e := &r.Event
		if e.Kind != event.Done || e.Page != x.ID {
			return nil
		}
		x.Visits = append(x.Visits, x.visit(a, v, r, &digest))
		if !e.Class.Failed() {
			x.Title = cmp.Or(r.Facts.Title, x.Title)
			if r.Facts.Status != 304 || len(e.Links) > 0 {
				out, regions = slices.Clone(e.Links), slices.Clone(e.Anchors)
			}
		}
		return nil
	})
	x.Visits = x.Visits[max(0, len(x.Visits)-visitsShown):]
	slices.Reverse(x.Visits)
	x.Outs = len(out)
	for _, p := range v.Index.LinkedFrom(x.ID) {
		x.In = append(x.In, linkedAt(a.base, v, p, ""))
	}
	for i, p := range out[:min(len(out), linksShown)] {
		region := ""
		if i < len(regions) {
			region = regions[i].Region.String()
		}
		x.Out = append(x.Out, linkedAt(a.base, v, p, region))
	}
	x.Picture = draw(x)
	x.Facts, x.Factors = factsOf(a.base, x.Page), factorsOf(x.Page)
}

// linkedAt describes the other end of a link.
func linkedAt(base string, v *follow.View, p graph.Page, region string) linked {
	url := pageURL(v, p)
	return linked{url, pageLink(base, url), stateOf(v.S.Frontier.State(p)), region}
}

// visit describes an attempt. digest is that of the content before.
func (x *urlPage) visit(a *asked, v *follow.View, r *journal.Record, digest *[16]byte) visit {
	e := &r.Event
	out := visit{
		At: v.S.Wall(e.End), Status: r.Facts.Status, Class: e.Class.String(), Took: show.Duration(e.End - e.Start), Bytes: show.Bytes(e.Bytes),
		Note: r.Facts.Note, Failed: e.Class.Failed(), Changed: "-",
	}
	none := [16]byte{}
	switch {
	case e.Class.Failed():
		return out
	case r.Facts.Status == 304, r.Facts.Digest != none && r.Facts.Digest == *digest:
		out.Changed = "no"
	case r.Facts.Digest != none && *digest != none:
		out.Changed = "yes"
	case r.Facts.Digest != none:
		out.Changed = "first"
	}
	if r.Facts.Digest != none {
		*digest = r.Facts.Digest
	}
	if r.Facts.Place.Length > 0 {
		out.Copy = a.s.copyLink(a.c, x.URL, time.Unix(0, v.S.Began).Add(e.End))
		x.Copy = cmp.Or(out.Copy, x.Copy)
	}
	return out
}

// factorsOf returns what the value of a page is made of.
func factorsOf(x *explain.Page) (list []figure) {
	for _, f := range x.Factors {
		share := ""
		if f.Share != 0 {
			share = fmt.Sprintf("%.0f %%", 100*f.Share)
		}
		list = append(list, figure{Name: strings.TrimPrefix(f.Of+": "+f.Name, ": "), Value: plot.Number(f.Value), More: share})
	}
	return list
}

// factsOf returns the facts of a page as names and values.
func factsOf(base string, x *explain.Page) []figure {
	var list []figure
	add := func(name, format string, args ...any) {
		list = append(list, figure{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	why := ""
	if x.Why != "" {
		why = " (" + x.Why + ")"
	}
	add("state", "%s%s since %s", x.State, why, clock(x.Since))
	if x.To != "" {
		list = append(list, figure{Name: "redirects to", Value: x.To, To: pageLink(base, x.To)})
	}
	if x.Like != "" {
		list = append(list, figure{Name: "content like", Value: x.Like, To: pageLink(base, x.Like)})
	}
	if x.Rule != "" {
		add("robots.txt", "Disallow: %s", x.Rule)
	}
	found := "by a " + x.Found.By
	if x.Found.By == "history" {
		found = "by the history"
	}
	add("found", "%s, %s, depth %d", found, clock(x.Found.At), x.Depth)
	if x.Found.On != "" {
		list = append(list, figure{Name: "found on", Value: x.Found.On, To: pageLink(base, x.Found.On)})
	}
	add("links in", "%s", show.Counted(x.Links, "fetched page"))
	add("attempts", "%s", show.Grouped(x.Attempts))
	discounted := ""
	if x.Discounted {
		discounted = "; it counts a quarter, because only near duplicates or traps link to it, or its site is a mirror"
	}
	add("value", "%s, by %s%s", plot.Number(x.Value), x.Policy, discounted)
	if x.Score != nil {
		add("score", "%s, by %s", plot.Number(x.Score.Score), x.Score.Expression)
	}
	for _, r := range x.Ranks {
		overall := show.Grouped(r.Overall) + " of " + show.Grouped(r.Of) + " in all"
		switch {
		case r.Overall == 0 && r.Site > 0:
			overall = "its site is number " + show.Grouped(r.Site)
		case r.Overall == 0:
			overall = "not counted among all, because they are so many: winnow explain does"
		}
		add("rank by "+cmp.Or(r.Board, x.Policy), "%s of %s in its site; %s", show.Grouped(r.InSite), show.Grouped(r.OfSite), overall)
	}
	if k := x.Clock; k != nil {
		add("site", "%s; needs %s; a request every %s (%s)", k.Place, k.Needs, show.Duration(time.Duration(k.Between*1e9)), k.By)
		if k.Unreachable != "" {
			add("unreachable", "%s, %s in a row", k.Unreachable, show.Counted(k.Failures, "failure"))
		}
		if k.Retry != nil {
			add("next attempt", "%s", clock(*k.Retry))
		}
	}
	if t := x.Topic; t != nil && t.Similarity != nil {
		add("similarity", "%.4f, nearest to: %s", *t.Similarity, t.Query)
	}
	if g := x.Again; g != nil {
		add("changes", "every %s or so; visits found %s", show.Duration(time.Duration(min(g.Every, 1e9)*1e9)), plot.Number(g.Found))
		add("copy", "of %s; up to date with a probability of %.2f", clock(g.Last), g.UpToDate)
		add("next visit", "in about %s: a visit gains more at %s of %s", show.Duration(time.Duration(g.In*1e9)), show.Counted(g.Before, "page"), show.Grouped(g.Pages))
	}
	if x.Withheld != "" {
		add("not stored", "the page asks for that: %s", x.Withheld)
	}
	return list
}

// A picture shows the links of a page.
type picture struct {
	Height  int
	Middle  int
	Left    []spot
	Right   []spot
	Name    string
	MoreIn  string
	MoreOut string
}

// A spot is a page in a picture.
type spot struct {
	Y        int
	Text, To string
	State    string
}

// draw makes the picture of the links of a page.
func draw(x *urlPage) *picture {
	left, right := x.In[:min(len(x.In), drawn)], x.Out[:min(len(x.Out), drawn)]
	if len(left)+len(right) == 0 {
		return nil
	}
	const step = 30
	rows := max(len(left), len(right), 1)
	p := &picture{Height: rows*step + 40, Name: shortPath(x.URL, 25)}
	p.Middle = p.Height / 2
	place := func(list []linked) (spots []spot) {
		for i, l := range list {
			y := p.Middle + (2*i-len(list)+1)*step/2
			spots = append(spots, spot{y, shortPath(l.URL, 36), l.To, l.State})
		}
		return spots
	}
	p.Left, p.Right = place(left), place(right)
	if n := x.Links - int64(len(left)); n > 0 {
		p.MoreIn = show.Grouped(n) + " more"
	}
	if n := x.Outs - len(right); n > 0 {
		p.MoreOut = show.Grouped(n) + " more"
	}
	return p
}

// shortPath returns what distinguishes a URL, in a few characters.
func shortPath(text string, width int) string {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		rest = text
	}
	if runes := []rune(show.Line(rest)); len(runes) > width {
		half := (width - 1) / 2
		return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
	}
	return show.Line(rest)
}
