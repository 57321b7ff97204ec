package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/winnow-crawler/winnow/crawl/config"
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
	List  []Finding        `json:"-"`     // some of each kind
	Kinds map[string]int64 `json:"found"` // number of all findings, by kind
	Notes []string         `json:"notes"` // what is no violation, but should be known

	Records   int64 `json:"records"`
	Groups    int64 `json:"commits"`
	Sessions  int64 `json:"sessions"`
	Pages     int64 `json:"pages"`
	Sites     int64 `json:"sites"`
	Requests  int64 `json:"requests"`             // made to servers
	Stored    int64 `json:"archive_records"`      // that were read
	Bytes     int64 `json:"archive_bytes"`        // of these
	Absent    int64 `json:"archive_files_absent"` // WARC files that do not exist
	URLs      int64 `json:"urls"`                 // compared with the URL file
	Snapshots int64 `json:"snapshots"`            // compared
	Differs   int64 `json:"decisions_changed"`    // decisions that the present program would not make
}

// Count is the number of findings.
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
	v := &verifier{Crawl: c, o: o, out: &Findings{Kinds: map[string]int64{}, Notes: []string{}}, session: -1}
	v.archive = &archiveWalk{v: v, dir: c.parts.Archive, number: -1}
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
		v.notef("what comes after record %d was not verified", v.state.Next)
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
	v.polite.init(v)
	if err := v.listSnapshots(); err != nil {
		return err
	}
	return v.measure()
}

// measure finds how much is to be read.
func (v *verifier) measure() error {
	var err error
	if v.journal, err = sizeOf(v.parts.Journal); err != nil {
		return err
	}
	n, err := sizeOf(v.parts.Archive)
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
	last := v.config
	for i := range v.runs {
		v.alike = append(v.alike, sameRules(&v.runs[i].Config, last))
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

// general reports a finding about no site.
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

// record looks at one record, and applies it.
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
	}
	return v.compareSnapshot()
}

// begin enters the next session.
func (v *verifier) begin() {
	v.endDecisions()
	v.session++
	v.out.Sessions++
	if v.session == len(v.runs) { // a crawl that was started while it is verified
		s, err := readSession(v.rec)
		if err != nil {
			v.general(FindEvent, "%v", err)
		}
		v.runs, v.alike = append(v.runs, s), append(v.alike, false)
	}
}

// conf is the configuration in force.
func (v *verifier) conf() *config.Config { return &v.runs[max(0, v.session)].Config }

// commit looks at what a group says of the state.
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

// finish is what can be looked at when all records were read.
func (v *verifier) finish() error {
	v.endDecisions()
	v.out.Pages, v.out.Sites = int64(v.state.Frontier.Pages()), int64(v.state.Frontier.Sites())
	for _, n := range v.state.Requests[event.Resolve+1:] {
		v.out.Requests += n
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
