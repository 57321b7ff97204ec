// Package history reads the directory of a crawl, while it runs or afterwards. [Open] is the
// one way in: a [Crawl] has sessions, a status, pages, visits, timings and the link graph.
// [Verify] checks a crawl against the rules of politeness, and its parts against each other.
// [WARCFeed] reads the link graph from WARC files.
//
// The package changes nothing in the directory.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A Crawl reads the directory of a crawl, which may be running. It takes no lock and
// changes nothing. It shows what was committed when it was opened, or when State was first
// called, if that was later.
//
// A Crawl has one owner. Its methods read when they are called: see each of them.
type Crawl struct {
	Path    string
	Running bool   // a process crawls in the directory
	Closed  func() // called by Close, if it is not nil
	// Partitions are the statuses of the partitions that are read as one crawl; nil for others.
	Partitions []*Status

	all      *All            // the crawl of which this is a partition; nil: it is read alone
	ctx      context.Context // ends everything that is read
	parts    layout.Parts
	id       layout.Identity
	end      journal.Commit // the last one that is shown
	sessions []Session      // nil until the journal was read once
	config   *config.Config // of the last session; nil until it was needed
	state    *state.State   // nil until it was needed
	trail    *Trail         // nil until it was needed
	temp     string         // directory of the URLs; "": those of the crawl are read
	tail     *journal.Tail  // nil until Advance was called
}

// A Session is one run of the program.
type Session struct {
	Record     uint64        // number of its first record
	At         time.Duration // instant of the crawl
	Wall       time.Time     // the same on the clock of the machine
	Version    string
	Policy     string
	SitePolicy string
	Config     config.Config
	Command    string // of the user, that began it; "": none did
}

// Open opens the crawl in a directory. When the context ends, later reads end, too.
func Open(ctx context.Context, dir string) (*Crawl, error) {
	if err := checkReadable(dir); err != nil {
		return nil, err
	}
	p, err := layout.Open(func(name string) (disk.Dir, error) {
		return disk.OS(filepath.Join(dir, filepath.FromSlash(name))), nil
	})
	if err != nil {
		return nil, explain(dir, err)
	}
	c, err := OpenParts(ctx, dir, p)
	if err == nil {
		c.Running = layout.Locked(filepath.Join(dir, layout.LockFile))
	}
	return c, err
}

// OpenParts opens a crawl whose parts may lie anywhere. Messages name it by the path.
func OpenParts(ctx context.Context, path string, p layout.Parts) (*Crawl, error) {
	for _, d := range []*disk.Dir{&p.Journal, &p.Urls, &p.Snapshot, &p.Archive} {
		*d = ReadOnly{*d}
	}
	p.Stop = ctx.Err
	c := &Crawl{Path: path, ctx: ctx, parts: p}
	var err error
	if c.id, err = layout.ReadIdentity(p.Journal); err == nil {
		c.end, err = journal.Read(p.Journal, math.MaxUint64, nil)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	return c, nil
}

// Close frees memory and closes files.
func (c *Crawl) Close() {
	if c.state != nil {
		c.state.Close()
		c.state = nil
	}
	if c.temp != "" {
		os.RemoveAll(c.temp)
	}
	if c.Closed != nil {
		c.Closed()
	}
}

// Identity returns the identity of the crawl.
func (c *Crawl) Identity() layout.Identity { return c.id }

// Archived returns the end of the archive as far as it is committed: the number of its last file,
// and the size of that.
func (c *Crawl) Archived() archive.Position { return layout.Position(c.end) }

// Known returns the number of known pages.
func (c *Crawl) Known() int { return int(c.end.Pages) }

// Sites returns the number of known sites.
func (c *Crawl) Sites() int { return int(c.end.Sites) }

// Each reads the journal and calls fn for each record in order, until fn returns an error.
// Damaged records are skipped; the ids in the others are still right.
func (c *Crawl) Each(fn func(*journal.Record) error) error { return c.EachGroup(fn, func() {}) }

// About calls fn for the records that tell about a page. It reads the whole journal and calls fn
// for all records.
func (c *Crawl) About(_ graph.Page, fn func(*journal.Record) error) error { return c.Each(fn) }

// EachGroup does what Each does, and calls committed after the last record of each group.
func (c *Crawl) EachGroup(fn func(*journal.Record) error, committed func()) error {
	sessions := []Session{}
	var failed error // by fn
	r := journal.Reader{
		Dir: c.parts.Journal,
		Commit: func(*journal.Commit) error {
			committed()
			return c.ctx.Err()
		},
		Record: func(r *journal.Record) error {
			if r.Seq >= c.end.Next {
				return layout.ErrEnough
			}
			if r.Facts.Session != nil {
				s, err := readSession(r)
				if err != nil {
					return err
				}
				sessions = append(sessions, s)
			}
			failed = fn(r)
			return failed
		},
	}
	_, err := r.Run()
	switch {
	case failed != nil:
		return failed
	case err != nil && !errors.Is(err, layout.ErrEnough):
		return explain(c.Path, err)
	}
	c.sessions = sessions
	return nil
}

func readSession(r *journal.Record) (s Session, err error) {
	x := r.Facts.Session
	s = Session{Record: r.Seq, At: r.Now, Wall: time.Unix(0, x.Wall).UTC(), Version: x.Version, Policy: x.Policy, SitePolicy: x.SitePolicy, Command: r.Facts.Command}
	s.Config, err = config.Parse(fmt.Sprintf("configuration in record %d", r.Seq), x.Config)
	return s, err
}

// Sessions returns the sessions in order. It reads the journal unless Each has done so. If
// the records of all sessions are lost, it returns one with the default configuration.
func (c *Crawl) Sessions() ([]Session, error) {
	if c.sessions == nil {
		if err := c.Each(func(*journal.Record) error { return nil }); err != nil {
			return nil, err
		}
	}
	if len(c.sessions) == 0 {
		return []Session{{Config: config.Default()}}, nil
	}
	return c.sessions, nil
}

// Config returns the configuration of the last session. It reads the journal unless State
// or Each has done so.
func (c *Crawl) Config() (*config.Config, error) {
	if c.config == nil {
		list, err := c.Sessions()
		if err != nil {
			return nil, err
		}
		c.config = &list[len(list)-1].Config
	}
	return c.config, nil
}

// State returns what the crawl knows. The first call makes it from the newest snapshot
// that fits and the records after it, or replays the whole journal. Unless the crawl is
// running, URLs are read from its own file if that fits, else they go to a temporary file.
func (c *Crawl) State() (*state.State, error) {
	if c.state == nil {
		if err := c.restore(); err != nil {
			return nil, explain(c.Path, err)
		}
		c.end.Next, c.end.Pages, c.end.Sites = c.state.Next, uint32(c.state.Frontier.Pages()), uint32(c.state.Frontier.Sites())
	}
	return c.state, nil
}

func (c *Crawl) restore() error {
	if c.fromSnapshot(); c.state != nil || c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	set, err := c.setup()
	if err != nil {
		return err
	}
	if c.temp, err = os.MkdirTemp("", "winnow-read-"); err != nil {
		return fmt.Errorf("make a place for the URLs: %w", err)
	}
	p := c.parts
	p.Urls = disk.OS(c.temp)
	c.state, err = state.Restore(&p, set, c.end.Next, ignore)
	return err
}

func ignore(string, ...any) {}

// fromSnapshot makes the state from the newest snapshot and the file of the URLs, if they
// fit the journal and no process may change them. Both are only read: URLs that became
// known after the snapshot stay in memory.
func (c *Crawl) fromSnapshot() {
	names, err := snapshot.List(c.parts.Snapshot)
	if err != nil || len(names) == 0 || c.Running {
		return
	}
	text, err := state.SnapshotConfig(c.parts.Snapshot, names[0])
	for err == nil {
		var s *state.State
		if s, err = c.load(names[0], text); err != nil {
			break
		}
		if bytes.Equal(s.LastConfig, text) {
			c.state = s
			return
		}
		text = s.LastConfig // a session after the snapshot has another configuration
		s.Close()
	}
	c.config = nil
}

// load makes the state from a snapshot and the records after it, under a configuration.
func (c *Crawl) load(name string, text []byte) (*state.State, error) {
	conf, err := config.Parse(name, text)
	if err != nil {
		return nil, err
	}
	c.config = &conf
	set, err := c.setup()
	if err != nil {
		return nil, err
	}
	s, err := state.FromSnapshot(&c.parts, set, name, c.end.Next)
	if err != nil {
		return nil, err
	}
	if err = s.CatchUp(&c.parts, c.end.Next, ignore); err == nil && s.URLs.Pages() != s.Frontier.Pages() {
		err = errors.New("the URLs do not fit")
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// setup returns the setup of a state that is only read: with room for what is committed
// and for what a running crawl adds meanwhile.
func (c *Crawl) setup() (*state.Setup, error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	return c.setupFor(conf)
}

// setupFor does what setup does, under any configuration.
func (c *Crawl) setupFor(conf *config.Config) (*state.Setup, error) {
	room := 2 * (int64(c.end.Pages) + 2*int64(c.end.Sites)) * state.LeastPerPage
	set, err := state.NewSetup(conf, c.id, max(room, int64(conf.MaxMemory), 1<<30))
	if err == nil && len(conf.Site) > 0 {
		o := config.NewOverrides(conf)
		set.SiteDelay = o.Delay
	}
	return set, err
}

// SiteNames returns the names of all sites by id: scheme, host and port. It calls State.
func (c *Crawl) SiteNames() ([]string, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	names := make([]string, c.Sites())
	for i := range names {
		names[i] = string(s.Table.Name(graph.Site(i)))
	}
	return names, nil
}

// Feed returns the graph of the crawl: every known page under its id, with the links that
// were found in all its visits. Pages that were not fetched have no links, and are marked.
// It calls State; the links are read from the journal. The crawl must stay open meanwhile.
func (c *Crawl) Feed() (*graph.Feed, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	origin, err := c.origin(s)
	if err != nil {
		return nil, err
	}
	fetched, sizes := make([]uint64, (c.Known()+63)/64), make([]uint32, c.Known())
	return &graph.Feed{
		Name:    filepath.Base(c.Path),
		Origin:  origin,
		Sizes:   func() []uint32 { return sizes },
		Pages:   c.Known,
		Fetched: func() []uint64 { return fetched },
		Links: func(add func(from, to graph.Page) error, tell func(done, total int64) error) error {
			return c.Each(func(r *journal.Record) error {
				e := &r.Event
				if !e.Kind.Reads() || e.Class.Failed() {
					return nil
				}
				fetched[e.Page/64] |= 1 << (e.Page % 64)
				if e.Bytes > 0 { // an answer that a page did not change has none
					sizes[e.Page] = graph.SizeOf(e.Bytes)
				}
				for _, to := range e.Links {
					if err := add(e.Page, to); err != nil {
						return err
					}
				}
				return tell(int64(r.Seq), int64(c.end.Next))
			})
		},
		URLs: func(emit func([]byte) error) error {
			var url []byte
			return s.URLs.Each(0, func(p graph.Page, site graph.Site, rest []byte) error {
				url = append(append(url[:0], s.Table.Name(site)...), rest...)
				if s.Frontier.State(p) == frontier.Lost {
					url = fmt.Appendf(url[:0], "lost://page/%d", p)
				}
				return emit(url)
			})
		},
	}, nil
}
