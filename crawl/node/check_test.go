package node

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// groups returns the groups of a log.
func (w *world) groups(p int) (list [][]byte) {
	w.t.Helper()
	if err := cluster.ReadLog(w.t.Context(), w.user().Log(p), func(g cluster.Group) error {
		list = append(list, bytes.Clone(g.Bytes))
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// storeAt returns the directory of a partition on a disk.
func (w *world) storeAt(root *disk.Memory, p int) *store {
	id, err := w.plan.Crawl.Identity(p)
	if err != nil {
		w.t.Fatal(err)
	}
	x := port.Port{Self: p, Of: w.plan.Crawl.Partitions}
	return &store{header: x.Header(id), open: func(name string) (disk.Dir, error) {
		return root.Sub(layout.PartitionName(p) + "/" + name), nil
	}}
}

// join makes one directory for a partition: the journal that its log has, and the archives of all
// nodes. It returns false if nobody had the partition yet, and how many of them have all of the log.
func (w *world) join(p int) (parts layout.Parts, whole int, ok bool) {
	w.t.Helper()
	w.mu.Lock()
	roots := slices.Clone(w.roots)
	for _, name := range slices.Sorted(maps.Keys(w.disks)) {
		roots = append(roots, w.disks[name])
	}
	w.mu.Unlock()
	want := w.groups(p)
	if len(want) == 0 {
		return parts, 0, false
	}
	to := disk.NewMemory()
	best, most := -1, -1
	for i := range roots {
		roots[i] = roots[i].Kill()
		common, all := w.common(roots[i], p, want)
		if common > most {
			best, most = i, common
		}
		if common == len(want) && (all == common || w.config.Pages > 0) { // at a limit an owner may be away who has not committed the last group
			whole++
		}
	}
	for i, r := range roots {
		w.copyDir(r, to, layout.PartitionName(p)+"/"+layout.ArchiveDir, i != best)
	}
	w.writeJournal(to, p, want)
	parts, err := w.storeAt(to, p).parts()
	if err != nil {
		w.t.Fatal(err)
	}
	return parts, whole, true
}

// common returns how many groups of a log a disk begins with, and how many it has. It removes the
// others.
func (w *world) common(root *disk.Memory, p int, want [][]byte) (common, all int) {
	w.t.Helper()
	s := w.storeAt(root, p)
	differs := false
	err := s.Groups(func(g cluster.Group) error {
		if all++; !differs && common < len(want) && bytes.Equal(g.Bytes, want[common]) {
			common++
		} else {
			differs = true
		}
		return nil
	})
	if errors.Is(err, journal.ErrNone) {
		return 0, 0
	}
	if err == nil {
		err = s.Cut(common)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return common, all
}

// writeJournal writes the groups of a log as a journal.
func (w *world) writeJournal(to *disk.Memory, p int, groups [][]byte) {
	w.t.Helper()
	s := w.storeAt(to, p)
	if err := s.Add(func(add func(cluster.Group) error) error {
		for _, b := range groups {
			if err := add(cluster.Group{Bytes: b}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
}

// books are what all partitions have together.
type books struct {
	pages         map[string]string // states of pages by their URLs
	cash          float64
	sent, applied uint64
	fetched       int64
}

// verify checks the journals and archives as they are now, and adds up what they say. In the end the
// last owner has all of the log on its disk.
func (w *world) verify(end bool) *books {
	w.t.Helper()
	b := &books{pages: map[string]string{}}
	for i := range w.plan.Crawl.Partitions {
		p, whole, ok := w.join(i)
		if end && (!ok || whole == 0) {
			w.t.Errorf("partition %d: no disk has what its log has", i)
		}
		if ok {
			w.checkPart(b, i, p)
		}
	}
	return b
}

// checkPart verifies a partition, and adds what it has.
func (w *world) checkPart(b *books, i int, p layout.Parts) {
	w.t.Helper()
	w.checkEpochs(i, p)
	w.readPart(i, p, func(c *history.Crawl) error {
		s, err := c.State()
		if err == nil {
			w.add(b, s)
		}
		return err
	})
	w.readPart(i, p, func(c *history.Crawl) error {
		r, err := c.Verify(history.VerifyOptions{})
		if err != nil {
			return err
		}
		for k, x := range r.List {
			if k < 3 {
				w.t.Errorf("partition %d: %+v", i, x)
			}
		}
		return nil
	})
}

func (w *world) readPart(i int, p layout.Parts, read func(*history.Crawl) error) {
	w.t.Helper()
	c, err := history.OpenParts(w.t.Context(), layout.PartitionName(i), p)
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	if err := read(c); err != nil {
		w.t.Fatal(err)
	}
}

// add adds what a partition has.
func (w *world) add(b *books, s *state.State) {
	w.t.Helper()
	b.fetched += s.Fetched()
	for j := range s.Frontier.Pages() {
		p := graph.Page(j)
		b.cash += s.Frontier.Value(p, 0)
		bar := s.Frontier.Bar(p)
		if s.Frontier.State(p) == frontier.RefusedPage && (bar == event.BarForeign || bar == event.BarNoFollow) {
			continue // it is not known whose it is
		}
		url := string(s.AppendURL(nil, p))
		if b.pages[url] != "" {
			w.t.Errorf("%s is a page of two partitions: %s, %v %v", url, b.pages[url], s.Frontier.State(p), bar)
		}
		b.pages[url] = fmt.Sprint(s.Frontier.State(p), bar)
	}
	for j := range w.plan.Crawl.Partitions {
		x, _, y := s.Frontier.Messages(j)
		b.sent, b.applied = b.sent+x, b.applied+y
	}
}

// checkEpochs checks that the epochs of a partition grow.
func (w *world) checkEpochs(i int, p layout.Parts) {
	w.t.Helper()
	last := uint64(0)
	if _, err := journal.Read(p.Journal, 0, func(r *journal.Record) error {
		if r.Event.Kind == event.Session {
			if r.Facts.Epoch <= last || r.Facts.Node == "" {
				w.t.Errorf("partition %d: epoch %d of %q after %d", i, r.Facts.Epoch, r.Facts.Node, last)
			}
			last = r.Facts.Epoch
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
}

// check holds what the server saw, and what the journals say, against what a crawl has to do. want has
// the pages of a crawl on one machine; nil: they are not compared.
func (w *world) check(want map[string]string) {
	w.t.Helper()
	w.checkServed(true)
	b := w.verify(true)
	if math.Abs(b.cash-1) > 1e-9 || b.sent != b.applied {
		w.t.Errorf("cash is %v; %d messages were sent, %d applied", b.cash, b.sent, b.applied)
		w.showMessages()
	}
	w.samePages(b.pages, want)
	w.checkEnd()
}

// checkEnd checks that the end was declared once.
func (w *world) checkEnd() {
	w.t.Helper()
	if n := w.ends() - w.stopped; n != 1 {
		w.t.Errorf("the end was declared %d times", n)
	}
}

// checkLimit does what check does, for a crawl that was to fetch so many pages.
func (w *world) checkLimit() {
	w.t.Helper()
	w.checkServed(false)
	if b := w.verify(true); b.fetched != w.config.Pages {
		w.t.Errorf("%d pages were fetched, not %d", b.fetched, w.config.Pages)
	}
	w.checkEnd()
}

// ends returns how often the end was declared.
func (w *world) ends() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := ""
	for _, x := range w.controls {
		if x.Stop != "" && x.Stop != was {
			n++
		}
		was = x.Stop
	}
	return n
}

// samePages compares the pages with those of a crawl on one machine.
func (w *world) samePages(got, want map[string]string) {
	w.t.Helper()
	bad := 0
	for _, url := range slices.Sorted(maps.Keys(want)) {
		if got[url] != want[url] && bad < 5 {
			bad++
			w.t.Errorf("%s is %q, on one machine %q", url, got[url], want[url])
		}
	}
	for _, url := range slices.Sorted(maps.Keys(got)) {
		if want[url] == "" && bad < 5 && want != nil {
			bad++
			w.t.Errorf("%s is %q, on one machine unknown", url, got[url])
		}
	}
}

// checkServed holds what the server saw against what a crawl has to do. all: it has to fetch all pages.
func (w *world) checkServed(all bool) {
	w.t.Helper()
	c := &w.config
	n := w.server.Counter()
	found := n.Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap})
	if all {
		found = append(found, n.CheckWanted(w.server.Wanted(answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody)}))...)
	}
	bad, repeats := 0, map[graph.Page]int{}
	for _, x := range found {
		switch {
		case x.Kind == count.Repeated:
			repeats[x.Page] = max(repeats[x.Page], x.N-1)
		case x.Kind == count.RetryAfter && len(w.upsets) > 0: // the record of that answer may be lost
		case w.stalled(&x):
		default:
			if bad++; bad < 10 {
				w.t.Error(x)
			}
		}
	}
	sum := 0
	for _, n := range repeats {
		sum += n
	}
	if most := w.lost(); sum > most {
		w.t.Errorf("%d pages were requested again; %d requests were made around faults", sum, most)
	}
}

// lost returns how many requests were made about the time at which nodes may have lost what they had not
// committed: a node that cannot commit stops when its lease lapses.
func (w *world) lost() (n int) {
	for _, d := range w.dials {
		if slices.ContainsFunc(w.upsets, func(u upset) bool { return u.node == d.node && d.at.Sub(u.at).Abs() < 40*time.Second }) {
			n++
		}
	}
	return n
}

// stalled reports whether something was seen at an address at which a connection of a process was open
// that was stopped.
func (w *world) stalled(x *count.Violation) bool {
	switch x.Kind {
	case count.TooSoon, count.CrawlDelay, count.TwoAtOnce, count.Connections, count.AddressGap, count.AddressAtOnce, count.AddressConnections:
	default:
		return false
	}
	at := w.server.Counter().Began().Add(x.At)
	addr := netip.Addr{}
	if x.Site != graph.NoSite {
		a, _, err := w.server.Resolve(w.t.Context(), w.server.Counter().Name(x.Site))
		if err != nil {
			return false
		}
		addr = a
	} else {
		addr, _ = netip.ParseAddr(x.Host)
	}
	const longest = 3 * time.Second // of all delays
	return slices.ContainsFunc(w.stalls, func(s *stall) bool {
		return s.addr == addr && !at.Before(s.from) && (s.to.IsZero() || at.Before(s.to.Add(longest)))
	})
}

// showMessages lists the messages that were not applied.
func (w *world) showMessages() {
	n := w.plan.Crawl.Partitions
	sent, applied := map[[2]int]uint64{}, map[[2]int]uint64{}
	last := map[[2]int]string{}
	for i := range n {
		p, _, ok := w.join(i)
		if !ok {
			continue
		}
		var session string
		if _, err := journal.Read(p.Journal, 0, func(r *journal.Record) error {
			e := &r.Event
			switch e.Kind {
			case event.Session:
				session = fmt.Sprint(r.Facts.Node, " ", r.Facts.Epoch)
			case event.Sent:
				sent[[2]int{i, int(e.Part)}] = e.Message
				last[[2]int{i, int(e.Part)}] = fmt.Sprintf("session %s at %v, %+v", session, r.Now, e.Exchange)
			case event.Linked:
				applied[[2]int{int(e.Part), i}] = e.Message
			}
			return nil
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	for k, x := range sent {
		if applied[k] != x {
			w.t.Logf("from %d to %d: %d sent, %d applied; %s", k[0], k[1], x, applied[k], last[k])
		}
	}
}
