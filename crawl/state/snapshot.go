package state

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/trouble"
)

// A snapshot is the state after a record, so that a restart need not replay all of
// them. It is derived: when none can be used the journal is replayed from its
// beginning. The file is
//
//	magic, version   4 bytes each
//	length, head     of a gob, with all that is in no column
//	columns          of the URL table, the frontier, the rest, each with its checksum
//	sum              8 bytes: xxh3-64 of all before
//
// and it is renamed to its name when it is whole and synced. The names order by record.
const (
	snapshotMagic   = "WSNP"
	snapshotVersion = 7
	SnapshotSuffix  = ".wsnap"
	SnapshotTemp    = "snapshot.tmp"
	snapshotsKept   = 2
)

// head is what is in no column. Maps are lists in the order of their keys, so that
// equal states are equal bytes.
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
}

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

type savedTally struct {
	Requests               [4]int64
	Outcomes               [16]int64
	Statuses               []statusCount
	Bytes, Links, Gathered int64
	Moved, CutFiles        int64
	Sessions               int64
	Ran, Started           time.Duration
}

type statusCount struct {
	Status uint16
	N      int64
}

// entries lists a map by its keys.
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

// Head gathers what is in no column.
func (s *State) Head() *head {
	h := &head{
		Crawl: s.Setup.Crawl, Layout: s.Layout(), Next: s.Next, Now: s.Now, Began: s.Began, Last: s.LastConfig,
		Pages: s.Frontier.Pages(), Sites: s.Frontier.Sites(), Holes: s.holes, Addrs: s.Ips.Save(), Rules: s.Texts.save(),
		Hops: entries(s.hops), Files: entries(s.Files), Trouble: entries(s.Trouble),
		Down: entries(s.DownSites), FileTries: entries(s.FileTries), Failing: entries(s.failing), Named: s.Named, Portal: s.Portal,
		Listings: entries(s.Listings), Traps: s.Guard.Saved(),
	}
	t := &s.tally
	h.Tally = savedTally{t.Requests, t.Outcomes, nil, t.Bytes, t.Links, t.Gathered, t.Moved, t.Cut.files, t.sessions, t.ran, t.started}
	for _, p := range slices.Sorted(maps.Keys(t.Cut.Pages)) {
		h.Cut = append(h.Cut, cutEntry{p, t.Cut.Pages[p]})
	}
	for _, k := range slices.Sorted(maps.Keys(t.statuses)) {
		h.Tally.Statuses = append(h.Tally.Statuses, statusCount{k, t.statuses[k]})
	}
	for _, p := range slices.Sorted(maps.Keys(s.Tries)) {
		h.Tries = append(h.Tries, pageEntry{p, s.Tries[p]})
	}
	return h
}

// setHead takes over what head gathered.
func (s *State) setHead(h *head) error {
	s.Next, s.Now, s.Began, s.LastConfig, s.holes = h.Next, h.Now, h.Began, h.Last, h.Holes
	t := &h.Tally
	s.tally = tally{
		Requests: t.Requests, Outcomes: t.Outcomes, statuses: map[uint16]int64{}, Bytes: t.Bytes,
		Links: t.Links, Gathered: t.Gathered, Moved: t.Moved, sessions: t.Sessions, ran: t.Ran, started: t.Started,
		Cut: cuts{Pages: map[graph.Page]cutPage{}, files: t.CutFiles},
	}
	for _, e := range h.Cut {
		s.Cut.Pages[e.Page] = e.Is
		s.Cut.links += int64(e.Is.Left)
	}
	for _, c := range t.Statuses {
		s.statuses[c.Status] = c.N
	}
	s.hops, s.Files, s.Trouble = fromEntries(h.Hops), fromEntries(h.Files), fromEntries(h.Trouble)
	s.DownSites, s.FileTries, s.failing, s.Named = fromEntries(h.Down), fromEntries(h.FileTries), fromEntries(h.Failing), h.Named
	s.Portal = h.Portal
	s.Listings = fromEntries(h.Listings)
	for _, e := range h.Files {
		for _, f := range e.Is {
			s.Waiting += len(f)
		}
	}
	if h.Traps == nil {
		return errors.New("it says nothing of traps")
	}
	if err := s.Guard.SetSaved(h.Traps); err != nil {
		return err
	}
	for _, e := range h.Tries {
		s.Tries[e.Page] = e.Is
	}
	if err := s.Ips.Load(h.Addrs, s.Frontier.Addresses()); err != nil {
		return err
	}
	return s.Texts.load(h.Rules, s.rules.Slice())
}

// Layout names what the columns of a state depend on: a snapshot of another layout is
// of no use, and the journal is replayed.
func (s *State) Layout() string {
	parts := []string{s.Frontier.Layout(), s.Setup.Policy.Name}
	if s.Setup.SitePolicy != nil {
		parts = append(parts, s.Setup.SitePolicy.Name)
	}
	return strings.Join(append(parts, fmt.Sprint(s.Setup.batch, s.Setup.random, s.Setup.robots, s.Setup.recrawl)), "; ")
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

// ErrOther is wrapped where a snapshot is whole but of no use here.
var ErrOther = errors.New("it was made otherwise")

// Load replaces an empty state by a saved one.
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
	if s.Frontier.Pages() != h.Pages || s.Table.Pages() != h.Pages || s.LinksTo.Len() != h.Pages || s.Frontier.Sites() != h.Sites || s.Table.Sites() != h.Sites {
		return fmt.Errorf("columns of %d and %d pages, want %d", s.Frontier.Pages(), s.Table.Pages(), h.Pages)
	}
	s.sites.nameDomains(s.Table)
	return s.setHead(h)
}

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

// WriteSnapshot writes a saved state into the directory, under the number of its next
// record, and removes all but the last ones. One that was not finished is removed: it may
// hold the room that the disk has not.
func WriteSnapshot(dir disk.Dir, next uint64, save func(io.Writer) error) error {
	err := trySnapshot(dir, next, save)
	if err != nil {
		_ = dir.Remove(SnapshotTemp) // if that fails, too, the next start does it
	}
	return err
}

func trySnapshot(dir disk.Dir, next uint64, save func(io.Writer) error) error {
	if err := dir.Remove(SnapshotTemp); err != nil {
		return err
	}
	f, err := dir.Open(SnapshotTemp, disk.Create)
	if err != nil {
		return err
	}
	err = writeSummed(f, save)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = dir.Rename(SnapshotTemp, SnapshotName(next))
	}
	if err == nil {
		err = dir.Sync()
	}
	if err == nil {
		err = prune(dir)
	}
	return err
}

func SnapshotName(next uint64) string { return fmt.Sprintf("%016x%s", next, SnapshotSuffix) }

// writeSummed writes what save gives, and its sum.
func writeSummed(f disk.File, save func(io.Writer) error) error {
	sum := xxh3.New()
	w := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), 1<<20)
	if err := save(io.MultiWriter(w, sum)); err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, sum.Sum64()); err != nil {
		return err
	}
	return w.Flush()
}

// SnapshotsOf lists the snapshots of a directory, the newest first.
func SnapshotsOf(dir disk.Dir) (names []string, err error) {
	list, err := dir.List()
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name, SnapshotSuffix) {
			names = append(names, e.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names, nil
}

// DropAhead removes a snapshot that was not finished, and those that know more than the
// journal: the crash came before their last records were safe. Those numbers go to other records now, after which such a
// snapshot would pass for one of this crawl.
func DropAhead(dir disk.Dir, last uint64) error {
	if err := dir.Remove(SnapshotTemp); err != nil {
		return err
	}
	names, err := SnapshotsOf(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name <= SnapshotName(last) {
			break
		}
		if err := dir.Remove(name); err != nil {
			return err
		}
	}
	return dir.Sync() // also where a run removed one, and was killed before it came to this
}

// prune removes old snapshots.
func prune(dir disk.Dir) error {
	names, err := SnapshotsOf(dir)
	if err != nil || len(names) <= snapshotsKept {
		return err
	}
	for _, name := range names[snapshotsKept:] {
		if err := dir.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// OpenSnapshot checks the sum of a snapshot and gives what is before it.
func OpenSnapshot(dir disk.Dir, name string) (r io.Reader, close func() error, err error) {
	f, err := dir.Open(name, disk.Read)
	if err != nil {
		return nil, nil, err
	}
	n, err := f.Size()
	if err == nil {
		err = CheckSum(f, n)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return bufio.NewReaderSize(io.NewSectionReader(f, 0, n-8), 1<<20), f.Close, nil
}

func CheckSum(f disk.File, n int64) error {
	if n < 24 {
		return fmt.Errorf("%d bytes are no snapshot", n)
	}
	sum := xxh3.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, n-8)); err != nil {
		return err
	}
	var b [8]byte
	if _, err := f.ReadAt(b[:], n-8); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if binary.LittleEndian.Uint64(b[:]) != sum.Sum64() {
		return errors.New("the checksum differs")
	}
	return nil
}
