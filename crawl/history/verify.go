package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// Verify reads a crawl from its first record on and checks what was promised:
//
//	journal     records, pages and sites are numbered without a hole; nothing is damaged
//	politeness  verify_polite.go: every gap, every connection, every address, robots.txt,
//	            across restarts; from the records alone, not from the frontier that made them
//	archive     verify_archive.go: each answer is at the place in its record, complete and with
//	            its digests, and nothing else is there
//	derived     verify_derived.go: the URL file and the snapshots agree with the journal
//	decisions   this program would make the same decisions
//
// What a crash leaves behind, and the next run cuts off, is no violation. Nor is a WARC
// file that a user moved away.

// VerifyOptions set how a crawl is verified.
type VerifyOptions struct {
	// Version is that of this program. Sessions of the same version must have decided as it
	// would; differences of other sessions are only counted.
	Version string
	// Limit is the number of findings of a kind that are listed; all are counted. 0 means 100.
	Limit int
	// Progress, if not nil, is called with the bytes that were read, and all bytes.
	Progress func(done, total int64)
	// Archive, if not nil, returns the archive directory with files that are in a store. They are
	// read, too.
	Archive func(disk.Dir) disk.Dir
}

// Kinds of findings.
const (
	FindExchange    = "exchange"    // partitions do not agree about what they have told each other
	FindDamage      = "damage"      // a part of the journal cannot be read
	FindNumbering   = "numbering"   // ids with a gap
	FindEvent       = "event"       // a record that does not fit those before it
	FindClock       = "clock"       // times that go back
	FindGap         = "gap"         // a request was made too soon after the last
	FindAtOnce      = "at-once"     // two tasks at a site at the same time
	FindConnection  = "connection"  // a connection served a request that it must not serve
	FindAddress     = "address"     // requests to an IP address were made too soon, or too many at a time
	FindRobots      = "robots"      // a request without robots.txt, or against it
	FindDenied      = "denied"      // a request that the deny list forbids
	FindScope       = "scope"       // a request for a sitemap file outside the scope
	FindUncommitted = "uncommitted" // a request before the last answer was on disk
	FindRepeated    = "repeated"    // a page was fetched twice as new
	FindArchive     = "archive"     // journal and WARC files disagree
	FindURLs        = "urls"        // URL file and journal disagree
	FindSnapshot    = "snapshot"    // a snapshot and the journal disagree
	FindDecision    = "decision"    // the same version would decide otherwise
)

// A Finding is one promise that was not kept.
type Finding struct {
	Kind   string `json:"kind"`
	Record uint64 `json:"record"` // of the journal
	Site   string `json:"site,omitempty"`
	URL    string `json:"url,omitempty"`
	What   string `json:"what"`
}

// Findings is the result of a verification.
type Findings struct {
	List  []Finding        `json:"-"`     // some of each kind
	Kinds map[string]int64 `json:"found"` // number of all findings, by kind
	Notes []string         `json:"notes"` // facts that are no violations, but worth knowing

	Records   int64 `json:"records" show:"records" remark:"in {Groups: commit}, {Sessions: session}"`
	Groups    int64 `json:"commits"`
	Sessions  int64 `json:"sessions"`
	Pages     int64 `json:"pages" show:"pages" remark:"on {Sites: site}"`
	Sites     int64 `json:"sites"`
	Requests  int64 `json:"requests" show:"requests" remark:"checked against delays, robots.txt and the deny list"` // made to servers
	Stored    int64 `json:"archive_records" show:"archive records" remark:"read"`                                   // that were read
	Bytes     int64 `json:"archive_bytes" show:"archive,bytes" remark:"read"`                                       // of these
	Revisits  int64 `json:"archive_revisits" show:"revisits,omitzero" remark:"refer to a response in the archive"`
	Withheld  int64 `json:"withheld" show:"not stored,omitzero" remark:"pages that ask for that (noindex or noarchive)"`
	Kept      int64 `json:"kept,omitempty" show:"kept,omitzero" remark:"pages; {Dropped: page} dropped"` // with --keep-pages
	Dropped   int64 `json:"dropped,omitempty"`
	Undated   int64 `json:"-"`                                                                // revisits by an earlier version, which do not say to what
	Absent    int64 `json:"archive_files_absent" show:"missing,omitzero" remark:"WARC files"` // WARC files that do not exist
	Remote    int64 `json:"archive_files_remote" show:"in a store,omitzero" remark:"WARC files"`
	URLs      int64 `json:"urls" show:"URLs" remark:"in the URL file agree with the journal"`                             // compared with the URL file
	Snapshots int64 `json:"snapshots" show:"snapshots" remark:"compared"`                                                 // compared
	Differs   int64 `json:"decisions_changed" show:"changed" remark:"decisions that this version would make differently"` // decisions that this program would not make
}

// Count returns the number of findings.
func (f *Findings) Count() (n int64) {
	for _, k := range f.Kinds {
		n += k
	}
	return n
}

// A verifier verifies a crawl.
type verifier struct {
	*Crawl
	o   VerifyOptions
	out *Findings
	set *state.Setup

	last    journal.Commit // the last one that was read
	runs    []Session      // the sessions
	session int            // index in runs of the one that is replayed
	group   uint64         // number of the group that is replayed
	rec     *journal.Record
	polite  polite
	archive *archiveWalk
	origins *originals // what revisits may refer to; nil: no session visited pages again
	own     graph.Set  // its columns
	builder *archive.Builder
	fetched []bool // by page
	journal int64  // bytes of the journal
	total   int64  // bytes to be read
	snaps   map[uint64]string
	alike   []bool // by session: it was made with the setup of the last
	differs int    // of the frontier, before this session
}

// errStop ends a verification that cannot continue. The finding was reported.
var errStop = errors.New("stop")

// Verify verifies the crawl in a directory. It returns an error if it cannot do so.
func Verify(ctx context.Context, dir string, o VerifyOptions) (*Findings, error) {
	list, err := Dirs(dir)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return verifyAll(ctx, list, o)
	}
	c, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Verify(o)
}

// Verify verifies the crawl. It returns an error if it cannot do so. State must not be
// called before or after it.
func (c *Crawl) Verify(o VerifyOptions) (*Findings, error) {
	o.Limit = cmp.Or(o.Limit, 100)
	if o.Archive != nil {
		c.parts.Archive = o.Archive(c.parts.Archive)
	}
	v := &verifier{Crawl: c, o: o, out: &Findings{Kinds: map[string]int64{}, Notes: []string{}}, session: -1}
	v.archive = &archiveWalk{v: v, dir: c.parts.Archive, number: -1, passed: map[int]int64{}, gone: map[int]bool{}}
	defer v.own.Free()
	err := v.prepare()
	if err == nil {
		err = v.run()
	}
	if err != nil {
		return nil, explain(c.Path, err)
	}
	return v.out, nil
}

// run reads the journal, and then what follows from it.
func (v *verifier) run() error {
	r := journal.Reader{
		Dir:    v.parts.Journal,
		Record: v.record,
		Commit: func(c *journal.Commit) error { return errors.Join(v.ctx.Err(), v.commit(c)) },
		Damage: func(d *journal.Damage) error { v.damage(d); return nil },
	}
	var err error
	v.last, err = r.Run()
	v.rec = nil
	if err == nil {
		err = v.finish()
	}
	if errors.Is(err, errStop) {
		v.notef("nothing after record %d was verified", v.state.Next)
		err = nil
	}
	return err
}

// prepare reads the sessions and makes an empty state.
func (v *verifier) prepare() (err error) {
	if v.runs, err = v.Sessions(); err != nil {
		return err
	}
	if v.set, err = v.setup(); err != nil {
		return err
	}
	if v.temp, err = os.MkdirTemp("", "winnow-verify-"); err != nil {
		return err
	}
	p := v.parts
	p.Urls = disk.OS(v.temp)
	if v.state, err = state.Empty(&p, v.set); err != nil {
		return err
	}
	v.compareSessions()
	v.prepareOriginals()
	v.polite.init(v)
	if err := v.listSnapshots(); err != nil {
		return err
	}
	return v.measure()
}

// prepareOriginals makes what revisits may refer to, if there was a session with --recrawl.
func (v *verifier) prepareOriginals() {
	v.builder = archive.NewBuilder(v.set.Crawl, archive.SHA1)
	if slices.ContainsFunc(v.runs, func(s Session) bool { return s.Config.Recrawl.Duration > 0 }) {
		v.origins = newOriginals(&v.own, v.set.Frontier.MaxPages)
	}
}

// measure counts the bytes that are to be read.
func (v *verifier) measure() error {
	var err error
	if v.journal, err = sizeOf(v.parts.Journal); err != nil {
		return err
	}
	n, err := sizeOf(v.parts.Archive)
	v.total = v.journal + n
	return err
}

// sizeOf returns the size of all files of a directory.
func sizeOf(d disk.Dir) (n int64, err error) {
	list, err := d.List()
	for _, e := range list {
		n += e.Size
	}
	return n, err
}

// compareSessions finds the sessions that decided by the same rules as the last. Decisions
// of the others cannot be repeated.
func (v *verifier) compareSessions() {
	last := v.config
	for i := range v.runs {
		v.alike = append(v.alike, sameRules(&v.runs[i].Config, last))
	}
}

// sameRules reports whether the same records make the same state under two configurations.
func sameRules(a, b *config.Config) bool {
	if len(a.Site) != len(b.Site) {
		return false
	}
	for i := range a.Site {
		x, y := a.Site[i].Delay, b.Site[i].Delay
		if a.Site[i].Match != b.Site[i].Match || (x == nil) != (y == nil) || x != nil && *x != *y {
			return false
		}
	}
	return a.Policy == b.Policy && a.Score == b.Score && a.SitePolicy == b.SitePolicy && a.Batch == b.Batch && a.RandomSeed == b.RandomSeed &&
		a.Delay == b.Delay && a.SmallDelay == b.SmallDelay && a.SmallSite == b.SmallSite &&
		a.DelayFactor == b.DelayFactor && a.DelayMax == b.DelayMax && a.IPDelay == b.IPDelay && a.IPCap == b.IPCap && a.RetryDelay == b.RetryDelay &&
		a.PerConnection == b.PerConnection && a.WaitsForBetter() == b.WaitsForBetter() && a.Robots == b.Robots && (a.Requisites || a.Renders()) == (b.Requisites || b.Renders()) &&
		(a.Recrawl.Duration > 0) == (b.Recrawl.Duration > 0) && (a.Proxy == "") == (b.Proxy == "")
}

// found adds a finding about a site and a page. NoSite and NoPage mean none.
func (v *verifier) found(kind string, s graph.Site, p graph.Page, format string, args ...any) {
	v.out.Kinds[kind]++
	if v.out.Kinds[kind] > int64(v.o.Limit) {
		return
	}
	f := Finding{Kind: kind, What: fmt.Sprintf(format, args...)}
	if f.Record = v.state.Next; v.rec != nil {
		f.Record = v.rec.Seq
	}
	if p != graph.NoPage && int(p) < v.state.URLs.Pages() {
		f.URL = string(v.state.AppendURL(nil, p))
	}
	if s != graph.NoSite && int(s) < v.state.Table.Sites() {
		f.Site = string(v.state.Table.Name(s))
	}
	v.out.List = append(v.out.List, f)
}

// general adds a finding that is about no site.
func (v *verifier) general(kind, format string, args ...any) {
	v.found(kind, graph.NoSite, graph.NoPage, format, args...)
}

func (v *verifier) notef(format string, args ...any) {
	v.out.Notes = append(v.out.Notes, fmt.Sprintf(format, args...))
}

func (v *verifier) damage(d *journal.Damage) {
	v.rec = nil
	v.general(FindDamage, "%v", d)
}

// record checks and applies a record.
func (v *verifier) record(r *journal.Record) error {
	v.rec = r
	v.out.Records++
	if r.Now < v.state.Now {
		v.general(FindClock, "the clock goes back from %v to %v", v.state.Now, r.Now)
	}
	if r.Facts.Session != nil {
		v.begin()
	}
	v.polite.before(r)
	fits, err := v.apply(r)
	if err != nil {
		return err
	}
	if fits {
		v.polite.after(r)
		v.origins.note(r)
	}
	return v.compareSnapshot()
}

// begin begins the next session.
func (v *verifier) begin() {
	v.endDecisions()
	v.session++
	v.out.Sessions++
	if v.session == len(v.runs) { // the crawl was resumed during the verification
		s, err := readSession(v.rec)
		if err != nil {
			v.general(FindEvent, "%v", err)
		}
		v.runs, v.alike = append(v.runs, s), append(v.alike, false)
	}
}

// conf returns the configuration in force.
func (v *verifier) conf() *config.Config { return &v.runs[max(0, v.session)].Config }

// commit checks the counts at the end of a group.
func (v *verifier) commit(c *journal.Commit) error {
	v.rec = nil
	v.group++
	v.out.Groups++
	if int(c.Pages) != v.state.Frontier.Pages() || int(c.Sites) != v.state.Frontier.Sites() {
		v.general(FindNumbering, "the commit of records %d to %d has %d pages and %d sites, the records have %d and %d",
			c.First, c.Next, c.Pages, c.Sites, v.state.Frontier.Pages(), v.state.Frontier.Sites())
	}
	v.state.Committed(c)
	if v.o.Progress != nil {
		share := float64(c.Next) / float64(max(1, v.end.Next)) // of the journal
		v.o.Progress(v.out.Bytes+int64(share*float64(v.journal)), v.total)
	}
	return nil
}

// finish checks what needs all records.
func (v *verifier) finish() error {
	v.endDecisions()
	v.out.Pages, v.out.Sites = int64(v.state.Frontier.Pages()), int64(v.state.Frontier.Sites())
	for _, n := range v.state.Requests[event.Resolve+1:] {
		v.out.Requests += n
	}
	v.countKept()
	if err := v.archive.finish(v.last.Warc); err != nil {
		return err
	}
	if err := v.compareURLs(); err != nil {
		return err
	}
	v.restSnapshots()
	return nil
}
