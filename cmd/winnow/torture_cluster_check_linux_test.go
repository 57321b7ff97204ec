package main

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// check looks at what the server saw, and at the crawl as it is when it was brought together.
func (c *trio) check(t *testing.T) {
	t.Helper()
	dir := filepath.Join(c.dir, "big.crawl")
	t.Logf("%s", runWinnow(t, append([]string{"cluster", "gather", "-o", dir, "--move"}, c.at()...)...))
	t.Logf("%s", runWinnow(t, "verify", dir))
	t.Logf("%s", runWinnow(t, append([]string{"verify"}, c.at()...)...))
	n := c.server.Counter()
	found := n.Check(webcount.Demands{Delay: c.delay, AddressDelay: 2 * time.Millisecond, AddressCap: 1, Repeats: true})
	for _, x := range n.CheckWanted(c.server.Wanted(answer.Limits{Sitemaps: true})) {
		if x.Kind != webcount.Repeated { // see repeats
			found = append(found, x)
		}
	}
	for _, x := range found {
		if f := c.waking(n.Began().Add(x.At)); f != nil {
			t.Logf("%v, when %s woke: the gap that is documented", x, f.node)
			continue
		}
		t.Error(x)
	}
	c.repeats(t, dir)
	c.goOn(t)
	c.taken(t, tenancies(t, dir, trioPartitions))
	c.said(t)
}

// taken fails unless the partitions of a node that was gone for longer than a lease lasts, while the
// others were well, were soon with a node again: the burial takes 33 s, and brokers 8 s to find
// leaders.
func (c *trio) taken(t *testing.T, list [][]tenancy) {
	t.Helper()
	const most = roster.TTL + roster.Margin + 8*time.Second + 15*time.Second // some to read journals, on a busy machine
	for _, f := range c.done {
		if f.kind != stopped && f.kind != cutOff || f.d < roster.TTL+2*roster.Margin || f.beside {
			continue
		}
		n, last := 0, time.Duration(0)
		for p, own := range list {
			i, _ := slices.BinarySearchFunc(own, f.begin, func(x tenancy, at time.Time) int { return x.at.Compare(at) })
			if i == 0 || own[i-1].node != f.node {
				continue
			}
			if i == len(own) || own[i].at.Sub(f.begin) > most {
				t.Errorf("%v: nobody has taken partition %d", f, p)
				continue
			}
			n, last = n+1, max(last, own[i].at.Sub(f.begin))
		}
		c.moved += n
		t.Logf("%v: %d partitions had another session, after at most %v", f, n, last.Round(100*time.Millisecond))
	}
}

// waking returns a stop longer than a lease that ended at about an instant. A process that was stopped
// between its last check and the write makes that one request when it wakes.
func (c *trio) waking(at time.Time) *fault {
	for _, f := range c.done {
		if f.kind == stopped && f.d >= long && at.After(f.end.Add(-time.Second)) && at.Before(f.end.Add(time.Second)) {
			return f
		}
	}
	return nil
}

// A tenancy is a session of a partition: from when on which node had it.
type tenancy struct {
	at   time.Time
	node string
}

// tenancies reads the sessions of all partitions.
func tenancies(t *testing.T, dir string, partitions int) [][]tenancy {
	t.Helper()
	list := make([][]tenancy, partitions)
	for p := range list {
		h, err := history.Open(t.Context(), layout.PartitionDir(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		err = h.Each(func(r *journal.Record) error {
			if s := r.Facts.Session; s != nil {
				list[p] = append(list[p], tenancy{time.Unix(0, s.Wall), r.Facts.Node})
			}
			return nil
		})
		h.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// repeats explains all pages that were answered twice. A page may be answered again if a fault of the
// node that had it cost that node the partition before the first answer was committed. A site is not
// requested again before its last answer was committed. So the first answer is the last one of its
// site before another session of the partition, and each session costs a site at most one.
func (c *trio) repeats(t *testing.T, dir string) {
	t.Helper()
	x, err := layout.ReadPartitions(disk.OS(dir))
	if err != nil {
		t.Fatal(err)
	}
	table, err := suffix.Open(x.Suffixes)
	if err != nil {
		t.Fatal(err)
	}
	list := tenancies(t, dir, x.Partitions)
	n := c.server.Counter()
	costs := map[*fault]int{}
	for i := range n.Sites() {
		id := graph.Site(i)
		own := list[table.Partition(n.Name(id), x.Partitions)]
		for _, r := range repeated(n.Requests(id)) {
			f, why := c.cause(own, n.Began(), r)
			if f == nil {
				t.Errorf("site %d, page %d was answered at %v and at %v: %s", i, r.first.Page, r.first.End.Round(time.Millisecond), r.again.Start.Round(time.Millisecond), why)
				continue
			}
			costs[f]++
		}
	}
	sessions := 0
	for _, own := range list {
		sessions += len(own)
	}
	total := 0
	for _, f := range c.done {
		total += costs[f]
		if costs[f] > 0 {
			t.Logf("%v: %d pages were answered again", f, costs[f])
		}
	}
	t.Logf("%d requests, %d pages answered again, %d sessions of %d partitions", n.Summary().Requests, total, sessions, x.Partitions)
}

// A repeat is a page that was answered again.
type repeat struct {
	first, again webcount.Request
	next         time.Duration // start of the request to the site that followed the first answer
}

// repeated returns the repeats of a site.
func repeated(log []webcount.Request) (list []repeat) {
	slices.SortFunc(log, func(a, b webcount.Request) int { return cmp.Compare(a.Start, b.Start) })
	last := map[graph.Page]int{}
	for i, q := range log {
		if q.Kind != answer.KindPage || q.Status != http.StatusOK || !q.Full {
			continue
		}
		if j, ok := last[q.Page]; ok {
			list = append(list, repeat{log[j], q, log[j+1].Start})
		}
		last[q.Page] = i
	}
	return list
}

// cause returns the fault that explains a repeat, nil and the reason if there is none.
func (c *trio) cause(own []tenancy, began time.Time, r repeat) (f *fault, why string) {
	first, next := began.Add(r.first.Start), began.Add(r.next)
	i := slices.IndexFunc(own, func(x tenancy) bool { return x.at.After(first) })
	switch {
	case i < 0 || own[i].at.After(next):
		return nil, fmt.Sprintf("the site was requested meanwhile (at %v), and no session of its partition began before that", r.next.Round(time.Millisecond))
	case i == 0:
		return nil, "no node had its partition"
	}
	before := own[i-1]
	for _, f := range c.done {
		if (f.node == before.node || f.other == before.node && (f.kind == parted || f.kind == oneWay)) && f.begin.Before(own[i].at) && f.end.After(before.at) && f.costs() {
			return f, ""
		}
	}
	if f := c.gone(before, own[i].at); f != nil {
		return f, ""
	}
	return nil, fmt.Sprintf("node %s has lost its partition at %v without a fault", before.node, own[i].at.Sub(began).Round(time.Millisecond))
}

// gone returns the last fault before an instant if most brokers were gone because of that and others: a
// node that had a partition until then has said that its lease has lapsed.
func (c *trio) gone(had tenancy, until time.Time) (last *fault) {
	log, _ := os.ReadFile(filepath.Join(c.dir, had.node+".log"))
	for line := range strings.Lines(string(log)) {
		_, line, _ = strings.Cut(line, "warning: ")
		stamp, text, _ := strings.Cut(line, " ")
		at, err := time.Parse(time.RFC3339, stamp)
		if err != nil || !strings.HasPrefix(text, "the lease of this node has lapsed") || at.Before(had.at.Add(-time.Second)) || at.After(until) {
			continue
		}
		for _, f := range c.done {
			if f.begin.Before(at) && (last == nil || f.begin.After(last.begin)) {
				last = f
			}
		}
	}
	return last
}

// costs reports whether a fault may cost a node its partitions.
func (f *fault) costs() bool { return f.kind == killed || f.kind == full || f.d >= long }

// goOn fails unless requests were made all the time while one node alone suffered for long: the leading
// broker may be missed for 10 s, and those who go on may have to wait for the delays of their sites.
func (c *trio) goOn(t *testing.T) {
	t.Helper()
	n := c.server.Counter()
	var starts []time.Time
	for i := range n.Sites() {
		for _, q := range n.Requests(graph.Site(i)) {
			starts = append(starts, n.Began().Add(q.Start))
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	for _, f := range c.done {
		if f.d < 10*time.Second || f.beside {
			continue
		}
		at, most := f.begin, time.Duration(0)
		for _, s := range starts {
			if s.After(f.begin) && s.Before(f.end) {
				most, at = max(most, s.Sub(at)), s
			}
		}
		most = max(most, f.end.Sub(at))
		t.Logf("%v: no request for at most %v", f, most.Round(100*time.Millisecond))
		if most > 20*time.Second {
			t.Errorf("%v: no request for %v", f, most)
		}
	}
}

// said prints what the nodes have said, in the order of time, and fails if one has panicked.
func (c *trio) said(t *testing.T) {
	t.Helper()
	var lines []string
	for name := range c.nodes {
		text, err := os.ReadFile(filepath.Join(c.dir, name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.Index(text, []byte("panic: ")); i >= 0 {
			t.Errorf("node %s: %s", name, text[i:min(len(text), i+3000)])
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "winnow: "), "warning: ")
			if at, what, _ := strings.Cut(line, " "); strings.HasSuffix(at, "Z") {
				lines = append(lines, at+" "+name+": "+what)
			}
		}
	}
	slices.Sort(lines)
	t.Logf("the nodes have said:\n%s", strings.Join(lines, "\n"))
}
