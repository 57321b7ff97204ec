package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A View is a crawl directory as it is committed, read without its lock and without
// changing anything: also while a crawl runs there, or after one was killed. It is a
// state of its own, made from the newest snapshot that can be used and the journal.
// Unless a crawl runs there, URLs are read from its file if that fits; else they go to a
// temporary one.
type View struct {
	Crawl    [16]byte // id
	Sessions []Session
	Damage   []journal.Damage // records that are lost
	Commit   journal.Commit   // the last
	Running  bool             // a process is at work in the directory

	path  string
	Parts layout.Parts
	s     *state.State
	Temp  string // directory of the URLs; "": those of the crawl are read
}

// Session is one run of the program, as its first record tells.
type Session struct {
	Record     uint64
	At         time.Duration // instant of the crawl
	Wall       time.Time     // the same on the clock of the machine
	Version    string
	Policy     string
	SitePolicy string
	Config     config.Config
}

// OpenView reads a crawl directory. It is to be closed.
func OpenView(ctx context.Context, dir string) (*View, error) {
	p, err := readParts(dir)
	if err != nil {
		return nil, err
	}
	v := &View{path: dir, Parts: p, Running: layout.Locked(filepath.Join(dir, layout.LockFile))}
	if err = v.Open(ctx); err != nil {
		v.Close()
		return nil, viewError(dir, err)
	}
	return v, nil
}

// readParts opens the parts of a directory for reading.
func readParts(dir string) (p layout.Parts, err error) {
	if err := checkReadable(dir); err != nil {
		return p, err
	}
	return layout.Open(func(name string) (disk.Dir, error) {
		return ReadOnly{disk.OS(filepath.Join(dir, filepath.FromSlash(name)))}, nil
	})
}

// checkReadable refuses what is no crawl, or cannot be read.
func checkReadable(dir string) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &hint.Error{Text: "there is no crawl " + dir, Hint: "name the directory that winnow crawl made: --dir, or the first seed's host with .crawl"}
	case err != nil:
		return &hint.Error{Text: "cannot open " + dir, Hint: "name the directory of a crawl that you may read", Err: err}
	}
	_, err = os.ReadDir(filepath.Join(dir, filepath.FromSlash(layout.JournalDir)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		has := "nothing"
		if len(list) > 0 {
			has = list[0].Name()
		}
		return &hint.Error{
			Text: fmt.Sprintf("%s is not a crawl: it has %s, but no journal", dir, has),
			Hint: "name the directory that winnow crawl made",
		}
	case err != nil:
		return &hint.Error{Text: "cannot read the journal of " + dir, Hint: "name the directory of a crawl that you may read", Err: err}
	}
	return nil
}

// viewError says what can be done about a crawl that cannot be read.
func viewError(dir string, err error) error {
	var known *hint.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, journal.ErrVersion):
		return &hint.Error{Text: dir + " was written by a later version of winnow", Hint: "use that version to read it", Err: err}
	case errors.Is(err, layout.ErrNothing), errors.Is(err, journal.ErrNone):
		return &hint.Error{Text: "nothing of the crawl in " + dir + " was committed yet", Hint: "start it again: winnow crawl --dir " + dir + " SEED...", Err: err}
	}
	return &hint.Error{Text: "cannot read the crawl in " + dir, Hint: "winnow verify " + dir + " says what is wrong", Err: err}
}

// Open reads the sessions, and brings the state to the last commit.
func (v *View) Open(ctx context.Context) error {
	id, err := layout.ReadIdentity(v.Parts.Journal)
	if err != nil {
		return err
	}
	v.Crawl = id.Crawl
	if err := v.scan(ctx); err != nil {
		return err
	}
	set, err := readSetup(v.config(), id, &v.Commit)
	if err != nil {
		return err
	}
	v.Parts.Stop = ctx.Err
	if v.s = v.fromFiles(set); v.s != nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if v.Temp, err = os.MkdirTemp("", "winnow-view-"); err != nil {
		return fmt.Errorf("make a place for the URLs: %w", err)
	}
	v.Parts.Urls = disk.OS(v.Temp)
	v.s, err = state.Restore(&v.Parts, set, v.Commit.Next, func(string, ...any) {})
	return err
}

// fromFiles makes the state from the newest snapshot and the file of the URLs, which is
// read only: what a few records since then made known stays in memory. It is nil if they
// do not fit the journal, or if somebody may change them.
func (v *View) fromFiles(set *state.Setup) *state.State {
	names, err := state.SnapshotsOf(v.Parts.Snapshot)
	if err != nil || len(names) == 0 || v.Running {
		return nil
	}
	p := v.Parts
	p.Urls = frozenDir{p.Urls}
	s, err := state.FromSnapshot(&p, set, names[0], v.Commit.Next)
	if err != nil {
		return nil
	}
	if s.CatchUp(&p, v.Commit.Next, func(string, ...any) {}) != nil || s.URLs.Pages() != s.Frontier.Pages() {
		s.Close()
		return nil
	}
	return s
}

// frozenDir opens files to be changed as files that do not change.
type frozenDir struct{ disk.Dir }

func (d frozenDir) Open(name string, _ disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, disk.Read)
	if err != nil {
		return nil, err
	}
	return &FrozenFile{f}, nil
}

// scan reads the whole journal for its sessions and its damage.
func (v *View) scan(ctx context.Context) (err error) {
	r := journal.Reader{
		Dir: v.Parts.Journal,
		Record: func(r *journal.Record) error {
			if r.Facts.Session == nil {
				return nil
			}
			s, err := readSession(r)
			v.Sessions = append(v.Sessions, s)
			return err
		},
		Commit: func(*journal.Commit) error { return ctx.Err() },
		Damage: func(d *journal.Damage) error { v.Damage = append(v.Damage, *d); return nil },
	}
	v.Commit, err = r.Run()
	switch {
	case err != nil || len(v.Sessions) > 0:
		return err
	case v.Commit.Next == 0:
		return layout.ErrNothing
	}
	v.Sessions = []Session{{Config: config.Default()}} // all are lost: nobody knows what they wanted
	return nil
}

func readSession(r *journal.Record) (s Session, err error) {
	x := r.Facts.Session
	s = Session{Record: r.Seq, At: r.Now, Wall: time.Unix(0, x.Wall), Version: x.Version, Policy: x.Policy, SitePolicy: x.SitePolicy}
	s.Config, err = config.Parse(fmt.Sprintf("configuration in record %d", r.Seq), x.Config)
	return s, err
}

// config is that of the last session.
func (v *View) config() *config.Config { return &v.Sessions[len(v.Sessions)-1].Config }

// readSetup is the setup of a state that is only read: with room for what is committed
// and for what a running crawl adds meanwhile.
func readSetup(c *config.Config, id layout.Identity, last *journal.Commit) (*state.Setup, error) {
	room := 2 * (int64(last.Pages) + 2*int64(last.Sites)) * state.LeastPerPage
	set, err := state.NewSetup(c, id, max(room, int64(c.MaxMemory), 1<<30))
	if err != nil {
		return nil, err
	}
	if len(c.Site) > 0 {
		o := config.NewOverrides(c)
		set.SiteDelay = o.Delay
	}
	return set, nil
}

// Close gives memory and files back.
func (v *View) Close() {
	if v.s != nil {
		v.s.Close()
		v.s = nil
	}
	if v.Temp != "" {
		os.RemoveAll(v.Temp)
	}
}

// ReadOnly is a directory in which nothing can be changed. One that is not there is
// empty: all but the journal is derived or can be gone.
type ReadOnly struct{ disk.Dir }

var ErrReadOnly = errors.New("a crawl that is read is not changed")

func (d ReadOnly) Open(name string, how disk.How) (disk.File, error) {
	if how != disk.Read {
		return nil, fmt.Errorf("open %s: %w", name, ErrReadOnly)
	}
	return d.Dir.Open(name, how)
}

func (d ReadOnly) List() ([]disk.Entry, error) {
	list, err := d.Dir.List()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

func (d ReadOnly) Rename(from, to string) error {
	return fmt.Errorf("rename %s: %w", from, ErrReadOnly)
}
func (d ReadOnly) Remove(name string) error { return fmt.Errorf("remove %s: %w", name, ErrReadOnly) }
func (d ReadOnly) Sync() error              { return ErrReadOnly }
