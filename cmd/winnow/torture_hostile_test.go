package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
)

// TestTortureHostile is TestTorture on a web with everything on: after
// so many kills the server has seen no rule broken, and the pages differ from those of a
// crawl that nobody killed by at most 1 %, traps not counted: the order of arrival decides
// which of two duplicates is followed, what a limit leaves out, and which pages of a trap
// are tried.
//
// Left out is what would take hours by design, since sites that fail are requested ever more
// rarely: servers and names that fail all the time. TestHostileCrashes of package crawl
// has these, too, in virtual time.
func TestTortureHostile(t *testing.T) {
	t.Parallel()
	kills, pages := 4, 350
	if testing.Short() {
		t.Skip("a quarter of a minute, and several under the race detector; package crawl has crashes of its own there")
	}
	if n, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE")); err == nil {
		kills, pages = n, 150*n
	}
	whole := newHostileVictim(t, pages)
	whole.finish(t)
	whole.checkHostile(t)
	v := newHostileVictim(t, pages)
	rng := rand.New(rand.NewPCG(5, 3))
	for range kills {
		if !v.runAndKill(t, lifetime(rng)) {
			break
		}
		v.checkKilled(t)
	}
	t.Logf("killed %d times, %d times before anything was asked for", len(v.kills), v.early)
	if 2*len(v.kills) < kills {
		t.Errorf("the crawl ended after %d of %d kills: too small a web", len(v.kills), kills)
	}
	v.finish(t)
	v.checkKilled(t)
	v.checkHostile(t)
	v.nearlySamePages(t, whole)
}

// tortureHostile is the hostile web at a pace that a test can wait for, and with larger
// shares, because it is small.
func tortureHostile() answer.Options {
	so := answer.Hostile()
	for _, s := range so.Shares() {
		if strings.HasPrefix(s.Name, "trap-") {
			*s.Value *= 2
		}
	}
	so.Pages.Hang, so.Pages.Drip, so.Pages.EndlessBody, so.Pages.EndlessHeader, so.Pages.Crowd = 0.002, 0.002, 0.003, 0.003, 0.002
	so.Robots.MaxDelay = tortureDelay // a Crawl-delay that is lost by a kill is kept all the same
	so.Pages.Busy, so.RetryAfter = 0.004, time.Second
	so.Pages.Broken, so.Robots.Broken, so.DNS.Missing, so.DNS.Failing, so.Servers.Errors = 0, 0, 0, 0, 0
	so.Servers.Storm, so.Servers.StormFor, so.Servers.Refused, so.Servers.Silent = 0.15, 100*time.Millisecond, 0.08, 0.04
	so.Robots.Hanging, so.Robots.Endless, so.Robots.Changing, so.Copies.Mirrors = 0.04, 0.04, 0.1, 0.1
	so.HTTPS, so.MaxSize, so.MaxLatency = 0.3, 20_000, 5*time.Millisecond
	so.CrowdLinks, so.Traps.FarmPages = 5000, 200
	return so
}

// tortureBody is the largest page of the hostile crawl: answers without end are read so far.
const tortureBody = 256 << 10

// newHostileVictim serves a hostile web, and says how it is crawled.
func newHostileVictim(t *testing.T, pages int) *victim {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(10, pages/25), Links: int64(8 * pages), Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{dir: filepath.Join(t.TempDir(), "crawl"), pages: pages}
	if v.server, err = serve.New(web, tortureHostile()); err != nil {
		t.Fatal(err)
	}
	at := serve.Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0", Addresses: 7}
	if runtime.GOOS != "linux" {
		at.Addresses = 1 // elsewhere 127.0.0.1 is the only loopback address
	}
	net, err := v.server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { net.Close() })
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, v.server.CertificatePEM(), 0o666); err != nil {
		t.Fatal(err)
	}
	v.args = []string{
		"crawl", v.server.URL(0), "--dir", v.dir, "--resolver", net.Resolver(), "--ca-file", ca, "--allow-private", "--scope", "any", "--quiet",
		"--delay", tortureDelay.String(), "--delay-factor", "0", "--ip-delay", tortureIPDelay.String(), "--ip-cap", "1",
		"--retry-delay", "50ms", "--robots-retry", "50ms", "--patience", "6s", "--commit", "20ms",
		"--timeout-first-byte", "1s", "--timeout-connect", "1s", "--timeout-stall", "1s", "--timeout", "2s",
		"--max-body", strconv.Itoa(tortureBody), "--max-memory", "1GiB",
	}
	return v
}

// checkHostile holds what the server saw over all processes against what it may expect, as
// checkServer does. What a kill took the crawl cannot know: a page comes again, a
// Retry-After is not kept, a copy is not known for one.
func (v *victim) checkHostile(t *testing.T) {
	t.Helper()
	c := v.server.Counter()
	found := c.Check(webcount.Demands{Delay: tortureDelay, AddressDelay: tortureIPDelay, AddressCap: 1})
	wanted := v.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: tortureBody})
	for _, x := range c.CheckWanted(wanted) {
		if x.Kind != webcount.Repeated { // Check has them with their instants
			found = append(found, x)
		}
	}
	repeats := 0
	for _, x := range found {
		switch {
		case x.Kind == webcount.Repeated && x.N <= 1+len(v.kills):
			repeats++
		case x.Kind == webcount.RetryAfter && v.killedBetween(asksToWait(c, x), x.At):
		case x.Kind == webcount.ThroughCopy && v.killedBetween(0, x.At):
		default:
			t.Errorf("%v: %s", x, v.server.URL(max(0, x.Page)))
		}
	}
	s := c.Summary()
	t.Logf("%d pages wanted, %d requests, %d in traps (%v), %d pages answered again after a kill", len(wanted.Pages), s.Requests, s.Traps, s.TrapKinds, repeats)
	if len(wanted.Pages) < v.pages/4 || s.Traps == 0 {
		t.Errorf("%d pages wanted, %d requests in traps: no test", len(wanted.Pages), s.Traps)
	}
	v.checkStored(t, func(x *archive.Record) bool { return x.Get("WARC-Truncated") == "" })
}

// nearlySamePages compares two crawls by the pages that they fetched. Of those that lie in
// no trap at most 1 % may be in one of them only. Which pages of a trap are tried before it
// is known for one is up to the order; how many is not.
func (v *victim) nearlySamePages(t *testing.T, whole *victim) {
	t.Helper()
	got, want := v.fetchedPages(t), whole.fetchedPages(t)
	differ, n, trapped := 0, [2]int{}, [2]int{}
	for i, pages := range []map[string]bool{want, got} {
		other := []map[string]bool{got, want}[i]
		for page := range pages {
			if at, _ := v.server.Place(page); at.Trap != answer.NoTrap {
				trapped[i]++
				continue
			}
			if n[i]++; !other[page] {
				differ++
				t.Logf("%s was fetched by one of them only (that was killed: %t)", page, i == 1)
			}
		}
	}
	t.Logf("%d of %d pages differ, %d instead of %d in traps", differ, n[0], trapped[1], trapped[0])
	if 100*differ > n[0] {
		t.Errorf("%d of %d pages differ, want at most 1 %%", differ, n[0])
	}
	if trapped[1] > trapped[0]+trapped[0]/4+4+len(v.kills) {
		t.Errorf("%d pages in traps, without kills %d", trapped[1], trapped[0])
	}
}

// fetchedPages are the URLs without the port, which is another one for each victim.
func (v *victim) fetchedPages(t *testing.T) map[string]bool {
	t.Helper()
	pages := map[string]bool{}
	for line := range bytes.Lines(runWinnow(t, "pages", "--state", "fetched", "--json", v.dir)) {
		var p struct{ URL, State string }
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		u.Host = u.Hostname()
		pages[u.String()] = true
	}
	return pages
}
