package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// ReadConfig is the configuration that the crawl in a directory had last: that of its
// winnow.toml or, where somebody deleted that, of the journal, which holds the one of
// every session. Nothing is found where no crawl was begun.
func ReadConfig(dir string) (c config.Config, found bool, err error) {
	name := filepath.Join(dir, config.ConfigName)
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		c, err = config.Parse(name, text)
		return c, true, err
	case !errors.Is(err, fs.ErrNotExist):
		return c, false, &hint.Error{Text: "cannot read the configuration of " + dir, Hint: "choose another place with --dir", Err: err}
	}
	where := filepath.Join(dir, filepath.FromSlash(layout.JournalDir))
	if _, err := os.Stat(where); err != nil {
		return config.Default(), false, nil
	}
	text, err = lastConfig(disk.OS(where))
	if err != nil && !errors.Is(err, journal.ErrNone) { // that is how a crawl is left that was killed at once
		return c, true, &hint.Error{Text: "cannot read the journal of " + dir, Hint: "winnow verify " + dir + " says what is wrong", Err: err}
	}
	if text == nil {
		return config.Default(), false, nil
	}
	c, err = config.Parse(name, text)
	return c, true, err
}

// lastConfig is the configuration of the last session in a journal, nil if there is none.
func lastConfig(dir disk.Dir) (text []byte, err error) {
	_, err = journal.Read(dir, 0, func(r *journal.Record) error {
		if x := r.Facts.Session; x != nil {
			text = append(text[:0], x.Config...)
		}
		return nil
	})
	return text, err
}
