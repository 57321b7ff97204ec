package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
)

// TestTortureRecrawl is TestTorture with --recrawl, on a web whose pages change, vanish, move and
// come back, and whose sites lie about it. The score, which is edited meanwhile, weighs the
// visits. After each kill everything is as the records say, revisit records refer to what is
// there, and the server has seen no rule broken; in the end no page is lost.
func TestTortureRecrawl(t *testing.T) {
	t.Parallel()
	kills, pages := 5, 400
	if testing.Short() {
		t.Skip("a quarter of a minute; package crawl has crashes of its own there")
	}
	if n, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE")); err == nil {
		kills, pages = n, 40*n
	}
	v := newVictimOf(t, pages, changingMixed())
	v.args = append(v.args, "--recrawl", "3s")
	rng := rand.New(rand.NewPCG(6, 3))
	for range kills {
		if !v.runAndKill(t, lifetime(rng)) {
			t.Fatal("a crawl that visits pages again has ended")
		}
		v.checkKilled(t)
	}
	runWinnow(t, append(v.args, "--duration", fmt.Sprint(12+kills, "s"))...)
	v.checkKilled(t)
	v.args = append(v.args, "--recrawl", "0s", "--duration", "0s") // on a busy machine new pages are left
	v.finish(t)
	v.checkKilled(t)
	v.checkRevisited(t)
}

// changingMixed is the mixed web with pages that change, by the clock of this process.
func changingMixed() answer.Options {
	so, began := tortureMixed(), time.Now()
	so.AddChanges(func() time.Duration { return time.Since(began) }, began)
	so.Changes.Median, so.Changes.Within, so.Changes.OutageFor = 5*time.Second, time.Minute, time.Second
	return so
}

// checkRevisited is checkServer for a crawl that visits pages again. Pages that vanish or move may
// do so before their first request.
func (v *victim) checkRevisited(t *testing.T) {
	t.Helper()
	c := v.server.Counter()
	found := c.Check(webcount.Demands{Delay: tortureDelay, AddressDelay: tortureIPDelay, AddressCap: 1, Repeats: true})
	for _, x := range append(found, c.CheckWanted(v.server.Wanted(answer.Limits{Sitemaps: true}))...) {
		switch {
		case x.Kind == webcount.Repeated:
		case x.Kind == webcount.Missing && v.server.Fate(x.Page).Kind != answer.Stays:
		case x.Kind == webcount.RetryAfter && v.killedBetween(asksToWait(c, x), x.At):
		default:
			t.Error(x)
		}
	}
	var s struct {
		NotModified int64 `json:"not_modified"`
		Unchanged   int64
	}
	if err := json.Unmarshal(runWinnow(t, "status", "--json", v.dir), &s); err != nil || s.NotModified == 0 || s.Unchanged == 0 {
		t.Errorf("%d pages were not modified and %d unchanged: too few visits (%v)", s.NotModified, s.Unchanged, err)
	}
	t.Logf("killed %d times; %d requests, %d not modified, %d unchanged", len(v.kills), c.Summary().Requests, s.NotModified, s.Unchanged)
}
