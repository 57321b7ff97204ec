package dashboard

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/journal"
)

const (
	perPage   = 100                    // rows of a table
	searching = 100 * time.Millisecond // that a request may take to look for rows
)

// A siteTable is a part of the list of the sites.
type siteTable struct {
	Rows    []siteRow
	Columns []link // that it can be sorted by
	Sort    string
	Name    string
	Only    string
	Filters []link
	Next    string // address of the next part, "" at the end
	First   string // address of the first part, "" if it is this one
	Looked  string // what was looked at, if that was not all
	From    int
	All     int
	AsOf    time.Time
}

// A siteRow is a site in a table.
type siteRow struct {
	history.SiteInfo
	To, Next string
}

// siteOrders are the orders of the sites, with the words for them.
var siteOrders = []struct{ key, name string }{
	{"name", "site"}, {"waiting", "waiting"}, {"fetched", "fetched"}, {"failed", "failed"}, {"skipped", "skipped"},
	{"requests", "requests"}, {"delay", "delay"}, {"error", "last error"},
}

// orders keeps the sorted lists of the last survey.
type orders struct {
	mu     sync.Mutex
	survey *follow.Survey
	by     map[string][]graph.Site
}

// order returns all sites in an order.
func (o *orders) order(c *crawled, key string) ([]graph.Site, *follow.Survey, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	g, _ := c.Glance()
	if g.Survey == nil {
		return nil, nil, errNoIndex
	}
	if o.survey != g.Survey {
		o.survey, o.by = g.Survey, map[string][]graph.Site{}
	}
	if list := o.by[key]; list != nil {
		return list, o.survey, nil
	}
	list := make([]graph.Site, len(o.survey.Sites))
	keys := make([]int64, len(list))
	var names []string
	err := c.Read(func(v *follow.View) error {
		for i := range list {
			list[i] = graph.Site(i)
			keys[i] = siteKey(v, o.survey, key, graph.Site(i))
			if key == "name" {
				names = append(names, string(v.S.Table.Name(graph.Site(i))))
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b graph.Site) int {
		if key == "name" {
			return strings.Compare(names[a], names[b])
		}
		return cmp.Or(cmp.Compare(keys[b], keys[a]), cmp.Compare(a, b))
	})
	if err == nil {
		o.by[key] = list
	}
	return list, o.survey, err
}

// siteKey returns what a site is sorted by.
func siteKey(v *follow.View, survey *follow.Survey, key string, id graph.Site) int64 {
	n := &survey.Sites[id]
	switch key {
	case "waiting":
		return int64(n.Waiting)
	case "fetched":
		return int64(n.Fetched)
	case "failed":
		return int64(n.Failed)
	case "skipped":
		return int64(n.Skipped)
	case "delay":
		return int64(v.S.Frontier.Between(id))
	case "requests":
		if v.Index != nil {
			requests, _ := v.Index.SiteFacts(id, nil)
			return requests
		}
	case "error":
		if v.Index != nil {
			return int64(v.Index.LastFailure(id))
		}
	}
	return 0
}

func showSites(a *asked) (any, error) {
	t := &siteTable{Sort: "waiting", Name: strings.TrimSpace(a.FormValue("name")), Only: a.FormValue("only")}
	for _, o := range siteOrders {
		if o.key == a.FormValue("sort") {
			t.Sort = o.key
		}
	}
	for _, o := range siteOrders {
		t.Columns = append(t.Columns, link{o.name, a.with("sort", o.key, "from", ""), o.key == t.Sort})
	}
	for _, f := range []struct{ key, name string }{{"", "all"}, {"waiting", "with pages that wait"}, {"failed", "with failed pages"}, {"down", "unreachable"}} {
		t.Filters = append(t.Filters, link{f.name, a.with("only", f.key, "from", ""), f.key == t.Only})
	}
	list, survey, err := a.c.sites.order(a.c, t.Sort)
	if err != nil {
		return t, err
	}
	t.From, _ = strconv.Atoi(a.FormValue("from")) // else from the first on
	t.From = max(0, min(t.From, len(list)))
	t.All, t.AsOf = len(list), survey.At
	return t, a.read(false, func(v *follow.View) error {
		next := t.fill(a, v, survey, list)
		if next < len(list) {
			t.Next = a.with("from", strconv.Itoa(next))
		}
		if t.From > 0 {
			t.First = a.with("from", "")
		}
		return nil
	})
}

// fill adds the sites of a part, and returns the place of the next one.
func (t *siteTable) fill(a *asked, v *follow.View, survey *follow.Survey, list []graph.Site) int {
	start, i := time.Now(), t.From
	for ; i < len(list) && len(t.Rows) < perPage; i++ {
		if i%1024 == 0 && time.Since(start) > searching {
			t.Looked = fmt.Sprintf("%s of %s were looked at.", show.Grouped(i), show.Counted(int64(len(list)), "site"))
			break
		}
		id := list[i]
		n := &survey.Sites[id]
		if t.Name != "" && !strings.Contains(string(v.S.Table.Name(id)), t.Name) || t.Only == "waiting" && n.Waiting == 0 || t.Only == "failed" && n.Failed == 0 {
			continue
		}
		if _, down := v.S.Weather.WhyDown(id); t.Only == "down" && (!down || !v.S.Frontier.Wanting(id)) {
			continue
		}
		t.Rows = append(t.Rows, siteAt(a.base, v, n, id))
	}
	return i
}

// siteAt describes a site.
func siteAt(base string, v *follow.View, n *follow.SiteCount, id graph.Site) siteRow {
	x := siteRow{SiteInfo: v.Site(id, time.Now())}
	x.Known, x.Waiting, x.Fetched, x.Failed, x.Skipped = int64(n.Known), int64(n.Waiting), int64(n.Fetched), int64(n.Failed), int64(n.Skipped)
	if v.Index != nil {
		requests, robots := v.Index.SiteFacts(id, func(r *journal.Record) {
			at := v.S.Wall(r.Event.End)
			x.LastError, x.ErrorAt = history.FailureOf(r), &at
		})
		if x.Requests = requests; x.Robots != "ignored" {
			x.Robots = robots
		}
	}
	x.To = siteLink(base, x.Site)
	switch {
	case x.SiteInfo.Next != nil:
		x.Next = "in " + show.Duration(time.Until(*x.SiteInfo.Next))
	case x.Waiting == 0:
		x.Next = "-"
	case !v.Running:
		x.Next = "when resumed"
	default:
		x.Next = "now"
	}
	return x
}

// A sitePage is all about a site.
type sitePage struct {
	siteRow
	Control  string // where it is controlled, "" if it is not
	Delay    string
	Why      string // what decides the delay
	Place    string
	Failures int
	States   []count
	Traps    []trap.Mark
	Course   []bar
	Partly   bool // of the course, only the last requests
	Requests []ledgerRow
	More     string
}

// A bar is a value with its share of the largest.
type bar struct {
	Label, Value string
	Share        float64 // 0 to 100
}

func showSite(a *asked) (any, error) {
	x := &sitePage{}
	name := strings.TrimSuffix(strings.TrimSpace(a.FormValue("name")), "/")
	err := a.read(false, func(v *follow.View) error {
		id, ok := v.S.Table.LookupSite(v.S.Key.Site([]byte(name)), []byte(name))
		if !ok || int(id) >= v.S.Frontier.Sites() {
			return &wrong{"The crawl knows no site " + name + ".", "A site is scheme, host and port, as in the list of the sites."}
		}
		n := follow.SiteCount{Known: uint32(v.S.Frontier.SitePages(id))}
		if v.Survey != nil && int(id) < len(v.Survey.Sites) {
			n = v.Survey.Sites[id]
			for _, m := range v.Survey.Marks {
				if m.Site == id {
					x.Traps = append(x.Traps, m)
				}
			}
		}
		x.siteRow = siteAt(a.base, v, &n, id)
		x.fill(a, v, id)
		if a.s.controls(a.c) {
			x.Control = a.base + "control?site=" + url.QueryEscape(name)
		}
		return nil
	})
	a.title = name
	return x, err
}

// fill adds what is known of a site.
func (x *sitePage) fill(a *asked, v *follow.View, id graph.Site) {
	k := v.S.Frontier.Clock(v.S.Now, id)
	x.Place, x.Failures = k.Place, k.Failures
	x.Delay, x.Why = show.Duration(v.S.Frontier.Between(id)), waitName(v.S.Frontier.DelayBy(id))
	for _, s := range []struct {
		name string
		n    int64
	}{{history.PageWaiting, x.Waiting}, {history.PageFetched, x.Fetched}, {history.PageFailed, x.Failed}, {history.PageSkipped, x.Skipped}} {
		x.States = append(x.States, count{Name: s.name, Pages: s.n, To: a.base + "pages?site=" + url.QueryEscape(x.Site) + "&state=" + s.name})
	}
	if v.Index == nil {
		return
	}
	x.Course, x.Partly = siteCourse(v, id)
	x.More = a.base + "log?site=" + url.QueryEscape(x.Site)
	x.Requests, _ = ledger(a.base, v, id, 0, 20)
}

// siteSteps is the number of bars of the course of a site, and siteTimes the most requests that
// are looked at for it.
const (
	siteSteps = 16
	siteTimes = 200_000
)

// siteCourse returns the requests of a site over time, and whether there are more.
func siteCourse(v *follow.View, id graph.Site) (list []bar, partly bool) {
	end := v.S.Now + 1
	var n [siteSteps]int64
	all := v.Index.Times(id, siteTimes, func(at time.Duration) { n[int(at*siteSteps/end)]++ })
	most := slices.Max(n[:])
	for i, m := range n {
		from := time.Duration(i) * end / siteSteps
		list = append(list, bar{v.S.Wall(from).Local().Format("Jan 2 15:04:05"), show.Grouped(m), 100 * float64(m) / float64(max(1, most))})
	}
	return list, !all
}

// A ledgerRow is a request with the time since the one before at its site.
type ledgerRow struct {
	Start, Site, SiteTo string
	Kind, URL, To       string
	Status              uint16
	Class               string
	Took, Gap, Late     string
	Failed              bool
	Bytes               string
	Note                string
}

// ledger returns requests, the last first, and the entry to continue with, 0 at the end.
func ledger(base string, v *follow.View, site graph.Site, from uint32, limit int) (rows []ledgerRow, next uint32) {
	next = v.Index.Requests(site, from, 50*limit, func(n uint32, r *journal.Record) bool {
		rows = append(rows, ledgerAt(base, v, n, r))
		return len(rows) < limit
	})
	return rows, next
}

// ledgerAt describes a request.
func ledgerAt(base string, v *follow.View, n uint32, r *journal.Record) ledgerRow {
	e := &r.Event
	id := e.Site
	x := ledgerRow{
		Start: time.Unix(0, v.S.Began).Add(e.Start).Local().Format("2006-01-02 15:04:05.000"), Kind: kindName(e.Kind),
		Status: r.Facts.Status, Class: e.Class.String(), Took: show.Duration(e.End - e.Start), Gap: "-", Late: "-",
		Failed: e.Class.Failed(), Bytes: show.Bytes(e.Bytes), Note: r.Facts.Note,
	}
	start, isPage := e.Start, e.Kind == event.Done
	if isPage {
		id = v.S.Frontier.Site(e.Page)
		x.URL = pageURL(v, e.Page)
		x.To = pageLink(base, x.URL)
		v.Index.Took(n, func(t *journal.Record) { x.Late = show.Duration(max(0, t.Now-t.Facts.Clock)) })
	}
	if e.Kind == event.Brought {
		x.URL = partURL(v, e.Page)
		x.To = pageLink(base, x.URL)
	}
	x.Site = string(v.S.Table.Name(id))
	x.SiteTo = siteLink(base, x.Site)
	if e.Kind != event.Resolved {
		v.Index.Before(n, func(b *journal.Record) { x.Gap = show.Duration(max(0, start-b.Event.End)) })
	}
	return x
}
