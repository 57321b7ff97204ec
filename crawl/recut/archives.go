package recut

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// archives are the WARC files of all partitions in one directory, which is only read. File n of
// partition i of P has the number n P + i.
type archives struct {
	disk.Dir // nil: nothing is changed
	files    map[string]archived
}

// archived is a file of one of the archives.
type archived struct {
	dir  disk.Dir
	name string
	size int64 // when it was opened
}

func newArchives(ctx context.Context, all *history.All) (*archives, error) {
	a := &archives{files: map[string]archived{}}
	for i, c := range all.Crawls {
		dir := remote.Dir(ctx, disk.OS(filepath.Join(c.Path, layout.ArchiveDir)), s3.Dial)
		list, err := dir.List()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range list {
			n, ok := archive.FileNumber(e.Name)
			if !ok {
				continue
			}
			stem, tail, _ := strings.Cut(e.Name, archive.Suffix)
			stem = stem[:strings.LastIndexByte(stem, '-')]
			a.files[fmt.Sprintf("%s-%05d%s%s", stem, n*len(all.Crawls)+i, archive.Suffix, tail)] = archived{dir, e.Name, e.Size}
		}
	}
	return a, nil
}

// Open opens a file to be read.
func (a *archives) Open(name string, _ disk.How) (disk.File, error) {
	f, ok := a.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.dir.Open(f.name, disk.Read)
}

// List lists all files.
func (a *archives) List() (list []disk.Entry, err error) {
	for name, f := range a.files {
		list = append(list, disk.Entry{Name: name, Size: f.size})
	}
	return list, nil
}
