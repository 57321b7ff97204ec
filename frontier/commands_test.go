package frontier

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// script is a frontier driven by commands. Pages have names like a/1: number 1 of
// site a.
type script struct {
	t       *testing.T
	at      string // file and line, for errors
	printed []string

	f       *Frontier
	make    func() *Frontier
	now     time.Duration
	pages   names
	sites   names
	web     map[string][]string // links of pages, for the command crawl
	forbids map[string]bool
	starts  map[uint32]time.Duration // of pages under way
}

// names numbers names in the order in which they are seen.
type names struct {
	ids   map[string]uint32
	names []string
}

func (n *names) id(name string) (id uint32, fresh bool) {
	if id, ok := n.ids[name]; ok {
		return id, false
	}
	id = uint32(len(n.names))
	n.ids[name] = id
	n.names = append(n.names, name)
	return id, true
}

func newScript(t *testing.T) *script {
	return &script{t: t, web: map[string][]string{}, forbids: map[string]bool{}}
}

func (s *script) close() {
	if s.f != nil {
		s.f.Free()
	}
}

func (s *script) printf(format string, args ...any) {
	s.printed = append(s.printed, fmt.Sprintf(format, args...))
}

func (s *script) fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf(s.at+": "+format, args...)
}

func (s *script) command(words []string) {
	if s.f == nil && words[0] != "frontier" {
		s.fatalf("the script must begin with the command frontier")
	}
	a := s.arguments(words[1:])
	switch words[0] {
	case "frontier":
		s.frontier(a)
	case "web":
		s.web[a.one()] = a.links
	case "forbid", "allow":
		for _, p := range a.words {
			s.forbids[p] = words[0] == "forbid"
		}
	case "at":
		s.setClock(a.one())
	case "seed":
		e := event.Event{Kind: event.Seed, New: s.know(a.words), Bars: s.bars(a)}
		a.finish()
		s.apply(e)
	case "next":
		s.next(a)
	case "more":
		s.more(a.one())
	case "done", "fail":
		s.done(a, words[0] == "fail")
	case "resolved":
		s.resolved(a)
	case "ruled":
		s.ruled(a)
	case "listed":
		s.listed(a)
	case "admit":
		s.apply(event.Event{Kind: event.Admitted, Admit: s.all(a.words)})
	case "revisit", "urgent":
		s.apply(event.Event{Kind: event.Revisit, Admit: s.all(a.words), Urgent: words[0] == "urgent"})
	case "skip":
		s.skip(a)
	case "settle":
		s.f.Settle(s.now, s.site(a.one()))
	case "session":
		clear(s.starts)
		s.apply(event.Event{Kind: event.Session})
	case "save":
		s.save()
	case "crawl":
		s.crawl(a)
	case "state":
		s.state()
	case "values":
		s.values(a.words)
	case "counts":
		s.counts()
	default:
		s.fatalf("unknown command %q", words[0])
	}
}

func (s *script) frontier(a *arguments) {
	o := Options{
		Delay: a.duration("delay"), SmallDelay: a.duration("small-delay"), SmallSite: int(a.number("small-site")),
		Factor: a.number("factor"), FactorMax: a.duration("factor-max"),
		BackOff: a.duration("back-off"), BackOffMax: a.duration("back-off-max"),
		PerConnection: int(a.number("c")),
		Resolve:       a.has("resolve"), Robots: a.has("robots"), Hold: a.has("hold"),
		Allowed:    func(p graph.Page) bool { return !s.forbids[s.pages.names[p]] },
		AddressCap: int(a.number("address-cap")), AddressDelay: a.duration("address-delay"),
		Batch: int(a.number("batch")), MinActive: int(a.number("min-active")), SiteShare: a.number("share"),
		Slow: a.duration("slow"), SlowTimes: int(a.number("slow-times")), SlowDelay: a.duration("slow-delay"), SlowMax: a.duration("slow-max"),
		Slice: int(a.number("slice")), MaxPages: 1000, MaxSites: 100,
		Batched: func(_ time.Duration, pages []graph.Page) { s.printf("batch %s", s.list(pages)) },
	}
	if a.has("twins") {
		o.Twin = s.twin
	}
	if name, ok := a.take("mode"); ok {
		var err error
		if err = o.Mode.Set(name); err != nil {
			s.fatalf("%v", err)
		}
	}
	page, site := a.choice("policy"), a.choice("site-policy")
	if page == nil {
		s.fatalf("no policy")
	}
	env := policy.Env{Batch: o.Batch, SiteName: func(p graph.Site) string { return s.sites.names[p] }}
	a.finish()
	s.make = func() *Frontier {
		f, err := New(o, env, page, site, nil)
		if err != nil {
			s.fatalf("%v", err)
		}
		return f
	}
	s.close()
	s.f, s.now = s.make(), 0
	clear(s.web)
	clear(s.forbids)
	s.pages, s.sites = names{ids: map[string]uint32{}}, names{ids: map[string]uint32{}}
	s.starts = map[uint32]time.Duration{}
}

// twin pairs a and as, b and bs.
func (s *script) twin(site graph.Site) graph.Site {
	name := s.sites.names[site]
	other, secure := strings.CutSuffix(name, "s")
	if !secure {
		other = name + "s"
	}
	if t, ok := s.sites.ids[other]; ok {
		return graph.Site(t)
	}
	return graph.NoSite
}

func (s *script) list(pages []graph.Page) string {
	var out []string
	for _, p := range pages {
		out = append(out, s.pages.names[p])
	}
	return strings.Join(out, " ")
}

// know numbers pages, and returns the sites of those that are new.
func (s *script) know(pages []string) (sites []graph.Site) {
	for _, name := range pages {
		if _, fresh := s.pages.id(name); fresh {
			site, _, _ := strings.Cut(name, "/")
			id, _ := s.sites.id(site)
			sites = append(sites, graph.Site(id))
		}
	}
	return sites
}

func (s *script) page(name string) graph.Page {
	id, ok := s.pages.ids[name]
	if !ok {
		s.fatalf("page %s is not known", name)
	}
	return graph.Page(id)
}

func (s *script) site(name string) graph.Site {
	id, ok := s.sites.ids[name]
	if !ok {
		s.fatalf("site %s is not known", name)
	}
	return graph.Site(id)
}

func (s *script) setClock(text string) {
	d, err := time.ParseDuration(text)
	if err != nil || d < s.now {
		s.fatalf("at %s: the clock is at %v (%v)", text, s.now, err)
	}
	s.now = d
}

func (s *script) apply(e event.Event) {
	defer func() {
		if p := recover(); p != nil {
			s.printf("panic: %v", p)
		}
	}()
	s.f.Apply(s.now, &e)
}

// next asks once, or as often as the word after it says, until there is nothing.
func (s *script) next(a *arguments) {
	n := 1
	if len(a.words) > 0 {
		n, _ = strconv.Atoi(a.words[0])
	}
	for range n {
		w, ask, ok := s.f.Next(s.now)
		s.refusals()
		if !ok {
			s.printf("nothing until %s", instantName(ask))
			return
		}
		s.printf("%s", s.begin(w))
	}
}

func instantName(at time.Duration) string {
	if at == event.Never {
		return "something happens"
	}
	return at.String()
}

func (s *script) begin(w event.Task) string {
	switch {
	case w.Kind == event.Robots && w.For != w.Site:
		return fmt.Sprintf("robots %s for %s", s.sites.names[w.Site], s.sites.names[w.For])
	case w.Kind != event.Fetch:
		return fmt.Sprintf("%v %s", w.Kind, s.sites.names[w.Site])
	}
	s.starts[uint32(w.Page)] = s.now
	return fmt.Sprintf("fetch %s", s.pages.names[w.Page])
}

func (s *script) refusals() {
	for _, p := range s.f.Refusals() {
		s.printf("refused %s", s.pages.names[p])
	}
}

func (s *script) more(site string) {
	w, ok := s.f.More(s.now, s.site(site))
	s.refusals()
	if !ok {
		s.printf("no more")
		return
	}
	s.printf("%s", s.begin(w))
}

// done ends an attempt at a page: done a/1 -> a/2, or fail a/1 timeout again=60s.
func (s *script) done(a *arguments, failed bool) {
	p := s.page(a.one())
	e := event.Event{Kind: event.Done, Task: event.Task{Page: p}, Start: s.starts[uint32(p)], End: s.now, Retry: a.duration("retry"), Keep: !a.has("close")}
	if at, ok := a.take("ended"); ok {
		e.End, _ = time.ParseDuration(at)
	}
	delete(s.starts, uint32(p))
	if failed {
		e.Class = s.class(a.words[1])
	}
	s.again(a, &e)
	if d := a.duration("due"); d > 0 {
		e.Due = s.now + d
	}
	e.New = s.know(a.links)
	e.Links, e.Bars = s.all(a.links), s.bars(a)
	if a.has("admit") {
		e.Admit = slices.DeleteFunc(slices.Clone(e.Links), func(p graph.Page) bool { return int(p) >= s.f.Pages() })
	}
	a.finish()
	s.apply(e)
}

// again reads again=60s: to be tried again that much later.
func (s *script) again(a *arguments, e *event.Event) {
	if _, e.Again = a.keys["again"]; e.Again {
		e.Due = s.now + a.duration("again")
	}
}

func (s *script) class(name string) event.Class {
	for c := event.OK; c <= event.LastClass; c++ {
		if c.String() == name {
			return c
		}
	}
	s.fatalf("unknown class %q", name)
	return 0
}

// save continues with a frontier that was saved and loaded.
func (s *script) save() {
	var b bytes.Buffer
	if err := s.f.Save(&b); err != nil {
		s.fatalf("%v", err)
	}
	f := s.make()
	if err := f.Load(&b); err != nil {
		s.fatalf("%v", err)
	}
	s.f.Free()
	s.f = f
}

// counts prints the numbers that a frontier always has, and others that are not 0.
func (s *script) counts() {
	n := reflect.ValueOf(s.f.Counts())
	var out []string
	for i := range n.NumField() {
		if i < 6 || n.Field(i).Int() != 0 {
			out = append(out, fmt.Sprintf("%s:%d", n.Type().Field(i).Name, n.Field(i).Int()))
		}
	}
	s.printf("{%s}", strings.Join(out, " "))
}

// values prints values of pages on the first board.
func (s *script) values(pages []string) {
	var out []string
	for _, p := range pages {
		out = append(out, fmt.Sprintf("%s=%.6g", p, s.f.Value(s.page(p), 0)))
	}
	s.printf("%s", strings.Join(out, " "))
}

var placeNames = [...]string{"ready", "waiting", "acquired", "kept", "blocked", "held"}
var stageNames = [...]string{", needs its address", ", needs robots.txt", "", ", closed", ", its robots.txt moved"}

// state prints a line for each site.
func (s *script) state() {
	f := s.f
	for i, name := range s.sites.names {
		at := placeNames[f.sites.place.At(i)]
		if f.sites.place.At(i) == waiting {
			at += " until " + instantName(f.Instant(graph.Site(i)))
		}
		if a := f.Addresses().Of(graph.Site(i)); f.sites.place.At(i) == ready && a != 0 && f.sites.addresses.busy(s.now, a) {
			at += ", address busy"
		}
		at += stageNames[f.sites.stage.At(i)]
		by := map[State][]string{}
		for p, page := range s.pages.names {
			if f.Site(graph.Page(p)) == graph.Site(i) {
				st := f.State(graph.Page(p))
				if b := f.Bar(graph.Page(p)); b != event.NoBar && b != event.BarRobots {
					page += " (" + b.String() + ")"
				}
				by[st] = append(by[st], page)
			}
		}
		for st := Known; st <= Reacquired; st++ {
			if by[st] != nil {
				at += fmt.Sprintf("; %v %s", st, strings.Join(by[st], " "))
			}
		}
		s.printf("%s: %s", name, at)
	}
}
