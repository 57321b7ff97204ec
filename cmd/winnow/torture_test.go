package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// TestTorture kills crawls, real processes with real files and sockets, by SIGKILL at
// random instants, and runs the same command line again: also while it recovers, and
// while snapshots are written, which small files and short replays make frequent. After
// each kill `winnow verify` must find nothing, and what was committed must still be there.
// In the end the crawl has the pages of one that nobody killed, and no server saw a gap
// that is too short.
//
// A few kills take seconds. `make torture` sets WINNOW_TORTURE=50: so many kills. The
// instants are drawn with a fixed seed; what a process has done by then depends on the
// machine.
func TestTorture(t *testing.T) {
	t.Parallel() // it waits most of the time
	kills, pages := 6, 700
	if testing.Short() {
		t.Skip("seconds, and many more under the race detector; package crawl has crashes of its own there")
	}
	if n, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE")); err == nil {
		kills, pages = n, 150*n
	}
	whole := newVictim(t, pages)
	whole.finish(t)
	v := newVictim(t, pages)
	rng := rand.New(rand.NewPCG(4, 3))
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
	v.checkServer(t)
	v.samePages(t, whole)
}

// lifetime is how long a process lives: every third only as long as it takes to start
// and to recover.
func lifetime(rng *rand.Rand) time.Duration {
	if rng.IntN(3) == 0 {
		return time.Duration(rng.Int64N(int64(150 * time.Millisecond)))
	}
	return time.Duration(rng.Int64N(int64(1200 * time.Millisecond)))
}

// mainOfSmallFiles is winnow with files that end soon, and snapshots every few hundred
// records: by the owner, or by its follower if copies are bounded to one byte.
func mainOfSmallFiles(most int64) {
	u := console.New(os.Stdin, os.Stdout, os.Stderr)
	u.Sizes = crawl.Sizes{Archive: 1 << 20, Journal: 64 << 10, Replay: time.Millisecond, Copy: most, URLs: 4 << 10}
	os.Exit(execute(interruptible(u), u, newRootCommand(u), os.Args[1:]))
}

// A victim is a crawl that is killed, and the web it crawls.
type victim struct {
	dir     string
	args    []string
	server  *serve.Server
	kills   []time.Duration // when the server could be sure of each
	early   int             // kills before a request of that process
	records [][]byte        // that were committed at the last kill
	pages   int
	score   string // file of the score; "": there is none
}

const (
	tortureDelay   = 40 * time.Millisecond
	tortureIPDelay = 2 * time.Millisecond
)

func newVictim(t *testing.T, pages int) *victim {
	t.Helper()
	return newVictimOf(t, pages, tortureMixed())
}

// tortureMixed is the mixed web at a pace that a test can wait for.
func tortureMixed() answer.Options {
	so := answer.Mixed()
	so.Robots.MaxDelay = tortureDelay // a Crawl-delay that is lost by a kill is kept all the same
	so.Pages.Busy, so.RetryAfter = 0.004, time.Second
	// A site that fails all the time, or whose name does, is not requested for minutes.
	so.Pages.Broken, so.Robots.Broken, so.DNS.Missing, so.DNS.Failing = 0, 0, 0, 0
	so.HTTPS, so.MaxSize, so.MaxLatency = 0.3, 20_000, 5*time.Millisecond
	return so
}

// newVictimOf serves a web, and says how it is crawled.
func newVictimOf(t *testing.T, pages int, so answer.Options) *victim {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(20, pages/20), Links: int64(8 * pages), Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{dir: filepath.Join(t.TempDir(), "crawl"), pages: pages}
	if v.server, err = serve.New(web, so); err != nil {
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
	v.score = filepath.Join(t.TempDir(), "score")
	v.args = []string{
		"crawl", v.server.URL(0), "--dir", v.dir, "--resolver", net.Resolver(), "--ca-file", ca, "--allow-private", "--scope", "any", "--quiet",
		"--delay", tortureDelay.String(), "--delay-factor", "0", "--ip-delay", tortureIPDelay.String(), "--ip-cap", "1",
		"--retry-delay", "50ms", "--robots-retry", "50ms", "--patience", "6s", "--commit", "20ms",
		"--max-memory", "1GiB", "--policy", "foresight", "--score-file", v.score,
	}
	v.editScore(t, 0)
	return v
}

// editScore writes one of some expressions to the file of the score. The last one needs other
// terms than those before.
func (v *victim) editScore(t *testing.T, n int) {
	list := []string{"q(pagerank) + depth/10", "0.5*q(pagerank) - depth", "q(sites_in) + q(cash)"}
	name := v.score
	if name == "" {
		return
	}
	err := os.WriteFile(name+".new", []byte(list[n%len(list)]), 0o666)
	if err == nil {
		err = os.Rename(name+".new", name) // a process may begin to read it at this moment
	}
	if err != nil {
		t.Error(err)
	}
}

// runAndKill starts the crawl, and kills it after a while. It reports whether there was
// something to kill.
func (v *victim) runAndKill(t *testing.T, after time.Duration) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	asked := v.server.Counter().Summary().Requests
	defer time.AfterFunc(after/2, func() { v.editScore(t, len(v.kills)+1) }).Stop()
	program := []string{"winnow-copies", "winnow-follows"}[len(v.kills)%2]
	out, err := exec.CommandContext(ctx, program, v.args...).CombinedOutput()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if ctx.Err() == nil || !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	v.kills = append(v.kills, v.server.Counter().Now())
	if v.server.Counter().Summary().Requests == asked {
		v.early++
	}
	return true
}

// finish crawls to the end.
func (v *victim) finish(t *testing.T) {
	t.Helper()
	runWinnow(t, v.args...)
	var status struct{ State, Why string }
	if err := json.Unmarshal(runWinnow(t, "status", "--json", v.dir), &status); err != nil || status.State != "finished" && status.Why != "unreachable" {
		t.Fatalf("the crawl is %s, %s (%v), want it finished, or nothing left but what cannot be reached", status.State, status.Why, err)
	}
}

func runWinnow(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "winnow", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("winnow %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return out
}

// checkKilled verifies what is left, and that it has all that was committed before.
func (v *victim) checkKilled(t *testing.T) {
	t.Helper()
	var now [][]byte
	_, err := journal.Read(disk.OS(filepath.Join(v.dir, "journal", "0000")), 0, func(r *journal.Record) error {
		now = append(now, journal.Encode(nil, r))
		return nil
	})
	if len(v.records) == 0 && len(now) == 0 {
		return // killed before anything was committed
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range v.records {
		if i >= len(now) || !bytes.Equal(b, now[i]) {
			t.Fatalf("record %d of %d was committed before the last kill, and is gone or another one", i, len(v.records))
		}
	}
	v.records = now
	runWinnow(t, "verify", v.dir)
}

// checkServer holds what the server saw over all processes against what it may expect. A
// page whose record a kill took is requested again; a Retry-After that it took cannot be
// kept.
func (v *victim) checkServer(t *testing.T) {
	t.Helper()
	c := v.server.Counter()
	found := c.Check(webcount.Demands{Delay: tortureDelay, AddressDelay: tortureIPDelay, AddressCap: 1})
	for _, x := range c.CheckWanted(v.server.Wanted(answer.Limits{Sitemaps: true})) {
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
		default:
			t.Error(x)
		}
	}
	t.Logf("%d requests, %d pages answered again after a kill", c.Summary().Requests, repeats)
	v.checkStored(t, func(*archive.Record) bool { return true })
}

// asksToWait is the end of the answer with the Retry-After that was not kept.
func asksToWait(c *webcount.Counter, x webcount.Violation) time.Duration {
	for _, q := range c.Requests(x.Site) {
		if q.NotBefore == x.At-x.Got+x.Want {
			return q.End
		}
	}
	return x.At
}

func (v *victim) killedBetween(from, to time.Duration) bool {
	for _, at := range v.kills {
		if from <= at && at <= to {
			return true
		}
	}
	return false
}

// checkStored reads the archive with nothing but its reader: every record is whole, and
// no page that was fetched is there twice, among the records that count.
func (v *victim) checkStored(t *testing.T, counts func(*archive.Record) bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(v.dir, "warc", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archive: %v", err)
	}
	stored := map[string]int{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := countStored(archive.NewReader(f, name), stored, counts); err != nil {
			t.Error(err)
		}
		f.Close()
	}
	for url, n := range stored {
		if _, ok := v.server.Page(url); ok && n > 1 {
			t.Errorf("%s is in the archive %d times", url, n)
		}
	}
}

// countStored counts the answers with status 200 that count, by URL.
func countStored(r *archive.Reader, stored map[string]int, counts func(*archive.Record) bool) error {
	for {
		x, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if x.Type != "response" {
			err = x.Verify()
		} else if head, _, e := x.Response(); e != nil {
			err = e
		} else if head.Status == 200 && counts(x) {
			stored[x.URL]++
		}
		if err != nil {
			return fmt.Errorf("%s: %w", x.URL, err)
		}
	}
}

// samePages compares two crawls by their pages: URL, state, reason.
func (v *victim) samePages(t *testing.T, whole *victim) {
	t.Helper()
	got, want := v.listPages(t), whole.listPages(t)
	if len(want) < v.pages/2 {
		t.Fatalf("%d pages are no test", len(want))
	}
	for url, state := range want {
		if got[url] != state {
			t.Errorf("%s is %q, in the crawl that was not killed %q", url, got[url], state)
		}
	}
	for url := range got {
		if want[url] == "" {
			t.Errorf("%s is not known to the crawl that was not killed", url)
		}
	}
}

// listPages is what `winnow pages` prints. The web of another victim listens at other
// ports, so they are left out.
func (v *victim) listPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for line := range bytes.Lines(runWinnow(t, "pages", "--json", v.dir)) {
		var p struct{ URL, State, Why string }
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		id, ok := v.server.Page(p.URL)
		if !ok {
			t.Errorf("%s is no page of the web", p.URL)
		}
		pages[fmt.Sprint("page ", id)] = p.State + " " + p.Why
	}
	return pages
}
