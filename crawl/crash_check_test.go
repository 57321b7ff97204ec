package crawl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A crash is when the server last saw the crawler, and what of it was committed.
type crash struct {
	at    time.Duration            // of the server
	ends  map[string]time.Duration // by site: end of the last committed answer, of the server
	ruled map[string]bool          // sites whose robots.txt was committed
}

// story is what a journal tells: the facts that other files are held against.
type story struct {
	parts       []string // URLs of requisites, by number
	urls, sites []string
	stored      []int // by page: how often it came and was stored as new
	places      []placed
	gone        map[uint32]bool          // WARC files that were to be removed
	group, open int64                    // answers of the largest group, and of the last
	room, rooms int64                    // pages that are kept: in the last session, in any session
	ends        map[string]time.Duration // by site, of the crawl
	ruled       map[string]bool
	began       int64
	last        journal.Commit
}

// placed is where the answer of a URL is said to be.
type placed struct {
	journal.Place
	url string // "" where it is not a page
}

// readStory reads a journal, and checks that its numbers have no gaps, that no URL is
// known twice, and that no page was stored twice, unless pages are visited again.
func readStory(t *testing.T, dir disk.Dir, again bool) *story {
	t.Helper()
	s := &story{gone: map[uint32]bool{}, ends: map[string]time.Duration{}, ruled: map[string]bool{}}
	seq := uint64(0)
	reader := journal.Reader{Dir: dir, Commit: func(*journal.Commit) error {
		s.group, s.open = max(s.group, s.open), 0
		return nil
	}}
	reader.Record = func(r *journal.Record) error {
		if r.Seq != seq {
			return fmt.Errorf("record %d follows %d", r.Seq, seq)
		}
		seq++
		return s.add(r)
	}
	var err error
	s.last, err = reader.Run()
	if err != nil && !errors.Is(err, journal.ErrNone) {
		t.Fatal(err)
	}
	if int(s.last.Pages) != len(s.urls) || int(s.last.Sites) != len(s.sites) || s.last.Next != seq {
		t.Fatalf("the last commit has %+v, the records %d pages and %d sites", s.last, len(s.urls), len(s.sites))
	}
	known := map[string]int{}
	for i, url := range s.parts {
		if j := slices.Index(s.parts, url); j != i {
			t.Fatalf("%s is requisite %d and requisite %d", url, i, j)
		}
	}
	for p, url := range s.urls {
		if q, ok := known[url]; ok {
			t.Fatalf("%s is page %d and page %d", url, q, p)
		}
		known[url] = p
		if s.stored[p] > 1 && !again {
			t.Fatalf("%s was stored %d times", url, s.stored[p])
		}
	}
	return s
}

func (s *story) add(r *journal.Record) error {
	e, names := &r.Event, &r.Facts.Names
	if len(e.New) > 0 && int(r.First) != len(s.urls) {
		return fmt.Errorf("page %d follows %d", r.First, len(s.urls))
	}
	for i := range names.Len() {
		if n := names.Site(i); n != nil {
			s.sites = append(s.sites, string(n))
		}
		if i < len(e.New) {
			s.urls = append(s.urls, s.sites[e.New[i]]+string(names.Rest(i)))
			s.stored = append(s.stored, 0)
		}
		if i < len(e.Needs) {
			if int(e.First)+i != len(s.parts) {
				return fmt.Errorf("requisite %d follows %d", e.First, len(s.parts))
			}
			s.parts = append(s.parts, s.sites[e.Needs[i]]+string(names.Rest(i)))
		}
	}
	switch e.Kind {
	case event.Session:
		s.room = 0
		for line := range strings.SplitSeq(string(r.Facts.Session.Config), "\n") {
			fmt.Sscanf(line, "keep_pages = %d", &s.room)
		}
		if s.rooms = max(s.rooms, s.room); s.room == 0 {
			s.rooms = 1 << 40
		}
		if s.began == 0 {
			s.began = r.Facts.Session.Wall - int64(r.Now)
		}
	case event.Ruled, event.Listed, event.Done, event.Brought:
		s.answer(r)
	case event.Moved:
		m := r.Facts.Moves
		m.Places(func(i int, at journal.Place) { s.places = append(s.places, placed{at, s.urls[e.Admit[i]]}) })
		s.gone[m.From] = s.gone[m.From] || m.Last
	}
	return nil
}

// answer takes the end of a request.
func (s *story) answer(r *journal.Record) {
	e, url := &r.Event, ""
	site := s.sites[e.Site]
	s.ends[site] = e.End
	if e.Kind == event.Ruled && !e.Hop && !e.Again {
		s.ruled[s.sites[e.For]] = true
	}
	if e.Kind == event.Done {
		url = s.urls[e.Page]
		if !e.Again && !e.Class.Failed() {
			s.stored[e.Page]++
		}
	}
	if e.Kind == event.Brought {
		url = s.parts[e.Page]
		if !e.Again {
			s.parts[e.Page] += " was brought" // so that a second time is not where it should be
		}
	}
	if r.Facts.Place.Length > 0 {
		s.places = append(s.places, placed{r.Facts.Place, url})
		s.open++
	}
}

// checkDisk brings a copy of the disk to its last commit, and holds its parts against
// each other.
func (w *crashWeb) checkDisk(t *testing.T) {
	t.Helper()
	c := w.root.Kill()
	again := w.o.Config.Recrawl.Duration > 0
	s := readStory(t, c.Sub(layout.JournalDir), again)
	w.noteCommitted(s)
	if s.last.Next == 0 {
		return // nothing was committed
	}
	if _, _, err := journal.Open(c.Sub(layout.JournalDir), journal.Header{}); err != nil {
		t.Fatal(err)
	}
	if after := readStory(t, c.Sub(layout.JournalDir), again); after.last != s.last {
		t.Fatalf("recovery changes the last commit from %+v to %+v", s.last, after.last)
	}
	if _, err := archive.Open(c.Sub(layout.ArchiveDir), archive.Config{Prefix: "winnow"}, layout.Position(s.last)); err != nil {
		t.Fatal(err)
	}
	found := checkArchive(t, c.Sub(layout.ArchiveDir), s)
	w.checkKept(t, c, s, found)
	w.checkStates(t, c, s)
}

// noteCommitted adds to the last crash what was committed before it.
func (w *crashWeb) noteCommitted(s *story) {
	if len(w.crashes) == 0 || w.crashes[len(w.crashes)-1].ends != nil {
		return
	}
	k := &w.crashes[len(w.crashes)-1]
	k.ends, k.ruled = map[string]time.Duration{}, s.ruled
	for site, end := range s.ends {
		k.ends[site] = time.Duration(s.began) + end - time.Duration(w.server.Counter().Began().UnixNano())
	}
}

// checkArchive reads all WARC files: each record is whole, the answers are those that the
// journal names, at their places, and no others.
func checkArchive(t *testing.T, dir disk.Dir, s *story) map[journal.Place]string {
	t.Helper()
	list, err := dir.List()
	if err != nil {
		t.Fatal(err)
	}
	found, stored := map[journal.Place]string{}, map[string]bool{}
	for _, e := range list { // in the order of their numbers
		if archive.IsAside(e.Name) {
			t.Errorf("%s was set aside after a crash", e.Name)
			continue
		}
		var number uint32
		if _, err := fmt.Sscanf(e.Name[strings.LastIndexByte(e.Name, '-')+1:], "%05d", &number); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if number > s.last.Warc.File || number == s.last.Warc.File && e.Size != s.last.Warc.Size {
			t.Errorf("%s has %d bytes, the last commit is %+v", e.Name, e.Size, s.last.Warc)
		}
		answersOf(t, dir, e.Name, number, found, stored)
	}
	all := maps.Clone(found)
	for _, p := range s.places {
		url, ok := found[p.Place]
		if !ok && s.gone[p.File] {
			continue
		}
		if !ok || p.url != "" && url != p.url {
			t.Errorf("%s should be at %+v, there is %q", p.url, p.Place, url)
		}
		delete(found, p.Place)
	}
	for p, url := range found {
		t.Errorf("%s is at %+v, but not in the journal", url, p)
	}
	return all
}

// answersOf adds the places of the first records of all exchanges in a file.
// stored has the ids of the records before, and gets those of the file.
func answersOf(t *testing.T, dir disk.Dir, name string, number uint32, found map[journal.Place]string, stored map[string]bool) {
	t.Helper()
	b, err := disk.ReadFile(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	alone := "" // URL of a request that may be without an answer
	r := archive.NewReader(bytes.NewReader(b), name)
	for {
		x, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = x.Verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		stored[x.Get("WARC-Record-ID")] = true
		if to := x.Get("WARC-Refers-To"); x.Type == "revisit" && !stored[to] {
			t.Errorf("%s of %v is a revisit of %q, which is not in the archive", x.URL, x.Time, to)
		}
		if x.Type == "response" || x.Type == "revisit" || x.Type == "request" && x.URL != alone {
			found[journal.Place{File: number, Offset: x.Offset, Length: x.Length}] = x.URL
		}
		if alone = x.URL; x.Type == "request" {
			alone = ""
		}
	}
}

// checkStates restores the state from what is there and from the journal alone, which
// must be the same, and compares its URLs with the journal.
func (w *crashWeb) checkStates(t *testing.T, c *disk.Memory, s *story) {
	t.Helper()
	from := w.restored(t, c, s.last.Next)
	defer from.Close()
	bare := disk.NewMemory()
	copyDir(t, bare.Sub(layout.JournalDir), c.Sub(layout.JournalDir))
	alone := w.restored(t, bare, s.last.Next)
	defer alone.Close()
	again := w.restored(t, c, s.last.Next)
	defer again.Close()
	var saved bytes.Buffer
	if err := from.Save(&saved); err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]*state.State{"restored once more": again, "from the journal alone": alone} {
		if !savesAs(t, s, saved.Bytes()) {
			t.Errorf("the state restored differs from that %s at record %d: %s", what, s.Next, difference(from, s))
		}
	}
	w.checkSnapshots(t, c, s.last.Next)
	for p, want := range s.urls {
		for _, s := range []*state.State{from, alone} {
			if url := string(s.AppendURL(nil, graph.Page(p))); url != want {
				t.Errorf("page %d is %s, in the journal %s", p, url, want)
			}
		}
	}
}

// checkSnapshots compares each snapshot, of the owner or of its follower, with the state
// that the journal alone gives at the same record, byte by byte. One replay passes them all.
func (w *crashWeb) checkSnapshots(t *testing.T, c *disk.Memory, last uint64) {
	t.Helper()
	taken := snapshotsBefore(t, c.Sub(layout.SnapshotDir), last)
	s, err := state.Empty(&layout.Parts{Urls: disk.NewMemory(), UrlFile: layout.URLFile}, w.setup(t, c))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := func(next uint64) {
		b, ok := taken[next]
		if !ok {
			return
		}
		delete(taken, next)
		if h, err := state.ReadHead(bytes.NewReader(b)); err != nil || h.Layout != s.Layout() {
			return // of another policy
		}
		if !savesAs(t, s, b) {
			t.Errorf("the snapshot before record %d differs from what the journal gives", next)
		}
	}
	reader := journal.Reader{Dir: c.Sub(layout.JournalDir), Record: func(r *journal.Record) error {
		check(r.Seq)
		return s.Replay(r)
	}, Commit: func(c *journal.Commit) error {
		s.Committed(c)
		return nil
	}}
	if _, err := reader.Run(); err != nil {
		t.Fatal(err)
	}
	check(last)
	for next := range taken {
		t.Errorf("there is a snapshot before record %d and no such record", next)
	}
}

// snapshotsBefore returns the snapshots that a recovery to record last may use, by the
// record before which they were taken.
func snapshotsBefore(t *testing.T, dir disk.Dir, last uint64) map[uint64][]byte {
	t.Helper()
	names, err := snapshot.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[uint64][]byte{}
	for _, name := range names {
		var next uint64
		fmt.Sscanf(name, "%x", &next)
		r, done, err := snapshot.Open(dir, name)
		if next > last || err != nil {
			continue // the next recovery will not use it either
		}
		if taken[next], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		done()
	}
	return taken
}

// setup is that of the crawl on a disk.
func (w *crashWeb) setup(t *testing.T, c *disk.Memory) *state.Setup {
	t.Helper()
	id, err := layout.ReadIdentity(c.Sub(layout.JournalDir))
	if err != nil {
		t.Fatal(err)
	}
	set, err := state.NewSetup(&w.o.Config, id, int64(w.o.Config.MaxMemory))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// restored is the state on a disk, which is not changed.
func (w *crashWeb) restored(t *testing.T, c *disk.Memory, last uint64) *state.State {
	t.Helper()
	c = c.Kill()
	p, err := layout.Open(func(name string) (disk.Dir, error) { return c.Sub(name), nil })
	if err != nil {
		t.Fatal(err)
	}
	s, err := state.Restore(&p, w.setup(t, c), last, func(text string, what ...any) { t.Log(append([]any{text}, what...)...) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func copyDir(t *testing.T, to, from disk.Dir) {
	t.Helper()
	list, err := from.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		b, err := disk.ReadFile(from, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := to.Open(e.Name, disk.Create)
		if err == nil {
			_, err = f.WriteAt(b, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// difference names the first part that differs.
func difference(x, y *state.State) string {
	if a, b := fmt.Sprintf("%+v", x.Head()), fmt.Sprintf("%+v", y.Head()); a != b {
		return a + "\n" + b
	}
	saved := func(s *state.State) (list []string, names []string) {
		s.Saved.Columns(func(c graph.AnyColumn) {
			var b bytes.Buffer
			c.Save(&b)
			list, names = append(list, b.String()), append(names, c.Name())
		})
		return list, names
	}
	a, names := saved(x)
	b, _ := saved(y)
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("column %s:\n%x\n%x", names[i], a[i], b[i])
		}
	}
	return "what is in no column"
}

// pages are those of the journal with their states.
func (w *crashWeb) pages(t *testing.T) map[string]string {
	t.Helper()
	s := w.restored(t, w.root, ^uint64(0))
	defer s.Close()
	pages := map[string]string{}
	for p := range s.Frontier.Pages() {
		url := string(s.AppendURL(nil, graph.Page(p)))
		pages[url] = fmt.Sprint(s.Frontier.State(graph.Page(p)), " ", s.Frontier.Bar(graph.Page(p)))
	}
	return pages
}

// verify lets the program itself judge.
func (w *crashWeb) verify(t *testing.T) {
	t.Helper()
	p, err := layout.Open(func(name string) (disk.Dir, error) { return history.ReadOnly{Dir: w.root.Sub(name)}, nil })
	if err != nil {
		t.Fatal(err)
	}
	c, err := history.OpenParts(t.Context(), "memory", p)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	found, err := c.Verify(history.VerifyOptions{Version: w.o.Version})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.List {
		t.Errorf("verify: %+v", f)
	}
}
