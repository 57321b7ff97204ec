package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

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
	if err := checkDirectory(o.Dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, &hint.Error{Text: "cannot make " + o.Dir, Hint: "choose another place with --dir", Err: err}
	}
	var err error
	if d.lock, err = layout.Lock(filepath.Join(o.Dir, layout.LockFile)); err != nil {
		return nil, lockError(o.Dir, err)
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

// checkDirectory returns an error for a directory that holds something else than a crawl.
func checkDirectory(path string) error {
	list, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &hint.Error{Text: "cannot open " + path, Hint: "choose another place with --dir", Err: err}
	case len(list) == 0 || layout.IsCrawl(path):
		return nil
	}
	return &hint.Error{
		Text: fmt.Sprintf("%s is not a crawl: it has %s, but no journal", path, list[0].Name()),
		Hint: "choose an empty or new directory with --dir",
	}
}

func lockError(dir string, err error) error {
	if errors.Is(err, layout.ErrLocked) {
		return &hint.Error{
			Text: "another winnow is running in " + dir,
			Hint: "wait for it, stop it with Ctrl-C, or choose another --dir; winnow status " + dir + " shows how far it is",
		}
	}
	return &hint.Error{Text: "cannot lock " + dir, Hint: "make the directory writable, or choose another with --dir", Err: err}
}

func (d *directory) close() {
	if d.lock != nil {
		d.lock.Close() // unlocks it
	}
}

// writeConfig writes the configuration in force beside the journal, for people and for the
// next run.
func (d *directory) writeConfig(c *config.Config) error {
	b, err := c.Marshal()
	if err != nil {
		return err
	}
	return d.replace(layout.ConfigFile, b, true) // an empty configuration would mean other limits
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
