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
		h := &heard{View: v}
		x.Page, err = explain.URL(h, text, explain.Options{Now: time.Now(), Status: v.Status, Reason: reason, Visits: visitsShown, Links: follow.Linkers, InSite: v.S.Frontier.Pages() > ranksUpTo})
		if err != nil {
			return err
		}
		if x.Page.Facts == nil {
			if x.Page.Similar != "" {
				x.Similar = pageLink(a.base, x.Page.Similar)
			}
			x.need(a)
			return nil
		}
		x.fill(a, v, h)
		return v.S.Err
	})
	a.title = text
	if x.Page != nil {
		a.title = x.URL
	}
	return x, err
}

// need adds what is known of a requisite.
func (x *urlPage) need(a *asked) {
	r := x.Requisite
	if r == nil {
		return
	}
	add := func(name, value, to string) {
		if value != "" {
			x.Facts = append(x.Facts, figure{Name: name, Value: value, To: to})
		}
	}
	add("state", strings.TrimSpace(r.State+" "+r.Why), "")
	add("first needed by", r.Page, pageLink(a.base, r.Page))
	add("type", r.Media, "")
	if r.Status != 0 {
		add("status", fmt.Sprint(r.Status), "")
		add("size", show.Bytes(r.Bytes), "")
	}
	site, _ := page.Site([]byte(x.URL))
	x.SiteTo = siteLink(a.base, string(site))
	if r.State == explain.Fetched {
		x.Copy = a.s.copyLink(a.Request, a.c, x.URL, time.Now())
	}
}

// A heard is a crawl that is explained. It keeps what the records say about the page.
type heard struct {
	*follow.View
	visits []attempt
	title  string
	out    []graph.Page
	at     []event.Anchor
}

// An attempt is a visit as the journal has it.
type attempt struct {
	start, end time.Duration
	class      event.Class
	bytes      int64
	status     uint16
	note       string
	digest     [16]byte
	stored     bool
}

// About calls fn for the records that tell about a page, and keeps what is shown of them.
func (h *heard) About(p graph.Page, fn func(*journal.Record) error) error {
	return h.View.About(p, func(r *journal.Record) error {
		if e := &r.Event; e.Kind == event.Done && e.Page == p {
			h.take(r)
		}
		return fn(r)
	})
}

// take keeps an attempt at the page.
func (h *heard) take(r *journal.Record) {
	e, f := &r.Event, &r.Facts
	h.visits = append(h.visits, attempt{e.Start, e.End, e.Class, e.Bytes, f.Status, f.Note, f.Digest, f.Place.Length > 0})
	if e.Class.Failed() {
		return
	}
	h.title = cmp.Or(f.Title, h.title)
	if f.Status != 304 || len(e.Links) > 0 {
		h.out, h.at = append(h.out[:0], e.Links...), append(h.at[:0], e.Anchors...)
	}
}

// fill adds what the journal has about the page, and its links.
func (x *urlPage) fill(a *asked, v *follow.View, h *heard) {
	x.SiteTo, x.Title, x.Outs = siteLink(a.base, x.Site), h.title, len(h.out)
	var digest [16]byte
	for i := range h.visits {
		x.Visits = append(x.Visits, x.visit(a, v, &h.visits[i], &digest))
	}
	x.Visits = x.Visits[max(0, len(x.Visits)-visitsShown):]
	slices.Reverse(x.Visits)
	for _, p := range v.Index.LinkedFrom(x.ID) {
		x.In = append(x.In, linkedAt(a.base, v, p, ""))
	}
	for i, p := range h.out[:min(len(h.out), linksShown)] {
		region := ""
		if i < len(h.at) {
			region = h.at[i].Region.String()
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
func (x *urlPage) visit(a *asked, v *follow.View, t *attempt, digest *[16]byte) visit {
	out := visit{
		At: v.S.Wall(t.end), Status: t.status, Class: t.class.String(), Took: show.Duration(t.end - t.start), Bytes: show.Bytes(t.bytes),
		Note: t.note, Failed: t.class.Failed(), Changed: "-",
	}
	none := [16]byte{}
	switch {
	case t.class.Failed():
		return out
	case t.status == 304, t.digest != none && t.digest == *digest:
		out.Changed = "no"
	case t.digest != none && *digest != none:
		out.Changed = "yes"
	case t.digest != none:
		out.Changed = "first"
	}
	if t.digest != none {
		*digest = t.digest
	}
	if t.stored {
		out.Copy = a.s.copyLink(a.Request, a.c, x.URL, time.Unix(0, v.S.Began).Add(t.end))
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
