package frontier

import (
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Sitemap files that another site names are requested at their site, which the event makes
// known with a page, on its clock and after its robots.txt. Those of a closed site are not.
func TestNamedFiles(t *testing.T) {
	r := newSpareRun(t, 3, nil)
	r.seed(1)
	e := event.Event{Kind: event.Named, Task: event.Task{Site: 1}, Files: 2, New: []graph.Site{1}}
	if err := r.f.Check(&e); err != nil {
		t.Fatal(err)
	}
	r.apply(e)
	r.apply(event.Event{Kind: event.Named, Task: event.Task{Site: 1}, Files: 1})
	if n := r.f.Counts().Files; n != 3 {
		t.Errorf("%d files", n)
	}
	r.run()
	if got := strings.Join(r.kinds(1), " "); got != "resolve robots sitemap sitemap sitemap fetch" {
		t.Errorf("its site was asked for %s", got)
	}
	r.checkReplay(t, 3)
	r.f.SkipSites(1)
	r.apply(event.Event{Kind: event.Named, Task: event.Task{Site: 2}, Files: 1})
	if n := r.f.Counts().Files; n != 0 {
		t.Errorf("%d files of a closed site", n)
	}
}
