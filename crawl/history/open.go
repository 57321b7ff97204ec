package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// ReadConfig returns the configuration that the crawl in a directory had last: that of its
// winnow.toml or, if that was deleted, of the last session in the journal. It reports
// whether a crawl was begun there. Secrets come from their own file; without it they stay
// withheld: see config.Config.Missing.
func ReadConfig(dir string) (conf config.Config, found bool, err error) {
	if list, err := Dirs(dir); err == nil {
		dir = list[0] // all partitions have the same
	}
	if conf, found, err = readPublic(dir); !found || err != nil || len(conf.Missing()) == 0 {
		return conf, found, err
	}
	name := filepath.Join(dir, config.SecretsFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return conf, true, nil
	}
	var secrets config.Secrets
	if err == nil {
		secrets, err = config.ParseSecrets(text)
	}
	if err != nil {
		return conf, true, &hint.Error{Text: "cannot read " + name, Hint: "restore it, or delete it and give the secrets again", Err: err}
	}
	conf.Restore(secrets)
	return conf, true, nil
}

// readPublic returns the configuration that the crawl in a directory had last, without its
// secrets.
func readPublic(dir string) (conf config.Config, found bool, err error) {
	name := filepath.Join(dir, layout.ConfigFile)
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		conf, err = config.Parse(name, text)
		return conf, true, err
	case !errors.Is(err, fs.ErrNotExist):
		return conf, false, &hint.Error{Text: "cannot read the configuration of " + dir, Hint: "choose another place with --dir", Err: err}
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(layout.JournalDir))); err != nil {
		return config.Default(), false, nil
	}
	c, err := Open(context.Background(), dir)
	if errors.Is(err, layout.ErrNothing) || errors.Is(err, journal.ErrNone) { // it was killed at once
		return config.Default(), false, nil
	}
	if err != nil {
		return conf, true, err
	}
	defer c.Close()
	last, err := c.Config()
	if err != nil {
		return conf, true, err
	}
	return *last, len(c.sessions) > 0, nil
}

// checkReadable returns an error unless a directory has a journal that may be read.
func checkReadable(dir string) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &hint.Error{Text: "there is no crawl " + dir, Hint: "name the directory that winnow crawl made: --dir, or the first seed's host with .crawl"}
	case err != nil:
		return &hint.Error{Text: "cannot open " + dir, Hint: "name the directory of a crawl that you may read", Err: err}
	}
	if err := divided(dir); err != nil {
		return err
	}
	_, err = os.ReadDir(filepath.Join(dir, filepath.FromSlash(layout.JournalDir)))
	switch {
	case errors.Is(err, fs.ErrNotExist) && layout.IsCrawl(dir):
		return explain(dir, layout.ErrNothing)
	case errors.Is(err, fs.ErrNotExist):
		has := "nothing"
		if len(list) > 0 {
			has = list[0].Name()
		}
		return &hint.Error{
			Text: fmt.Sprintf("%s is not a crawl: it has %s, but no journal", dir, has),
			Hint: nearCrawl(dir, list),
		}
	case err != nil:
		return &hint.Error{Text: "cannot read the journal of " + dir, Hint: "name the directory of a crawl that you may read", Err: err}
	}
	return nil
}

// nearCrawl proposes a crawl in a directory that is none.
func nearCrawl(dir string, list []os.DirEntry) string {
	for _, e := range list {
		if path := filepath.Join(dir, e.Name()); e.IsDir() && layout.IsCrawl(path) {
			return path + " is a crawl"
		}
	}
	return "name the directory that winnow crawl made: --dir, or the first seed's host with .crawl"
}

// explain adds to an error what can be done about a crawl that cannot be read.
func explain(dir string, err error) error {
	var known *hint.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, journal.ErrVersion):
		return &hint.Error{Text: dir + " was written by a later version of winnow", Hint: "use that version to read it", Err: err}
	case errors.Is(err, layout.ErrNothing), errors.Is(err, journal.ErrNone):
		return &hint.Error{Text: "nothing of the crawl in " + dir + " was committed yet", Hint: "start it again: winnow crawl --dir " + dir + " SEED...", Err: err}
	}
	return &hint.Error{Text: "cannot read the crawl in " + dir, Hint: "winnow verify " + dir + " lists what is wrong", Err: err}
}

// ReadOnly is a directory in which nothing can be changed. If it does not exist, it is
// empty: only the journal of a crawl must exist.
type ReadOnly struct{ disk.Dir }

// ErrReadOnly is returned by everything that would change a ReadOnly directory.
var ErrReadOnly = errors.New("a crawl that is read is not changed")

// Open opens a file. Writing to it fails, and truncating it does nothing, so that a URL log
// of a crawl can be opened: what opening would cut off stays.
func (d ReadOnly) Open(name string, how disk.How) (disk.File, error) {
	if how == disk.Create {
		return nil, fmt.Errorf("create %s: %w", name, ErrReadOnly)
	}
	f, err := d.Dir.Open(name, disk.Read)
	if err != nil || how == disk.Read {
		return f, err
	}
	return frozenFile{f}, nil
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

type frozenFile struct{ disk.File }

func (frozenFile) Truncate(int64) error               { return nil }
func (frozenFile) WriteAt([]byte, int64) (int, error) { return 0, ErrReadOnly }
