package frontier

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// newForbidRun returns a spareRun of one site with five pages whose pages may be forbidden.
func newForbidRun(t *testing.T, forbid *bool) *spareRun {
	t.Helper()
	r := newSpareRun(t, 2, nil)
	r.f.o.Forbid = func(p graph.Page) event.Bar {
		if *forbid && r.f.Site(p) == 0 {
			return event.BarDenied
		}
		return event.NoBar
	}
	return r
}

// A site all of whose pages are forbidden gets no request, whatever is known of it:
// neither address nor robots.txt nor sitemap, at first or when they have expired.
func TestForbid(t *testing.T) {
	forbid := true
	r := newForbidRun(t, &forbid)
	r.seed(2)
	r.run()
	if got := r.kinds(0); len(got) > 0 {
		t.Errorf("at first it was asked for %v", got)
	}
	if got := strings.Join(r.kinds(1), " "); got != "resolve robots fetch fetch fetch fetch fetch" {
		t.Errorf("the other was asked for %s", got)
	}
	r.checkReplay(t, 2)

	forbid = false
	r = newForbidRun(t, &forbid)
	r.seed(2)
	for len(r.kinds(0)) < 3 { // address, rules, a page
		w, ask, ok := r.f.Next(r.now)
		if !ok {
			r.now = max(ask, r.now+1)
			continue
		}
		if w.Kind == event.Robots && w.Site == 0 {
			r.ruled(w, event.Event{Kind: event.Ruled, Task: event.Task{For: 0}, Files: 3, Expiry: r.now + time.Second})
			continue
		}
		r.do(w)
	}
	forbid = true
	r.run()
	if got := r.kinds(0)[3:]; len(got) > 0 {
		t.Errorf("afterwards it was asked for %v", got)
	}
	r.checkReplay(t, 2)
}

// ruled ends a task by an event of its own.
func (r *spareRun) ruled(w event.Task, e event.Event) {
	r.works = append(r.works, w)
	r.log(event.Event{Kind: event.Took, Task: event.Task{Kind: w.Kind, Site: w.Site, For: w.For, Page: w.Page, Board: w.Board}})
	e.Site, e.Start = w.Site, r.now
	r.now += 100 * time.Millisecond
	e.End = r.now
	r.apply(e)
}

// Files that are withdrawn are not requested; the others are.
func TestWithdrawnFiles(t *testing.T) {
	forbid := false
	r := newForbidRun(t, &forbid)
	r.seed(2)
	files := 0
	for {
		w, ask, ok := r.f.Next(r.now)
		switch {
		case !ok && ask == event.Never:
			if files != 2 || r.f.Counts().Files != 0 {
				t.Errorf("%d files were asked for, %d are left", files, r.f.Counts().Files)
			}
			r.checkReplay(t, 2)
			return
		case !ok:
			r.now = max(ask, r.now)
		case w.Kind == event.Robots && w.Site == 0:
			r.ruled(w, event.Event{Kind: event.Ruled, Task: event.Task{For: 0}, Files: 5})
			r.apply(event.Event{Kind: event.Withdrawn, Task: event.Task{Site: 0}, Files: 3})
		case w.Kind == event.Sitemap:
			files++
			r.ruled(w, event.Event{Kind: event.Listed})
		default:
			r.do(w)
		}
	}
}

// A robots.txt that moved to a site which is denied then is requested again where it was.
func TestWithdrawnHop(t *testing.T) {
	forbid := false
	r := newForbidRun(t, &forbid)
	r.seed(2)
	moved := false
	for {
		w, ask, ok := r.f.Next(r.now)
		switch {
		case !ok && ask == event.Never:
			want := []string{"resolve", "robots", "robots", "fetch", "fetch", "fetch", "fetch", "fetch"}
			if got := r.kinds(0); !slices.Equal(got, want) {
				t.Errorf("it was asked for %v, want %v", got, want)
			}
			if slices.ContainsFunc(r.works, func(w event.Task) bool { return w.Kind == event.Robots && w.For != w.Site }) {
				t.Error("its robots.txt was asked for where it had moved to")
			}
			r.checkReplay(t, 2)
			return
		case !ok:
			r.now = max(ask, r.now)
		case w.Kind == event.Robots && w.Site == 0 && !moved:
			moved = true
			r.ruled(w, event.Event{Kind: event.Ruled, Task: event.Task{For: 0}, Hop: true, To: 1})
			hops := 0
			r.f.Hops(func(of, at graph.Site) { hops += int(10*of + at) })
			e := event.Event{Kind: event.Withdrawn, Task: event.Task{Site: 0}, Hop: true}
			if err := r.f.Check(&e); err != nil || hops != 1 {
				t.Fatalf("it cannot be withdrawn: %v; hops %d", err, hops)
			}
			r.apply(e)
		default:
			r.do(w)
		}
	}
}

// What is not there cannot be withdrawn.
func TestCheckWithdrawn(t *testing.T) {
	forbid := false
	r := newForbidRun(t, &forbid)
	r.seed(2)
	for _, e := range []event.Event{
		{Kind: event.Withdrawn, Task: event.Task{Site: 2}}, {Kind: event.Withdrawn, Task: event.Task{Site: 0}, Files: 1}, {Kind: event.Withdrawn, Task: event.Task{Site: 0}, Hop: true},
	} {
		if r.f.Check(&e) == nil {
			t.Errorf("%+v passes", e)
		}
	}
	for _, e := range []event.Event{{Kind: event.Named, Task: event.Task{Site: 2}, Files: 1}, {Kind: event.Named, Task: event.Task{Site: 2}, Files: 1, New: []graph.Site{3}}} {
		if r.f.Check(&e) == nil {
			t.Errorf("%+v passes", e)
		}
	}
	if err := r.f.Check(&event.Event{Kind: event.Denied}); err != nil {
		t.Error(err)
	}
}
