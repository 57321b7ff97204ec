package recut

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// SplitOptions describe how a crawl is split.
type SplitOptions struct {
	Dir        string // of the crawl, which must have one partition. It is not changed
	Out        string // the directory to make
	Partitions int
	Version    string // of this program
	// Progress, if not nil, is called now and then with the records that were translated, and all.
	Progress func(done, total int64) error
}

// A Division says what Split has made.
type Division struct {
	Out        string `json:"directory"`
	Partitions int    `json:"partitions"`
	Known      int64  `json:"known"` // pages, in all partitions
	Fetched    int64  `json:"fetched"`
	Messages   int64  `json:"messages"`      // between partitions
	Bytes      int64  `json:"archive_bytes"` // that were copied
}

// unfinished is added to the name of a directory that is being made.
const unfinished = ".part"

// Split makes a crawl with several partitions of one that has one. Each record goes to the partition
// of its site, and its answer is copied from the archive. What partitions would have told each other
// is told at once. The directory gets its name when it is complete.
//
// It fails if one of the records does not fit, and compares the states of all pages in the end.
func Split(ctx context.Context, o SplitOptions) (*Division, error) {
	if o.Partitions < 2 || o.Partitions > config.MaxPartitions {
		return nil, &hint.Error{Text: fmt.Sprintf("a crawl cannot be split into %d partitions", o.Partitions), Hint: fmt.Sprintf("choose 2 to %d", config.MaxPartitions)}
	}
	if err := vacant(o.Out); err != nil {
		return nil, err
	}
	lock, c, err := openWhole(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	defer c.Close()
	s, err := newSplitter(ctx, o, c)
	if err != nil {
		return nil, err
	}
	d, err := s.split()
	s.release()
	if err == nil {
		err = os.Rename(s.path, o.Out)
	}
	if err == nil {
		err = disk.OS(filepath.Dir(filepath.Clean(o.Out))).Sync()
	}
	if err != nil {
		os.RemoveAll(s.path)
		return nil, explainSplit(ctx, o.Dir, err)
	}
	return d, nil
}

// vacant returns an error if there is something at a path, or what a split that was killed has left.
func vacant(path string) error {
	for _, name := range []string{path, path + unfinished} {
		_, err := os.Lstat(name)
		switch {
		case err == nil && name == path:
			return &hint.Error{Text: path + " exists", Hint: "choose another directory with -o"}
		case err == nil:
			return &hint.Error{Text: name + " exists: a split is running, or was killed", Hint: "if none is running, remove it"}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// openWhole opens and locks a crawl that has one partition.
func openWhole(ctx context.Context, dir string) (*os.File, *history.Crawl, error) {
	if list, err := history.Dirs(dir); err != nil || len(list) > 1 {
		if err == nil {
			err = &hint.Error{Text: fmt.Sprintf("%s has %d partitions already", dir, len(list)), Hint: "only a crawl that has one can be split"}
		}
		return nil, nil, err
	}
	c, err := history.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	lock, err := layout.Lock(filepath.Join(dir, layout.LockFile))
	if err != nil {
		c.Close()
		if errors.Is(err, layout.ErrLocked) {
			return nil, nil, &hint.Error{Text: "another winnow is running in " + dir, Hint: "wait for it, or stop it with Ctrl-C"}
		}
		return nil, nil, &hint.Error{Text: "cannot lock " + dir, Hint: "make the directory writable", Err: err}
	}
	return lock, c, nil
}

func partOf(dir string) error {
	return &hint.Error{Text: dir + " is a partition of a crawl", Hint: "only a crawl that has one partition can be split"}
}

// explainSplit adds a hint to what went wrong.
func explainSplit(ctx context.Context, dir string, err error) error {
	var known *hint.Error
	switch {
	case errors.As(err, &known), ctx.Err() != nil:
		return err
	case disk.ErrFull(err):
		return &hint.Error{Text: "cannot split " + dir + ": no room left", Hint: "it takes as much as the crawl has; free some room, or choose another place with -o", Err: err}
	}
	return &hint.Error{Text: "cannot split " + dir, Hint: "winnow verify " + dir + " lists what is wrong with it, if anything is; the crawl can go on in one piece", Err: err}
}

// A splitter makes several partitions of one crawl.
type splitter struct {
	ctx   context.Context
	o     SplitOptions
	path  string // where they are made
	crawl *history.Crawl
	in    *state.State  // of the crawl, at its end
	conf  config.Config // of the last session, with partitions
	id    layout.Identity
	parts *layout.Partitions
	of    func(site []byte) int
	cells []*cell

	hashes []uint64    // by page: of its URL
	owners []int16     // by page: its partition
	bars   []event.Bar // by page: why it is refused, as far as records tell

	source *source
	moved  map[graph.Site]graph.Site // sites whose robots.txt moved to one of another partition
	total  uint64                    // records

	numbers  []graph.Page // by requisite: its number in the partition of its site
	answered *cell        // that has the last answer
	out      Division
}

func newSplitter(ctx context.Context, o SplitOptions, c *history.Crawl) (*splitter, error) {
	sessions, err := c.Sessions()
	if err != nil {
		return nil, err
	}
	if err := splittable(o.Dir, sessions); err != nil {
		return nil, err
	}
	s := &splitter{ctx: ctx, o: o, path: o.Out + unfinished, crawl: c, id: c.Identity(), moved: map[graph.Site]graph.Site{}}
	if s.in, err = c.State(); err != nil {
		return nil, err
	}
	if _, of := s.in.Self(); of > 0 {
		return nil, partOf(o.Dir)
	}
	if states, _, _ := s.in.Frontier.Census(); states[frontier.Lost] > 0 {
		return nil, &hint.Error{Text: "a part of the journal of " + o.Dir + " is damaged", Hint: "such a crawl cannot be split, but it can go on in one piece"}
	}
	s.conf = sessions[len(sessions)-1].Config.Clone()
	s.conf.Partitions, s.conf.SuffixTable = o.Partitions, suffix.Newest
	s.parts = &layout.Partitions{Partitions: o.Partitions, Suffixes: suffix.Newest, Crawl: hex.EncodeToString(s.id.Crawl[:]), Secret: hex.EncodeToString(s.id.Secret[:])}
	if s.of, err = state.Owner(&s.conf); err != nil {
		return nil, err
	}
	n := s.in.Frontier.Pages()
	s.hashes, s.owners, s.bars, s.total = make([]uint64, n), make([]int16, n), make([]event.Bar, n), s.in.Next
	for p := range s.owners {
		s.owners[p] = -1
	}
	s.out = Division{Out: o.Out, Partitions: o.Partitions}
	return s, nil
}

// splittable returns an error for a crawl with something that partitions do not have.
func splittable(dir string, sessions []history.Session) error {
	for i := range sessions {
		c := &sessions[i].Config
		for _, x := range []struct {
			set bool
			key string
		}{
			{c.KeepPages > 0, "keep_pages"}, {c.Renders(), "render"},
			{c.SitemapOnly, "sitemap_only"}, {c.Notices != "", "notices"},
		} {
			if x.set {
				return &hint.Error{
					Text: fmt.Sprintf("%s cannot be split: session %d had %s, which split cannot divide", dir, i+1, x.key),
					Hint: "it can go on in one piece; for a new crawl give --partitions at its beginning",
				}
			}
		}
	}
	return nil
}

func (s *splitter) robots() string {
	if s.conf.Robots {
		return "RFC9309"
	}
	return "ignored"
}

func (s *splitter) release() {
	for _, c := range s.cells {
		c.release()
	}
	s.source.close()
}

// split makes all partitions.
func (s *splitter) split() (*Division, error) {
	if err := os.MkdirAll(s.path, 0o755); err != nil {
		return nil, err
	}
	var err error
	if s.source, err = newSource(s.ctx, s.crawl, filepath.Join(s.o.Dir, layout.ArchiveDir)); err != nil {
		return nil, err
	}
	for i := range s.o.Partitions {
		c, err := newCell(s, i, layout.PartitionDir(s.path, i))
		if c != nil {
			s.cells = append(s.cells, c)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.replay(); err != nil {
		return nil, err
	}
	if err := cmp.Or(s.compare(), s.compareParts()); err != nil {
		return nil, err
	}
	return &s.out, s.finish()
}

// replay translates all records.
func (s *splitter) replay() error {
	var failed error
	err := s.crawl.EachGroup(func(r *journal.Record) error {
		if s.o.Progress != nil && r.Seq%512 == 0 {
			if err := s.o.Progress(int64(r.Seq), int64(s.total)); err != nil {
				return err
			}
		}
		if failed != nil {
			return failed
		}
		if err := s.record(r); err != nil {
			return fmt.Errorf("record %d (%v): %w", r.Seq, r.Event.Kind, err)
		}
		return nil
	}, func() {
		if failed == nil {
			failed = s.commit()
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = s.deliverAll(s.in.Now)
	}
	return err
}

func (s *splitter) commit() error {
	for _, c := range s.cells {
		if err := c.commit(); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the files that are no records. The one that describes the partitions comes last.
func (s *splitter) finish() error {
	conf, err := s.conf.Marshal()
	if err != nil {
		return err
	}
	secrets, err := os.ReadFile(filepath.Join(s.o.Dir, config.SecretsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, c := range s.cells {
		if err := c.finish(conf, secrets); err != nil {
			return err
		}
	}
	files := map[string][]byte{layout.LockFile: {}}
	if old := s.crawl.StatusFile(); old != nil {
		if files[layout.StatusFile], err = json.Marshal(s.status(old)); err != nil {
			return err
		}
	}
	if err := writeFiles(s.path, files); err != nil {
		return err
	}
	return s.parts.Write(disk.OS(s.path))
}

// status returns the status of all partitions, which stand where the crawl stood.
func (s *splitter) status(old *history.Status) *history.Status {
	list := make([]*history.Status, len(s.cells))
	for i, c := range s.cells {
		x := &history.Status{Fetchers: s.conf.Fetchers}
		x.Fill(c.state, c.state.Now)
		x.AddDetails(c.state)
		x.Caps = c.state.Caps(&s.conf)
		list[i] = x
	}
	sum := history.Merge(list)
	sum.State, sum.Why = old.State, old.Why
	return sum
}

// A source reads the answers of the archive of a crawl that is split.
type source struct {
	dir   disk.Dir
	names map[int]disk.Entry
	files map[int]disk.File
	ends  []int64 // of all answers, in their order, with what belongs to them
	next  int     // of ends
}

func newSource(ctx context.Context, c *history.Crawl, path string) (*source, error) {
	x := &source{dir: remote.Dir(ctx, disk.OS(path), s3.Dial), names: map[int]disk.Entry{}, files: map[int]disk.File{}}
	list, err := x.dir.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range list {
		if n, ok := archive.FileNumber(e.Name); ok {
			x.names[n] = e
		}
	}
	last := c.Archived()
	open := -1 // the file of the last answer
	err = c.Each(func(r *journal.Record) error {
		p := r.Facts.Place
		if p.Length == 0 {
			return nil
		}
		if n := len(x.ends); n > 0 && open == int(p.File) {
			x.ends[n-1] = p.Offset
		}
		if open = int(p.File); open == last.File {
			x.ends = append(x.ends, last.Size)
			return nil
		}
		e, ok := x.names[open]
		if !ok {
			return &hint.Error{Text: fmt.Sprintf("WARC file %d of %s is missing", open, c.Path), Hint: "put it back; a crawl is split together with its archive"}
		}
		x.ends = append(x.ends, e.Size)
		return nil
	})
	return x, err
}

// read returns the answer of the next record that has one, with what belongs to it.
func (x *source) read(p journal.Place) ([]byte, error) {
	n := int(p.File)
	if x.files[n] == nil {
		for i, f := range x.files { // they come in order
			f.Close()
			delete(x.files, i)
		}
		f, err := x.dir.Open(x.names[n].Name, disk.Read)
		if err != nil {
			return nil, fmt.Errorf("WARC file %d: %w", n, err)
		}
		x.files[n] = f
	}
	b := make([]byte, x.ends[x.next]-p.Offset)
	x.next++
	if _, err := x.files[n].ReadAt(b, p.Offset); err != nil {
		return nil, fmt.Errorf("WARC file %d at %d: %w", n, p.Offset, err)
	}
	return b, nil
}

func (x *source) close() {
	if x == nil {
		return
	}
	for _, f := range x.files {
		f.Close()
	}
}
