package crawl

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// withState restores the state of a crawl from these snapshots and its journal.
func (w *testWeb) withState(t *testing.T, snapshots disk.Dir, do func(*state.State)) {
	t.Helper()
	p := layout.Parts{Journal: w.disk[layout.JournalDir], Urls: disk.NewMemory(), Snapshot: snapshots, UrlFile: layout.URLFile}
	id, err := layout.ReadIdentity(p.Journal)
	if err != nil {
		t.Fatal(err)
	}
	set, err := state.NewSetup(&w.o.Config, id, int64(w.o.Config.MaxMemory))
	if err != nil {
		t.Fatal(err)
	}
	s, err := state.Restore(&p, set, ^uint64(0), func(text string, args ...any) { t.Log(append([]any{text}, args...)...) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	do(s)
}

// mirrored is a web of two hosts of which so many pages are equal and some are not, and a
// page that links to all of them.
func mirrored(t *testing.T, equal, other int) *handWeb {
	hosts := map[string]http.HandlerFunc{}
	var links []string
	for _, name := range []string{"first.example", "second.example"} {
		for _, rest := range append(many(equal, "same"), many(other, "own")...) {
			links = append(links, "http://"+name+rest)
		}
		hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/same/"):
				writePage(rw, "Page", words(r.URL.Path, 80))
			case r.URL.Path == "/robots.txt":
				http.NotFound(rw, r)
			default:
				fresh(rw, r)
			}
		}
	}
	hosts["a.example"] = linksTo(links...)
	return newHandWeb(t, hosts, "http://a.example/")
}

// came counts the pages of a host that were asked for, each once.
func (w *handWeb) came(t *testing.T, host string) (n int) {
	t.Helper()
	list := slices.DeleteFunc(slices.Clone(w.asked), func(url string) bool {
		return !strings.HasPrefix(url, "http://"+host+"/") || strings.HasSuffix(url, "/robots.txt")
	})
	slices.Sort(list)
	if n = len(list); len(slices.Compact(list)) != n {
		t.Errorf("pages of %s were asked for twice", host)
	}
	return n
}

// A site that is four fifths of another is its mirror (W21): it is named, its pages go
// later, and all of them come; also when the crawl stops in the middle.
func TestMirrors(t *testing.T) {
	for _, stops := range [][]int64{{0}, {30, 60, 85, 0}} {
		synctest.Test(t, func(t *testing.T) {
			w := mirrored(t, 40, 5)
			for _, pages := range stops {
				w.o.Config.Pages = pages
				w.run(t)
				w.o.Seeds = nil
			}
			for _, host := range []string{"first.example", "second.example"} {
				if n := w.came(t, host); n != 45 {
					t.Errorf("%d of 45 pages of %s came", n, host)
				}
			}
			for _, snapshots := range []disk.Dir{w.disk[layout.SnapshotDir], disk.NewMemory()} {
				w.withState(t, snapshots, checkMirror)
			}
			clean(t, w.verify(t))
		})
	}
}

// checkMirror: the host that became known later is the mirror, and none else is.
func checkMirror(s *state.State) {
	list, n := s.Mirrors.List()
	if n != 1 || list[0] != (state.MirrorOf{Site: "http://second.example", Of: "http://first.example"}) {
		panic(fmt.Sprintf("the mirrors are %v", list))
	}
	for p := range s.Frontier.Pages() {
		id := graph.Page(p)
		mirror := string(s.Table.Name(s.Frontier.Site(id))) == "http://second.example"
		if s.Frontier.Discounted(id) != mirror {
			panic(fmt.Sprintf("%s is discounted: %v", s.AppendURL(nil, id), !mirror))
		}
	}
}

// Sites that share less, or have few pages in common, are no mirrors.
func TestNoMirrors(t *testing.T) {
	for _, c := range []struct{ equal, other int }{{15, 0}, {15, 25}, {0, 40}} {
		synctest.Test(t, func(t *testing.T) {
			w := mirrored(t, c.equal, c.other)
			w.run(t)
			w.withState(t, w.disk[layout.SnapshotDir], func(s *state.State) {
				if list, _ := s.Mirrors.List(); len(list) > 0 {
					t.Errorf("%+v: the mirrors are %v", c, list)
				}
			})
		})
	}
}

// fate is what a crawl thought of a page when it came.
type fate struct {
	order int
	class event.Class
	near  bool
	links int
}

// cameAs are the pages that came, by path.
func (w *handWeb) cameAs(t *testing.T) map[string]fate {
	t.Helper()
	var rests []string
	came := map[string]fate{}
	dir, _ := w.disk.open(layout.JournalDir)
	_, err := journal.Read(dir, 0, func(r *journal.Record) error {
		for i := range r.Facts.Names.Len() {
			rests = append(rests, string(r.Facts.Names.Rest(i)))
		}
		if r.Event.Kind == event.Done {
			came[rests[r.Event.Page]] = fate{len(came), r.Event.Class, r.Facts.Near != 0, len(r.Event.Links)}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return came
}

// copies is a site with an original (/o), a copy that is found first, one that is found
// later, one with another link, pages that differ in a word, and pages that differ in a
// number, each with a link of its own.
func copies(t *testing.T) *handWeb {
	s := siteMap{pages: map[string][]string{
		"/":                {"/long/copy.html", "/plain", "/near/1", "/near/2", "/plain/2", "/o", "/later/copy.html", "/other/copy.html", "/number/1", "/number/2"},
		"/long/copy.html":  {"/of/copy"},
		"/o":               {"/of/copy"},
		"/later/copy.html": {"/of/copy"},
		"/other/copy.html": {"/of/other"},
		"/number/1":        nil,
		"/number/2":        nil,
		"/near/1":          {"/of/near1"},
		"/near/2":          {"/of/near2"},
		"/plain":           {"/of/plain"},
		"/plain/2":         {"/of/plain2"},
		"/of/copy":         nil,
		"/of/other":        nil,
		"/of/near1":        nil,
		"/of/near2":        nil,
		"/of/plain":        nil,
		"/of/plain2":       nil,
	}}
	s.text = func(rw http.ResponseWriter, rest string, links []string) {
		text := words(rest, 80)
		switch {
		case rest == "/o" || strings.HasSuffix(rest, "/copy.html"):
			text = words("copy", 80)
		case strings.HasPrefix(rest, "/near/"):
			text = words("near", 1000) + words(rest, 1)
		case strings.HasPrefix(rest, "/number/"):
			text = ""
			for i := range 80 {
				text = fmt.Sprint(text, " Table ", i*i*len(rest)+int(rest[len(rest)-1])*i)
			}
		}
		writePage(rw, "Page", text, links...)
	}
	return newHandWeb(t, map[string]http.HandlerFunc{"a.example": s.serve}, "http://a.example/")
}

// A page is a duplicate if its links lead to the same pages, too, unless it is the one with
// the shorter path. Those of a near duplicate, and of a page with the same text, are
// followed after others (W20). Pages that differ in their numbers are not near.
func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := copies(t)
		w.o.Config.Policy = "opic"
		w.run(t)
		came := w.cameAs(t)
		for rest, want := range map[string]event.Class{"/long/copy.html": event.OK, "/o": event.OK, "/later/copy.html": event.Duplicate, "/other/copy.html": event.OK, "/near/2": event.OK} {
			if got, ok := came[rest]; !ok || got.class != want {
				t.Errorf("%s came as %v (%v), want %v", rest, got.class, ok, want)
			}
		}
		if came["/later/copy.html"].links != 0 || came["/o"].links != 1 {
			t.Errorf("links of a duplicate are followed, or those of its original are not: %v", came)
		}
		for rest, want := range map[string]bool{"/of/copy": true, "/of/other": true, "/of/near1": true, "/of/near2": true} {
			if _, ok := came[rest]; ok != want {
				t.Errorf("%s came: %v", rest, ok)
			}
		}
		if came["/near/1"].near || !came["/near/2"].near || came["/plain"].near || !came["/other/copy.html"].near || came["/number/2"].near {
			t.Errorf("near duplicates are %v", came)
		}
		for _, rest := range []string{"/of/plain", "/of/plain2", "/of/near1"} { // under opic all of them are worth the same
			if came["/of/near2"].order < came[rest].order {
				t.Errorf("the link of a near duplicate was followed before %s: %v", rest, came)
			}
		}
		w.withState(t, disk.NewMemory(), func(s *state.State) {
			for p := range s.Frontier.Pages() {
				rest := string(s.AppendURL(nil, graph.Page(p)))
				is := strings.HasSuffix(rest, "/of/near2") || strings.HasSuffix(rest, "/of/other")
				if s.Frontier.Discounted(graph.Page(p)) != is {
					t.Errorf("%s is discounted: %v", rest, !is)
				}
			}
		})
	})
}

// Without the comparison no page is a duplicate of another, nor nearly.
func TestNoDuplicates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := copies(t)
		w.o.Config.Duplicates = false
		sum := w.run(t)
		for rest, f := range w.cameAs(t) {
			if f.class != event.OK || f.near {
				t.Errorf("%s came as %+v", rest, f)
			}
		}
		if sum.Fetched != 17 {
			t.Errorf("%d of 17 pages came", sum.Fetched)
		}
	})
}
