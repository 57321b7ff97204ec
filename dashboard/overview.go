package dashboard

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/internal/wording"
	"github.com/winnow-crawler/winnow/journal"
)

// listed is the number of requests, failures and best pages on the overview.
const listed = 8

// An overview is what the first page of a crawl shows.
type overview struct {
	Figures  []figure // numbers with their names
	Charts   []chartPlace
	Course   []courseRow
	Held     string
	Resume   string // the command that continues the crawl
	Requests []row
	Failures []row
	Best     []bestPage
	Fetching []string
	Failed   []count
	Skipped  []count
	Caps     []string
	Notes    []string
	Read     string // how long reading took, and the memory
}

// A figure is a number or a fact with its name.
type figure struct{ ID, Name, Value, More, To string }

// A count is a number of pages of a kind, and where they are listed.
type count struct {
	Name, Meaning string
	Pages         int64
	To            string
	ID            string // of the number, if it moves
}

// A row is a request in a list. Its cells have ids, so that they can move.
type row struct {
	ID, At, What, URL, To string
	Failed                bool
}

// A bestPage is a page with many links to it.
type bestPage struct {
	URL, To string
	Links   int64
}

func showOverview(a *asked) (any, error) {
	g := &a.glance
	o := &overview{}
	if g.Status == nil {
		return o, follow.ErrNotReady
	}
	o.fill(a.base, g)
	if g.Config != nil {
		o.Resume = terminal.ResumeCommand(a.c.Dir, g.Status, g.Config)
	}
	err := a.c.Read(func(v *follow.View) error {
		o.read(a.base, v)
		return nil
	})
	if err == follow.ErrNotReady {
		err = nil
	}
	return o, err
}

// fill takes what a glance shows.
func (o *overview) fill(base string, g *follow.Glance) {
	s := g.Status
	o.Figures = figuresOf(s)
	o.Charts = charts(base)
	o.Held = heldBy(s)
	o.Fetching = s.Fetching
	o.Failed = counts(s.FailedBy, func(name string) (string, string) {
		return "", base + "pages?state=" + history.PageFailed + "&why=" + name
	})
	o.Skipped = counts(s.RefusedBy, func(name string) (string, string) {
		return barMeaning(name), base + "pages?state=" + history.PageSkipped + "&why=" + name
	})
	o.Caps, o.Notes = capTexts(s.Caps), s.Notes
	if g.Indexed > 0 {
		o.Read = fmt.Sprintf("The state was there after %s, the journal was read after %s; the index takes %s.",
			show.Duration(g.Opened), show.Duration(g.Indexed), show.Bytes(g.Bytes))
	}
}

// capTexts says what limits left out.
func capTexts(caps []state.Cap) (list []string) {
	for i := range caps {
		x := &caps[i]
		text := show.Grouped(x.Left) + " " + x.What
		if x.Key != "" {
			text += " by " + wording.CapName(x)
		}
		list = append(list, text)
	}
	return list
}

// heldBy says why a crawl is not faster.
func heldBy(s *history.Status) string {
	if s.State != history.StateRunning {
		return ""
	}
	text := ""
	for i, item := range wording.Holds(s) {
		if i > 0 {
			text += ", "
		}
		text += item
	}
	if text == "" {
		return "nothing"
	}
	return text
}

// barMeaning explains a reason why pages are skipped.
func barMeaning(name string) string {
	for b := range event.Bar(event.Bars()) {
		if b.String() == name {
			return b.Meaning()
		}
	}
	return ""
}

// counts lists numbers, the largest first.
func counts(by map[string]int64, about func(name string) (meaning, to string)) (list []count) {
	for _, name := range show.ByValue(by) {
		meaning, to := about(name)
		list = append(list, count{Name: name, Meaning: meaning, Pages: by[name], To: to})
	}
	return list
}

// figuresOf returns the numbers of a crawl.
func figuresOf(s *history.Status) []figure {
	list := []figure{
		{"fetched", "fetched", show.Grouped(s.Fetched), "", ""},
		{"waiting", "waiting", show.Grouped(s.Waiting), show.Percent(s.Waiting, s.Known), ""},
		{"failed", "failed", show.Grouped(s.Failed), "", ""},
		{"skipped", "skipped", show.Grouped(s.Refused), "", ""},
		{"known", "known pages", show.Grouped(s.Known), "on " + show.Counted(s.Sites, "site"), ""},
		{"rate", "pages a second", show.Rate(s.Rate), "", ""},
		{"active", "requests under way", show.Grouped(s.Active), fmt.Sprintf("of %d fetchers", s.Fetchers), ""},
		{"received", "received", show.Bytes(s.Bytes), show.Counted(s.Requests, "request"), ""},
		{"links", "of links lead to fetched pages", fmt.Sprintf("%.1f %%", 100*s.Gathered), "", ""},
		{"work", "work", show.Duration(s.Ran), "", ""},
		{"memory", "memory of the state", show.Bytes(s.Memory), "", ""},
	}
	if s.Redirects > 0 {
		list[0].More = show.Counted(s.Redirects, "redirect")
	}
	if s.Fetched > 0 && s.Median > 0 {
		list[9].More = "half the pages by " + show.Duration(time.Duration(s.Median*1e9))
	}
	if x := s.Topic; x != nil {
		list = append(list, figure{ID: "hot", Name: "about the topic", Value: show.Grouped(x.Hot), More: fmt.Sprintf("%.1f %% of those read", 100*x.Harvest)})
	}
	if s.Kept+s.Dropped > 0 {
		list = append(list, figure{ID: "kept", Name: "kept", Value: show.Grouped(s.Kept), More: show.Grouped(s.Dropped) + " dropped"})
	}
	return list
}

// read takes what the index shows.
func (o *overview) read(base string, v *follow.View) {
	if v.Survey != nil {
		for _, p := range v.Survey.Best[:min(listed, len(v.Survey.Best))] {
			url := pageURL(v, p)
			o.Best = append(o.Best, bestPage{url, pageLink(base, url), v.S.LinksIn(p)})
		}
	}
	if v.Index == nil {
		return
	}
	o.Course = courseTable(&v.Index.Course)
	v.Index.Requests(graph.NoSite, 0, 2000, func(_ uint32, r *journal.Record) bool {
		o.Requests = append(o.Requests, requestRow(base, v, r, fmt.Sprintf("r%d", len(o.Requests))))
		return len(o.Requests) < listed
	})
	v.Index.Failures(func(r *journal.Record) bool {
		o.Failures = append(o.Failures, requestRow(base, v, r, fmt.Sprintf("f%d", len(o.Failures))))
		return len(o.Failures) < listed
	})
}

// requestRow describes a request in a few words.
func requestRow(base string, v *follow.View, r *journal.Record, id string) row {
	e := &r.Event
	x := row{ID: id, At: v.S.Wall(e.End).Local().Format(time.TimeOnly), Failed: e.Class.Failed()}
	site := e.Site
	switch e.Kind {
	case event.Done:
		x.URL = pageURL(v, e.Page)
		x.To, x.What = pageLink(base, x.URL), e.Class.String()
	case event.Brought:
		x.URL = partURL(v, e.Page)
		x.To, x.What = pageLink(base, x.URL), kindName(e.Kind)+" "+e.Class.String()
	default:
		name := string(v.S.Table.Name(site))
		x.URL, x.To, x.What = name, siteLink(base, name), kindName(e.Kind)+" "+e.Class.String()
	}
	if x.Failed {
		x.What += ": " + history.FailureOf(r)
	} else if r.Facts.Status != 0 {
		x.What += fmt.Sprintf(" %d", r.Facts.Status)
	}
	return x
}

// partURL returns the URL of a requisite, "" if its record is lost.
func partURL(v *follow.View, n graph.Page) (url string) {
	if v.Index == nil {
		return ""
	}
	v.Index.AboutRequisite(n, func(r *journal.Record) error {
		if e := &r.Event; e.Kind == event.Needed && n >= e.First && int(n-e.First) < len(e.Needs) {
			url = string(v.S.Table.Name(e.Needs[n-e.First])) + string(r.Facts.Names.Rest(int(n-e.First)))
		}
		return nil
	})
	return url
}

// kindName names what was requested.
func kindName(k event.Kind) string {
	switch k {
	case event.Ruled:
		return "robots.txt"
	case event.Listed:
		return "sitemap"
	case event.Brought:
		return "requisite"
	case event.Resolved:
		return "address"
	}
	return "page"
}

// values returns the texts that move, by the ids of their elements.
func (o *overview) values(g *follow.Glance) map[string]string {
	m := map[string]string{"state": stateSentence(g), "note": progressNote(g), "held": o.Held}
	for _, f := range o.Figures {
		m["v-"+f.ID], m["m-"+f.ID] = f.Value, f.More
	}
	for _, list := range [][]row{o.Requests, o.Failures} {
		for _, r := range list {
			m[r.ID+"-at"], m[r.ID+"-what"], m[r.ID+"-url"], m["@"+r.ID+"-url"] = r.At, r.What, r.URL, r.To
		}
	}
	return m
}
