package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// packLines is a deny list as the journal has it.
func packLines(lines ...string) []byte {
	rules, err := gather.ParseDeny("test", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		panic(err)
	}
	return state.PackDeny(rules)
}

// denyFrom lets a deny list be in force from the first record of a kind on.
func denyFrom(name string, fits func(*journal.Record) bool, lines ...string) tampering {
	done := false
	return records(name, history.FindDenied, func(r *journal.Record) int {
		if !done && fits(r) {
			done = true
			r.Facts.Deny = packLines(lines...)
		}
		return 1
	})
}

// rulesWith gives every site these rules.
func rulesWith(name, kind, text string) tampering {
	return records(name, kind, func(r *journal.Record) int {
		if r.Event.Kind == event.Ruled && !r.Event.Hop && !r.Event.Class.Failed() {
			rules := robots.Parse([]byte("User-agent: *\n" + text)).For("winnow")
			r.Facts.Rules, _ = rules.AppendBinary(nil)
		}
		return 1
	})
}

// A request of any kind that the deny list, robots.txt or the scope forbids is found, and
// what is found is that request.
func TestVerifyFindsForbidden(t *testing.T) {
	long(t)
	list := denyFile(t, "nowhere.example")
	var w *handWeb
	synctest.Test(t, func(t *testing.T) {
		w = newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": movedRobots("http://b.example/rules.txt"), "b.example": indexed(5, ""),
		}, "http://a.example/", "http://b.example/")
		w.o.Config.Deny = list
		w.run(t)
	})
	clean(t, w.verify(t))
	session := ofKind(event.Session)
	whole := w.disk
	for _, test := range []struct {
		tampering
		work event.TaskKind // of the finding
		url  string         // in it
	}{
		{denyFrom("resolve", session, "b.example"), event.Resolve, "http://b.example"},
		{denyFrom("robots", session, "b.example"), event.Robots, "http://b.example,"},
		{denyFrom("hop", session, "b.example/rules.txt"), event.Robots, "http://b.example/rules.txt"},
		{denyFrom("sitemap", session, "b.example/sm/3"), event.Sitemap, "http://b.example/sm/3.xml"},
		{denyFrom("page", session, "b.example/x/7"), event.Fetch, "http://b.example/x/7"},
		{denyFrom("edited", ofKind(event.Denied), "b.example/x/99"), event.Fetch, "http://b.example/x/99"},
		{rulesWith("rules of a sitemap", history.FindRobots, "Disallow: /sm/2\n"), event.Sitemap, "http://b.example/sm/2.xml"},
		{configured("scope of a sitemap", history.FindScope, func(c *config.Config) { c.Exclude = []string{"index[.]xml$"} }), event.Sitemap, "http://b.example/index.xml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.disk = memoryDisk{}
			for name, m := range whole {
				w.disk[name] = m.Kill()
			}
			if test.name == "edited" {
				insertDenied(t, w.disk)
			}
			test.change(t, w.disk)
			f := w.verify(t)
			found := false
			for _, x := range f.List {
				found = found || x.Kind == test.kind && strings.Contains(x.What, test.url) && strings.Contains(x.What, fmt.Sprint(test.work))
			}
			if !found {
				t.Errorf("found %v, want %s by %v of %s", f.List, test.kind, test.work, test.url)
			}
		})
	}
}

// insertDenied puts an edit of the deny list in the place of the tenth page that is asked
// for, and that page behind it.
func insertDenied(t *testing.T, d memoryDisk) {
	var took journal.Record
	n := 0
	rewrite(t, d, 1, nth(10, tooks(event.Fetch), func(r *journal.Record) int {
		took = *r
		return 2
	}))
	rewrite(t, d, 1, func(r *journal.Record) int {
		if r.Event.Kind == event.Took && r.Event.Page == took.Event.Page && r.Event.Task.Kind == event.Fetch {
			if n++; n == 1 {
				r.Event, r.Facts = event.Event{Kind: event.Denied}, journal.Facts{Deny: packLines("nowhere.example")}
			}
		}
		return 1
	})
}

// A deny list that the journal does not have, as before this version, is a note.
func TestVerifyWithoutDenyList(t *testing.T) {
	list := denyFile(t, "nowhere.example")
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": indexed(0, "")}, "http://b.example/")
		w.o.Config.Deny = list
		w.run(t)
		records("", "", func(r *journal.Record) int { r.Facts.Deny = nil; return 1 }).change(t, w.disk)
		if f := w.verify(t); f.Count() > 0 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "deny list of session 1") {
			t.Errorf("found %v, notes %q", f.List, f.Notes)
		}
	})
}
