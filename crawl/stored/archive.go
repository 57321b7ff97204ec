package stored

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// An Archive finds and reads what the crawl in a directory has stored, in all its partitions. Its
// methods may run at once.
type Archive struct {
	dir     string
	parts   []part
	decoder fetch.Decoder

	mu    sync.Mutex
	tails map[string]*tail // by source.id
	fixed []source         // not nil: these, whatever is committed later
}

// Open returns the archive of the crawl in a directory.
func Open(ctx context.Context, dir string) (*Archive, error) {
	all, err := history.OpenAll(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	a := &Archive{dir: dir, tails: map[string]*tail{}}
	for _, c := range all.Crawls {
		tag := ""
		if len(all.Crawls) > 1 {
			tag = filepath.Base(c.Path) + "-"
		}
		a.parts = append(a.parts, newPart(ctx, c.Path, tag))
	}
	return a, nil
}

// A part is the archive of one partition. WARC files of several partitions may have the same names:
// the tag is put before them.
type part struct {
	dir, tag string
	files    disk.Dir // WARC files, also those in a store
}

func newPart(ctx context.Context, dir, tag string) part {
	return part{dir, tag, remote.Dir(ctx, disk.OS(filepath.Join(dir, layout.ArchiveDir)), s3.Dial)}
}

// missing returns why a URL has no copy.
func (a *Archive) missing(m Missing) *Missing {
	m.dir = a.dir
	if at, err := history.DirOf(a.dir, m.URL); err == nil {
		m.part = at
	}
	return &m
}

// Freeze returns an archive that shows what is committed now, whatever the crawl adds later. WARC
// files that were deleted are left out.
func (a *Archive) Freeze() (*Archive, error) {
	all, err := a.sources()
	if err != nil {
		return nil, err
	}
	f := &Archive{dir: a.dir, parts: a.parts, fixed: []source{}}
	for _, s := range all {
		if s.path != "" || s.remote {
			f.fixed = append(f.fixed, s)
		}
	}
	return f, nil
}

// Prepare finds the index lines of what is stored, so that the first question takes no longer than
// the next ones.
func (a *Archive) Prepare() error {
	_, err := a.sources()
	return err
}

// A File is a WARC file of an archive.
type File struct {
	Name string
	Size int64 // of what is committed
	of   source
}

// Open opens the committed part of the file.
func (f *File) Open() (io.ReadCloser, error) {
	in, err := openWARC(f.of.files, f.of.name, f.of.path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(in, 0, f.Size), in}, nil
}

// openWARC opens a WARC file at one of some paths. If it is not there, it has got its final name
// meanwhile, or it is in a store.
func openWARC(dir disk.Dir, name string, paths ...string) (warcFile, error) {
	for _, path := range paths {
		if f, err := os.Open(path); !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return dir.Open(name, disk.Read)
}

// A warcFile is an open WARC file.
type warcFile interface {
	io.ReaderAt
	io.Closer
}

// Files returns the WARC files, in the order of their names.
func (a *Archive) Files() ([]File, error) {
	all, err := a.sources()
	if err != nil {
		return nil, err
	}
	var files []File
	for _, s := range all {
		if s.path != "" || s.remote {
			files = append(files, File{s.tag + s.name, s.size, s})
		}
	}
	return files, nil
}

// A Visit is a stored answer to a request for a URL.
type Visit struct {
	URL     string
	Time    time.Time // of the request, to the second
	Status  int
	Media   string // empty for a revisit
	Digest  string // of the payload
	Revisit bool   // the record has no body: the page had not changed
	File    string // name of the WARC file
	Offset  int64  // of the record
	Length  int64
}

// Copies returns the stored answers of a URL, the oldest first. Errors and redirects are
// answers, too.
func (a *Archive) Copies(url string) ([]Visit, error) {
	found, _, err := a.lookUp(url)
	return found, err
}

// lookUp returns the stored answers of a URL, and other URLs with the same key.
func (a *Archive) lookUp(url string) (found []Visit, others []string, err error) {
	sources, err := a.sources()
	if err != nil {
		return nil, nil, err
	}
	key := archive.Key(url)
	for i := range sources {
		lines, err := sources[i].find(key)
		if errors.Is(err, fs.ErrNotExist) { // the crawl has removed it meanwhile: see keep_pages
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, l := range lines {
			if l.URL == url {
				found = append(found, visitOf(l))
			} else if !slices.Contains(others, l.URL) {
				others = append(others, l.URL)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Visit) int {
		return cmp.Or(x.Time.Compare(y.Time), strings.Compare(x.File, y.File), cmp.Compare(x.Offset, y.Offset))
	})
	return found, others, nil
}

func visitOf(l archive.Line) Visit {
	return Visit{l.URL, l.Time, l.Status, l.Media, l.Digest, l.Revisit, l.File, l.Offset, l.Length}
}

// sources returns the WARC files with their index lines, as far as they are committed, in the
// order of their names.
func (a *Archive) sources() ([]source, error) {
	if a.fixed != nil {
		return a.fixed, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []source
	for _, p := range a.parts {
		some, err := a.sourcesOf(p)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// sourcesOf returns those of a partition.
func (a *Archive) sourcesOf(p part) ([]source, error) {
	dir := filepath.Join(p.dir, layout.ArchiveDir)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []source
	indexed := map[string]string{}
	for _, e := range list {
		if filepath.Ext(e.Name()) == filepath.Ext(archive.IndexName("")) {
			indexed[e.Name()] = filepath.Join(dir, e.Name())
		}
	}
	for _, e := range list {
		name := strings.TrimSuffix(e.Name(), archive.OpenSuffix)
		if _, ok := archive.FileNumber(name); !ok {
			continue
		}
		s := source{part: p, name: name, path: filepath.Join(dir, e.Name())}
		if ok, err := a.complete(&s, e, indexed); err != nil {
			return nil, err
		} else if ok {
			all = append(all, s)
		}
	}
	more, err := p.elsewhere(indexed)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	slices.SortFunc(all, func(x, y source) int { return strings.Compare(x.name, y.name) })
	return all, nil
}

// elsewhere returns what has an index and is not here: it is in a store, or somebody removed it.
func (p part) elsewhere(indexed map[string]string) (all []source, err error) {
	list, err := p.files.List()
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, e := range list {
		sizes[e.Name] = e.Size
	}
	for index, path := range indexed {
		name := strings.TrimSuffix(index, filepath.Ext(index)) + archive.Suffix
		size, there := sizes[name]
		all = append(all, source{part: p, name: name, index: path, size: size, remote: there})
	}
	for _, e := range list {
		warc, ok := remote.OfRecord(e.Name)
		if _, has := sizes[archive.IndexName(warc)]; !ok || has {
			continue
		}
		dir := filepath.Join(p.dir, layout.ArchiveDir)
		if _, err := os.Stat(filepath.Join(dir, warc)); errors.Is(err, fs.ErrNotExist) {
			return nil, &hint.Error{Text: warc + " is in a store, and its index is gone", Hint: "copy " + archive.IndexName(warc) + " from there to " + dir}
		}
	}
	return all, nil
}

// complete finds the size and the lines of a source. It takes its index from those that are
// there. It reports whether anything of the file is committed.
func (a *Archive) complete(s *source, e fs.DirEntry, indexed map[string]string) (bool, error) {
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.size = info.Size()
	index := archive.IndexName(s.name)
	open := strings.HasSuffix(e.Name(), archive.OpenSuffix)
	if path, ok := indexed[index]; ok && !open {
		s.index = path
		delete(indexed, index)
		delete(a.tails, s.id())
		return true, nil
	}
	if open {
		if s.size, err = a.committed(s); err != nil || s.size == 0 {
			return false, err
		}
	}
	t := a.tails[s.id()]
	if t == nil {
		t = &tail{}
		a.tails[s.id()] = t
	}
	err = t.extend(s.path, s.name, s.size)
	if errors.Is(err, fs.ErrNotExist) { // it has got its final name, or was removed
		if s.path = strings.TrimSuffix(s.path, archive.OpenSuffix); open {
			err = t.extend(s.path, s.name, s.size)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	s.lines = t.lines[:len(t.lines):len(t.lines)]
	if s.lines == nil {
		s.lines = []byte{}
	}
	return true, err
}

// committed returns how much of an open file the journal has committed.
func (a *Archive) committed(s *source) (int64, error) {
	c, err := history.Open(context.Background(), s.dir)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for _, path := range []string{s.path, strings.TrimSuffix(s.path, archive.OpenSuffix)} {
		if info, err := os.Stat(path); err == nil { // it has grown since, to the end of a record at least
			s.size = max(s.size, info.Size())
			break
		}
	}
	number, _ := archive.FileNumber(s.name)
	switch end := c.Archived(); {
	case number > end.File:
		return 0, nil
	case number == end.File:
		return min(end.Size, s.size), nil
	}
	return s.size, nil
}
