package state

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/crawl/visit"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/trouble"
)

// A snapshot is the state after a record, so that a restart need not replay all records. It
// is derived: if none can be used, the journal is replayed from its beginning. The file is
//
//	magic, version   4 bytes each
//	length, head     of a gob, with all that is in no column
//	columns          of the URL table, the frontier, the rest, each with its checksum
//	sum              8 bytes: xxh3-64 of all before
//
// and it gets its name when it is whole and synced. The names order by record.
const (
	snapshotMagic   = "WSNP"
	snapshotVersion = 20
)

// head holds what is in no column. Maps are lists in the order of their keys, so that
// equal states are equal bytes. The names of its types and fields are part of the format.
type head struct {
	Crawl     [16]byte
	Layout    string // what the columns depend on
	Next      uint64
	Now       time.Duration
	Began     int64
	Last      []byte
	Pages     int
	Sites     int
	Holes     int
	Tally     savedTally
	Rules     [][]byte
	Addrs     []netip.Addr
	Hops      []siteEntry[hop]
	Files     []siteEntry[[]string]
	Trouble   []siteEntry[noRules]
	Down      []siteEntry[down]
	FileTries []siteEntry[trouble.Count]
	Failing   []siteEntry[failing]
	Named     time.Duration
	Portal    portal
	Tries     []pageEntry
	Listings  []siteEntry[int]
	Traps     *trap.Saved
	Cut       []cutEntry
	Visits    *visit.Saved // nil: pages are not visited again
	Scores    *savedScores // nil: pages have no score
	Feeds     []siteEntry[[]string]
	Outages   []siteEntry[outage]
	Heirs     []heir
	Kept      *savedKept // nil: all pages are kept
	// Requisites are those that wait, and how many there are.
	Requisites *requisite.Saved
	Renders    *render.Saved
	Letters    []Letter
	Mail       [][]exchange.Note
	Budget     Budget
}

// heir is a page to which another one has moved for good.
type heir struct{ To, From graph.Page }

// cutEntry is a page with more links than it may have.
type cutEntry struct {
	Page graph.Page
	Is   cutPage
}

type siteEntry[T any] struct {
	Site graph.Site
	Is   T
}

type pageEntry struct {
	Page graph.Page
	Is   trouble.Count
}

// entries returns a map as a list, in the order of its keys.
func entries[T any](m map[graph.Site]T) []siteEntry[T] {
	list := make([]siteEntry[T], 0, len(m))
	for _, s := range slices.Sorted(maps.Keys(m)) {
		list = append(list, siteEntry[T]{s, m[s]})
	}
	return list
}

func fromEntries[T any](list []siteEntry[T]) map[graph.Site]T {
	m := make(map[graph.Site]T, len(list))
	for _, e := range list {
		m[e.Site] = e.Is
	}
	return m
}

// Head returns what is in no column.
func (s *State) Head() *head {
	w := &s.Weather
	h := &head{
		Crawl: s.Setup.Crawl, Layout: s.Layout(), Next: s.Next, Now: s.Now, Began: s.Began, Last: s.LastConfig,
		Pages: s.Frontier.Pages(), Sites: s.Frontier.Sites(), Holes: s.holes, Tally: s.savedTally,
		Addrs: s.Addresses.Save(), Rules: s.Robots.texts.Save(),
		Hops: entries(s.Robots.hops), Trouble: entries(s.Robots.failures),
		Files: entries(s.Sitemaps.Files), Listings: entries(s.Sitemaps.known),
		Down: entries(w.sites), FileTries: entries(w.files), Failing: entries(w.open), Named: w.named,
		Portal: s.Portal, Traps: s.Traps.Guard.Saved(), Requisites: s.Requisites.Saved(), Renders: s.Renders.Saved(), Letters: slices.Clone(s.Letters), Mail: s.Mail.copy(), Budget: s.Budget.copy(),
	}
	if s.Visits != nil {
		h.Visits = &s.Visits.Saved
	}
	if v := s.Revisits; v != nil {
		h.Feeds, h.Outages = entries(s.Sitemaps.Feeds), entries(v.outages)
		for _, p := range slices.Sorted(maps.Keys(v.heirs)) {
			h.Heirs = append(h.Heirs, heir{p, v.heirs[p]})
		}
	}
	if s.Scores != nil {
		h.Scores = &s.Scores.saved
	}
	if k := s.Kept; k != nil {
		k.saved.Stored = k.Stored
		h.Kept = &k.saved
	}
	for _, p := range slices.Sorted(maps.Keys(s.Cut.Pages)) {
		h.Cut = append(h.Cut, cutEntry{p, s.Cut.Pages[p]})
	}
	for _, p := range slices.Sorted(maps.Keys(w.pages)) {
		h.Tries = append(h.Tries, pageEntry{p, w.pages[p]})
	}
	return h
}

// setHead undoes Head.
func (s *State) setHead(h *head) error {
	s.Next, s.Now, s.Began, s.LastConfig, s.holes, s.Portal = h.Next, h.Now, h.Began, h.Last, h.Holes, h.Portal
	s.savedTally, s.Letters = h.Tally, h.Letters
	if s.Budget = h.Budget; s.Budget.Purse == nil { // an empty one, or of an earlier version
		s.Budget.Purse = newBudget(s.Self()).Purse
	}
	copy(s.Mail.out, h.Mail)
	if s.Visits != nil && h.Visits != nil {
		s.Visits.Saved = *h.Visits
	}
	if v := s.Revisits; v != nil {
		v.outages = fromEntries(h.Outages)
		for _, x := range h.Heirs {
			v.heirs[x.To] = x.From
		}
		for _, e := range h.Feeds {
			s.Sitemaps.addFeeds(e.Site, e.Is)
		}
	}
	for _, e := range h.Cut {
		s.Cut.Pages[e.Page] = e.Is
		s.Cut.links += int64(e.Is.Left)
	}
	s.Robots.hops, s.Robots.failures = fromEntries(h.Hops), fromEntries(h.Trouble)
	for _, e := range h.Files {
		s.Sitemaps.queue(e.Site, e.Is)
	}
	s.Sitemaps.known = fromEntries(h.Listings)
	w := &s.Weather
	w.sites, w.files, w.open, w.named = fromEntries(h.Down), fromEntries(h.FileTries), fromEntries(h.Failing), h.Named
	for _, e := range h.Tries {
		w.pages[e.Page] = e.Is
	}
	if s.Scores != nil {
		if err := s.Scores.load(h.Scores); err != nil {
			return err
		}
	}
	if s.Kept != nil && h.Kept != nil {
		s.Kept.saved, s.Kept.Stored = *h.Kept, h.Kept.Stored
	}
	if h.Requisites != nil {
		s.Requisites.SetSaved(h.Requisites)
	}
	if h.Renders != nil {
		s.Renders.SetSaved(h.Renders)
	}
	if h.Traps == nil {
		return errors.New("it has no traps")
	}
	if err := s.Traps.Guard.SetSaved(h.Traps); err != nil {
		return err
	}
	if err := s.Addresses.Load(h.Addrs, s.Frontier.Addresses().All()); err != nil {
		return err
	}
	return s.Robots.texts.Load(h.Rules, s.Robots.rules.Slice())
}

// Layout returns what the columns of a state depend on. A snapshot of another layout is of
// no use: the journal is replayed.
func (s *State) Layout() string {
	parts := []string{s.Frontier.Layout(), s.Setup.Policy.Name}
	if s.Setup.SitePolicy != nil {
		parts = append(parts, s.Setup.SitePolicy.Name)
	}
	parts = append(parts, fmt.Sprint(s.Setup.batch, s.Setup.random, s.Setup.robots, s.Setup.recrawl))
	if s.Setup.history {
		parts = append(parts, "history")
	}
	if v := s.Setup.revisits; v.Every > 0 {
		parts = append(parts, fmt.Sprint(v.Allocation.Name, " ", v.Every, " signals"))
	}
	if s.Setup.keep {
		parts = append(parts, "keep")
	}
	if s.Setup.scores.on {
		parts = append(parts, s.Setup.scores.layout())
	}
	return strings.Join(parts, "; ")
}

// Save writes the state.
func (s *State) Save(w io.Writer) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s.Head()); err != nil {
		return err
	}
	top := binary.LittleEndian.AppendUint32([]byte(snapshotMagic), snapshotVersion)
	top = binary.LittleEndian.AppendUint64(top, uint64(b.Len()))
	if _, err := w.Write(append(top, b.Bytes()...)); err != nil {
		return err
	}
	return s.Saved.Save(w)
}

// ErrOther is wrapped by the errors for a snapshot that is whole but of no use here.
var ErrOther = errors.New("it was made otherwise")

// Load reads a saved state into an empty one.
func (s *State) Load(r io.Reader) error {
	h, err := ReadHead(r)
	if err != nil {
		return err
	}
	saved, _, _ := strings.Cut(h.Layout, ",") // the version of the frontier
	if !strings.HasPrefix(s.Layout(), saved+",") {
		return fmt.Errorf("%w: %s", errVersion, saved)
	}
	if h.Crawl != s.Setup.Crawl || h.Layout != s.Layout() {
		return fmt.Errorf("%w: %s, want %s", ErrOther, h.Layout, s.Layout())
	}
	if err := s.Saved.Load(r); err != nil {
		return err
	}
	if s.Frontier.Pages() != h.Pages || s.Table.Pages() != h.Pages || s.in.Len() != h.Pages || s.Frontier.Sites() != h.Sites || s.Table.Sites() != h.Sites {
		return fmt.Errorf("columns of %d and %d pages, want %d", s.Frontier.Pages(), s.Table.Pages(), h.Pages)
	}
	s.Limits.restore()
	if s.Revisits != nil {
		s.Revisits.Loaded()
	}
	if s.Prior != nil {
		s.Prior.loaded()
	}
	return s.setHead(h)
}

// ReadHead reads the beginning of a snapshot.
func ReadHead(r io.Reader) (*head, error) {
	var top [16]byte
	if _, err := io.ReadFull(r, top[:]); err != nil {
		return nil, err
	}
	if v := binary.LittleEndian.Uint32(top[4:]); string(top[:4]) != snapshotMagic || v != snapshotVersion {
		return nil, fmt.Errorf("%w: not a snapshot of version %d", errVersion, snapshotVersion)
	}
	n := binary.LittleEndian.Uint64(top[8:])
	if n > 1<<32 {
		return nil, fmt.Errorf("a head of %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	h := new(head)
	return h, gob.NewDecoder(bytes.NewReader(b)).Decode(h)
}

// SnapshotConfig returns the configuration of the last session before a snapshot, as TOML.
// It reads the head of the snapshot only, so that damage may go unnoticed.
func SnapshotConfig(dir disk.Dir, name string) ([]byte, error) {
	f, err := dir.Open(name, disk.Read)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := ReadHead(io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return nil, err
	}
	return h.Last, nil
}
