package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// Verify reads a crawl from its first record on and holds it against what was promised:
//
//	journal     records, pages and sites are numbered without a hole; nothing is damaged
//	politeness  verify_polite.go: every gap, every connection, every address, robots.txt,
//	            across restarts; from the records alone, not from the frontier that made them
//	archive     verify_archive.go: each answer stands where its record says, whole and with
//	            its digests, and nothing stands there that no record names
//	derived     verify_derived.go: the URL file and the snapshots say what the journal says
//	decisions   the present program would decide the same
//
// What a crash leaves behind, and the next run cuts off, is no violation. Nor is a WARC
// file that was moved away whole.

// VerifyOptions are how a crawl is verified.
type VerifyOptions struct {
	// Version is that of this program. Decisions of sessions of the same version must
	// be those that it would make; those of others are counted only.
	Version string
	// Limit is how many findings of a kind are listed; all are counted. 0 means 100.
	Limit int
	// Progress, if not nil, is told how many bytes of how many were read.
	Progress func(done, total int64)
}

// Kinds of findings.
const (
	FindDamage      = "damage"      // a part of the journal cannot be read
	FindNumbering   = "numbering"   // ids that do not follow each other
	FindEvent       = "event"       // a record that does not fit those before
	FindClock       = "clock"       // instants that go back
	FindGap         = "gap"         // a site was asked too soon
	FindAtOnce      = "at-once"     // two works at a time at a site
	FindConnection  = "connection"  // a connection served what it must not
	FindAddress     = "address"     // an IP address was asked too soon, or too often at a time
	FindRobots      = "robots"      // asked without robots.txt, or against it
	FindDenied      = "denied"      // asked for against the deny list
	FindScope       = "scope"       // a sitemap file was asked for against the scope
	FindUncommitted = "uncommitted" // a site was asked before its last answer was on disk
	FindRepeated    = "repeated"    // a page came twice as new
	FindArchive     = "archive"     // journal and WARC files do not agree
	FindURLs        = "urls"        // the URL file does not agree with the journal
	FindSnapshot    = "snapshot"    // so a snapshot
	FindDecision    = "decision"    // the same program would decide otherwise
)

// A Finding is one promise that was not kept.
type Finding struct {
	Kind   string `json:"kind"`
	Record uint64 `json:"record"` // of the journal
	Site   string `json:"site,omitempty"`
	URL    string `json:"url,omitempty"`
	What   string `json:"what"`
}

// Findings is what verifying brought.
type Findings struct {
	List  []Finding
	Kinds map[string]int64 // all findings, by kind
	Notes []string         // what is no violation, but should be known

	Records, Groups, Sessions int64
	Pages, Sites              int64
	Requests                  int64 // made to servers
	Stored, Bytes             int64 // records of the archive that were read, and their bytes
	Absent                    int64 // WARC files that are not there
	URLs                      int64 // compared with the URL file
	Snapshots                 int64 // compared
	Differs                   int64 // decisions that the present program would not make
}

// Count is the number of findings.
func (f *Findings) Count() (n int64) {
	for _, k := range f.Kinds {
		n += k
	}
	return n
}

// verifier is a crawl that is being verified.
type verifier struct {
	View
	o   VerifyOptions
	Out *Findings
	set *state.Setup

	last    journal.Commit // the one that the reading ends with
	session int            // index in Sessions of the one that is replayed
	group   uint64         // number of the group that is replayed
	rec     *journal.Record
	polite  polite
	archive *archiveWalk
	came    []bool // by page: it came
	journal int64  // bytes of the journal
	total   int64  // bytes to be read
	snaps   map[uint64]string
	alike   []bool // by session: it was made with the setup of the last
	differs int    // of the frontier, before this session
}

// errStop ends a verification that cannot go on: the finding was reported.
var errStop = errors.New("stop")

// Verify verifies the crawl in a directory. The error says that it could not be done.
func Verify(ctx context.Context, dir string, o VerifyOptions) (*Findings, error) {
	p, err := readParts(dir)
	if err != nil {
		return nil, err
	}
	v := NewVerifier(p, o)
	v.path, v.Running = dir, layout.Locked(filepath.Join(dir, layout.LockFile))
	defer v.Close()
	if err := v.Verify(ctx); err != nil {
		return nil, viewError(dir, err)
	}
	return v.Out, nil
}

func NewVerifier(p layout.Parts, o VerifyOptions) *verifier {
	o.Limit = cmp.Or(o.Limit, 100)
	v := &verifier{View: View{Parts: p}, o: o, Out: &Findings{Kinds: map[string]int64{}}}
	v.archive = newArchiveWalk(p.Archive, v)
	return v
}

// Verify does all of it.
func (v *verifier) Verify(ctx context.Context) error {
	if err := v.prepare(ctx); err != nil {
		return err
	}
	r := journal.Reader{
		Dir:    v.Parts.Journal,
		Record: v.record,
		Commit: func(c *journal.Commit) error { return errors.Join(ctx.Err(), v.commit(c)) },
		Damage: func(d *journal.Damage) error { v.damage(d); return nil },
	}
	var err error
	v.last, err = r.Run()
	v.rec = nil
	if err == nil {
		err = v.finish()
	}
	if errors.Is(err, errStop) {
		v.notef("what comes after record %d was not verified", v.s.Next)
		err = nil
	}
	return err
}

// prepare reads the sessions and makes an empty state.
func (v *verifier) prepare(ctx context.Context) error {
	id, err := layout.ReadIdentity(v.Parts.Journal)
	if err != nil {
		return err
	}
	v.Crawl = id.Crawl
	if err := v.scan(ctx); err != nil {
		return err
	}
	if v.set, err = readSetup(v.config(), id, &v.Commit); err != nil {
		return err
	}
	if v.Temp, err = os.MkdirTemp("", "winnow-verify-"); err != nil {
		return err
	}
	urls := v.Parts.Urls
	v.Parts.Urls = disk.OS(v.Temp)
	log, err := state.OpenURLs(&v.Parts, v.set)
	v.Parts.Urls = urls
	if err != nil {
		return err
	}
	if v.s, err = state.New(v.set, log); err != nil {
		return err
	}
	v.session = -1
	v.compareSessions()
	v.polite.init(v)
	if err := v.listSnapshots(); err != nil {
		return err
	}
	return v.measure()
}

// measure finds how much is to be read.
func (v *verifier) measure() error {
	var err error
	if v.journal, err = sizeOf(v.Parts.Journal); err != nil {
		return err
	}
	n, err := sizeOf(v.Parts.Archive)
	v.total = v.journal + n
	return err
}

// sizeOf is the size of all files of a directory.
func sizeOf(d disk.Dir) (n int64, err error) {
	list, err := d.List()
	for _, e := range list {
		n += e.Size
	}
	return n, err
}

// compareSessions finds those that decided by the same rules as the last: for the others
// the present state cannot tell what would have been decided.
func (v *verifier) compareSessions() {
	last := v.config()
	for i := range v.Sessions {
		v.alike = append(v.alike, sameRules(&v.Sessions[i].Config, last))
	}
}

// sameRules reports whether two configurations make the same state of the same records.
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
	return a.Policy == b.Policy && a.SitePolicy == b.SitePolicy && a.Batch == b.Batch && a.RandomSeed == b.RandomSeed &&
		a.Delay == b.Delay && a.SmallDelay == b.SmallDelay && a.SmallSite == b.SmallSite &&
		a.DelayFactor == b.DelayFactor && a.DelayMax == b.DelayMax && a.IPDelay == b.IPDelay && a.IPCap == b.IPCap && a.RetryDelay == b.RetryDelay &&
		a.PerConnection == b.PerConnection && a.Robots == b.Robots &&
		(a.Recrawl.Duration > 0) == (b.Recrawl.Duration > 0) && (a.Proxy == "") == (b.Proxy == "")
}

// found reports a finding about a site and a page, if there are any.
func (v *verifier) found(kind string, s graph.Site, p graph.Page, format string, args ...any) {
	v.Out.Kinds[kind]++
	if v.Out.Kinds[kind] > int64(v.o.Limit) {
		return
	}
	f := Finding{Kind: kind, What: fmt.Sprintf(format, args...)}
	if f.Record = v.s.Next; v.rec != nil {
		f.Record = v.rec.Seq
	}
	if p != graph.NoPage && int(p) < v.s.URLs.Pages() {
		f.URL = string(v.s.AppendURL(nil, p))
	}
	if s != graph.NoSite && int(s) < v.s.Table.Sites() {
		f.Site = string(v.s.Table.Name(s))
	}
	v.Out.List = append(v.Out.List, f)
}

// general reports a finding about no site.
func (v *verifier) general(kind, format string, args ...any) {
	v.found(kind, graph.NoSite, graph.NoPage, format, args...)
}

func (v *verifier) notef(format string, args ...any) {
	v.Out.Notes = append(v.Out.Notes, fmt.Sprintf(format, args...))
}

func (v *verifier) damage(d *journal.Damage) {
	v.rec = nil
	v.general(FindDamage, "%v", d)
}

// record looks at one record, and applies it.
func (v *verifier) record(r *journal.Record) error {
	v.rec = r
	v.Out.Records++
	if r.Now < v.s.Now {
		v.general(FindClock, "the clock goes back from %v to %v", v.s.Now, r.Now)
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
	}
	return v.compareSnapshot()
}

// begin enters the next session.
func (v *verifier) begin() {
	v.endDecisions()
	v.session++
	v.Out.Sessions++
	if v.session == len(v.Sessions) { // a crawl that was started while it is verified
		s, err := readSession(v.rec)
		if err != nil {
			v.general(FindEvent, "%v", err)
		}
		v.Sessions, v.alike = append(v.Sessions, s), append(v.alike, false)
	}
}

// conf is the configuration in force.
func (v *verifier) conf() *config.Config { return &v.Sessions[max(0, v.session)].Config }

// commit looks at what a group says of the state.
func (v *verifier) commit(c *journal.Commit) error {
	v.rec = nil
	v.group++
	v.Out.Groups++
	if int(c.Pages) != v.s.Frontier.Pages() || int(c.Sites) != v.s.Frontier.Sites() {
		v.general(FindNumbering, "the commit of records %d to %d has %d pages and %d sites, the records have %d and %d",
			c.First, c.Next, c.Pages, c.Sites, v.s.Frontier.Pages(), v.s.Frontier.Sites())
	}
	v.s.Committed(c)
	if v.o.Progress != nil {
		share := float64(c.Next) / float64(max(1, v.Commit.Next)) // of the journal
		v.o.Progress(v.Out.Bytes+int64(share*float64(v.journal)), v.total)
	}
	return nil
}

// finish is what can be looked at when all records were read.
func (v *verifier) finish() error {
	v.endDecisions()
	v.Out.Pages, v.Out.Sites = int64(v.s.Frontier.Pages()), int64(v.s.Frontier.Sites())
	for _, n := range v.s.Requests[event.Resolve+1:] {
		v.Out.Requests += n
	}
	if err := v.archive.finish(v.last.Warc); err != nil {
		return err
	}
	if err := v.compareURLs(); err != nil {
		return err
	}
	v.restSnapshots()
	return nil
}
