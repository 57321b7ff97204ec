package crawl

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/focus"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/past"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/visit"
	"github.com/winnow-crawler/winnow/crawl/worth"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// opened holds a crawl as its last commit left it.
type opened struct {
	recorder
	id      layout.Identity
	fresh   bool // no session has been committed
	dir     *directory
	builder *archive.Builder // of WARC records
	prior   past.Prior
	worth   worth.Worth
	lost    int64 // the archive has lost what was requested from then on: see journal.Facts.Lost
}

// open opens a new crawl, or recovers an old one.
func open(ctx context.Context, o *RunOptions, d *directory, scope *gather.Scope, w worth.Worth) (*opened, error) {
	id, err := layout.ReadIdentity(d.Journal)
	none := errors.Is(err, journal.ErrNone)
	fresh := none || errors.Is(err, layout.ErrNothing)
	switch {
	case fresh && len(o.Seeds) == 0 && o.Port == nil:
		return nil, &hint.Error{Text: "there is nothing to begin with", Hint: "name the URLs of some pages: winnow crawl https://example.org"}
	case none:
		id = o.Port.NewIdentity()
	case errors.Is(err, journal.ErrVersion):
		return nil, &hint.Error{Text: o.Dir + " was written by a later version of winnow", Hint: "use that version, or another --dir", Err: err}
	case err != nil && !fresh:
		return nil, &hint.Error{Text: "cannot read the journal of " + o.Dir, Hint: "winnow verify " + o.Dir + " lists what is wrong", Err: err}
	}
	if o.Port != nil {
		id = o.Port.Identity // also if a journal lost its own: messages name pages by hashes under the secret
	}
	set, err := state.NewSetup(&o.Config, id, memoryLimit(o))
	if err != nil {
		return nil, err
	}
	if o.Port != nil {
		set.Owner = o.Port.Owner
	}
	if len(o.Config.Site) > 0 {
		overrides := config.NewOverrides(&o.Config)
		set.SiteDelay = overrides.Delay
	}
	c := &opened{id: id, fresh: fresh, dir: d, worth: w}
	if fresh {
		c.prior, err = past.ReadPrior(ctx, &o.Config, urltable.NewKey(id.Secret), scope, memoryLimit(o))
	}
	if err == nil {
		err = c.recover(o, set, none)
	}
	if err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// release frees the files and the memory of a crawl.
func (c *opened) release() {
	c.prior.Close()
	if c.journal != nil {
		c.journal.Drop()
	}
	if c.warc != nil {
		c.warc.Drop()
	}
	if c.state != nil {
		c.state.Close()
	}
}

// recover brings journal, state and archive to the last commit. With none there is no
// journal yet.
func (c *opened) recover(o *RunOptions, set *state.Setup, none bool) (err error) {
	header := o.Port.Header(c.id)
	var found journal.Found
	if none {
		c.journal, err = journal.Begin(c.dir.Journal, header)
	} else {
		c.journal, found, err = journal.Open(c.dir.Journal, header)
	}
	if err == nil {
		err = snapshot.DropAhead(c.dir.Snapshot, found.Records)
	}
	if err != nil {
		return diskError(o.Dir, err)
	}
	for _, x := range found.Damage {
		o.Log.Warn("a part of the journal is damaged; what it made known is found again", "damage", x)
	}
	set.Fit(found.Last)
	if err := c.restore(o, set, found.Records); err != nil {
		return err
	}
	if err := cmp.Or(checkSeeds(o, c.state), past.CheckSame(o.Dir, lastConfig(c.state), &o.Config), focus.CheckSame(o.Dir, lastConfig(c.state), &o.Config), completeWorth(&c.worth, &o.Config, c.state, c.fresh, o.Log)); err != nil {
		return err
	}
	if err = state.SyncURLs(&c.dir.Parts); err == nil {
		c.journal.Segment = o.Machine.Sizes.Journal
		err = c.openArchive(o, set, layout.Position(found.Last))
	}
	if err != nil {
		return diskError(o.Dir, err)
	}
	return nil
}

// restore sets c.state to the state after the first records of the journal.
func (c *opened) restore(o *RunOptions, set *state.Setup, records uint64) (err error) {
	began := time.Now()
	c.state, err = state.Restore(&c.dir.Parts, set, records, o.Log.Warn)
	switch {
	case err != nil && c.dir.Stopped() != nil:
		return err // nothing was written
	case disk.ErrFull(err):
		return diskError(o.Dir, err)
	case err != nil:
		return &hint.Error{Text: "cannot restore the crawl in " + o.Dir, Hint: "winnow verify " + o.Dir + " lists what is wrong", Err: err}
	}
	o.Log.Info("restored", "pages", c.state.Frontier.Pages(), "records", c.state.Next, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

func (c *opened) openArchive(o *RunOptions, set *state.Setup, last archive.Position) (err error) {
	c.position = last
	c.builder = archive.NewBuilder(set.Crawl, archive.SHA1)
	policy := "RFC9309"
	if !o.Config.Robots {
		policy = "ignored"
	}
	size := o.fileSize()
	if o.Config.KeepPages > 0 {
		size = math.MaxInt64 // the keeper ends files
	}
	c.warc, err = archive.Open(c.dir.Archive, archive.Config{
		Prefix: "winnow", Builder: c.builder, Now: time.Now, MaxSize: size,
		Info: archive.Info{
			Software: "winnow/" + cmp.Or(o.Version, "devel"), Operator: o.Config.Contact, UserAgent: o.Config.Agent(o.Version), Robots: policy,
		},
	}, last)
	if err != nil {
		return err
	}
	x := c.warc.Recovery()
	x.Log(o.Log, layout.ArchiveDir)
	if x.Missing > 0 && !x.Absent {
		c.lost, err = visit.LostSince(journal.Reader{Dir: c.dir.Journal}, last.File, last.Size-x.Missing)
	}
	return err
}

// A directory is a crawl directory that is locked while it is open.
type directory struct {
	path string // "" for one that is not in the file system
	lock *os.File
	layout.Parts
}

// openDirectory creates or opens the directory of a crawl, and locks it. It refuses a
// directory that holds something else.
func openDirectory(o *RunOptions) (*directory, error) {
	d := &directory{path: o.Dir}
	if open := o.Machine.Disk; open != nil {
		d.path = ""
		var err error
		d.Parts, err = layout.Open(open)
		return d, err
	}
	if err := layout.CheckDirectory(o.Dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, &hint.Error{Text: "cannot make " + o.Dir, Hint: "choose another place with --dir", Err: err}
	}
	var err error
	if d.lock, err = layout.Lock(filepath.Join(o.Dir, layout.LockFile)); err != nil {
		return nil, layout.LockError(o.Dir, err)
	}
	d.Parts, err = layout.Open(func(name string) (disk.Dir, error) {
		path := filepath.Join(o.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, &hint.Error{Text: "cannot write " + o.Dir, Hint: "make the directory writable, or choose another with --dir", Err: err}
		}
		return disk.OS(path), nil
	})
	if err == nil {
		err = syncNames(o.Dir)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// syncNames syncs the directories of a crawl, without which their files would be lost. The
// one above may not be accessible.
func syncNames(dir string) error {
	for _, name := range []string{path.Dir(layout.JournalDir), "."} {
		if err := disk.OS(filepath.Join(dir, name)).Sync(); err != nil {
			return diskError(dir, err)
		}
	}
	_ = disk.OS(filepath.Dir(filepath.Clean(dir))).Sync()
	return nil
}

func (d *directory) close() {
	if d.lock != nil {
		d.lock.Close() // unlocks it
	}
}

// writeSecrets writes the secrets that journal and configuration lack, if there are any.
// history.ReadConfig reads them.
func (d *directory) writeSecrets(c *config.Config) error {
	_, secrets := c.Public()
	if len(secrets) == 0 {
		return nil
	}
	b, err := secrets.Marshal()
	if err != nil {
		return err
	}
	return d.replace(config.SecretsFile, b, true)
}

// writeConfig writes the configuration in force, without its secrets, to the crawl directory,
// for people and for the next run. A configuration without secrets needs no file of them.
func (d *directory) writeConfig(c *config.Config) error {
	public, secrets := c.Public()
	b, err := public.Marshal()
	if err != nil {
		return err
	}
	err = d.replace(layout.ConfigFile, b, true) // an empty configuration would mean other limits
	if err != nil || len(secrets) > 0 || d.path == "" {
		return err
	}
	if err = os.Remove(filepath.Join(d.path, config.SecretsFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeStatus writes the statistics where winnow status finds them. The crawl continues
// without them if that fails.
func (d *directory) writeStatus(s *history.Status, log *slog.Logger) {
	b, err := json.Marshal(s)
	if err == nil {
		err = d.replace(layout.StatusFile, append(b, '\n'), false)
	}
	if err != nil {
		log.Warn("cannot write the status", "error", err)
	}
}

// replace writes a file completely or not at all, with sync even if the power fails. It
// does nothing if the directory is not in the file system.
func (d *directory) replace(name string, b []byte, sync bool) error {
	if d.path == "" {
		return nil
	}
	return disk.Replace(disk.OS(d.path), name, name+".tmp", sync, func(f disk.File) error {
		_, err := f.WriteAt(b, 0)
		return err
	})
}
