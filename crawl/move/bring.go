package move

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/winnow-crawler/winnow/cluster/files"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A bringing brings the archive of a partition.
type bringing struct {
	*gathering
	reader *files.Reader
	self   int
	to     disk.Dir
	silent map[string]bool // nodes that do not answer
	lists  map[string][]disk.Entry
}

// bring brings the files that a journal names.
func (b *bringing) bring(ctx context.Context, places []place) error {
	b.lists = map[string][]disk.Entry{}
	has, err := b.to.List()
	if err != nil {
		return err
	}
	for _, p := range places {
		if p.gone {
			continue
		}
		if err := b.file(ctx, p, of(has, p.number)); err != nil {
			return err
		}
	}
	return b.to.Sync()
}

// of returns those of some files that belong to the file of the archive with a number.
func of(all []disk.Entry, number int) (list []disk.Entry) {
	for _, e := range all {
		if n, ok := archive.FileNumber(warcName(e.Name)); ok && n == number {
			list = append(list, e)
		}
	}
	return list
}

// warcName returns the name of the WARC file to which a file belongs: itself, its index, or the record
// of where it was sent.
func warcName(name string) string {
	if warc, ok := remote.OfRecord(name); ok {
		return warc
	}
	stem, ok := strings.CutSuffix(name, archive.IndexName(""))
	if ok {
		return stem + archive.Suffix
	}
	return strings.TrimSuffix(name, archive.OpenSuffix)
}

// isWARC reports whether a file is a WARC file, finished or not.
func isWARC(name string) bool { return strings.TrimSuffix(name, archive.OpenSuffix) == warcName(name) }

// whole reports whether there is a WARC file with all bytes, or the record of one that was sent.
func whole(list []disk.Entry, p place) bool {
	for _, e := range list {
		_, sent := remote.OfRecord(e.Name)
		if sent || isWARC(e.Name) && e.Size >= p.size {
			return true
		}
	}
	return false
}

// file brings a file that is not there, or not whole.
func (b *bringing) file(ctx context.Context, p place, has []disk.Entry) error {
	if whole(has, p) {
		b.out.Files++
		return nil
	}
	why, err := b.fetch(ctx, p, has)
	if err != nil {
		return err
	}
	if why == "" {
		b.out.Files++
	} else {
		b.out.Missing = append(b.out.Missing, Gap{b.self, p.number, p.size, p.node, why})
	}
	return nil
}

// fetch brings a file from the node that has written it. If that is not possible, it returns why.
func (b *bringing) fetch(ctx context.Context, p place, has []disk.Entry) (why string, err error) {
	if p.node == "" {
		return "it was written before the cluster had the crawl, and lies where the crawl was then", nil
	}
	list, why, err := b.list(ctx, p.node)
	if why != "" || err != nil {
		return why, err
	}
	found := false
	for _, e := range of(list, p.number) {
		_, sent := remote.OfRecord(e.Name)
		switch {
		case sent:
			found = true
			err = b.small(ctx, p.node, e)
		case isWARC(e.Name) && e.Size < p.size:
			why = fmt.Sprintf("it has %d bytes there", e.Size)
		case isWARC(e.Name):
			found = true
			err = b.warc(ctx, p, e, has)
		}
		if err != nil {
			return "", err
		}
	}
	switch {
	case !found && why == "":
		return "it is not there", nil
	case !found:
		return why, nil
	}
	return "", nil
}

// list returns the files that a node has of the partition, or why that is not known.
func (b *bringing) list(ctx context.Context, node string) (list []disk.Entry, why string, err error) {
	const silent = "the node does not answer"
	list, ok := b.lists[node]
	switch {
	case b.silent[node]:
		return nil, silent, nil
	case ok:
		return list, "", nil
	}
	list, err = b.reader.List(ctx, node, b.self)
	if errors.Is(err, files.ErrSilent) {
		b.silent[node] = true
		return nil, silent, nil
	}
	b.lists[node] = list
	return list, "", err
}

// warc brings the committed bytes of a WARC file, and its index if they are all.
func (b *bringing) warc(ctx context.Context, p place, e disk.Entry, has []disk.Entry) error {
	name, from := warcName(e.Name), int64(0)
	for _, x := range has {
		if x.Name == name {
			from = x.Size
		}
	}
	if err := b.to.Remove(archive.IndexName(name)); err != nil {
		return err
	}
	if err := b.copy(ctx, p.node, e.Name, name, from, p.size); err != nil {
		return err
	}
	if e.Name != name || e.Size != p.size {
		return nil
	}
	for _, x := range b.lists[p.node] {
		if x.Name == archive.IndexName(name) {
			return b.small(ctx, p.node, x)
		}
	}
	return nil
}

// small brings a file that is small enough to be held in memory, completely or not at all.
func (b *bringing) small(ctx context.Context, node string, e disk.Entry) error {
	var data []byte
	err := b.reader.Read(ctx, node, b.self, e.Name, 0, e.Size, func(_ int64, piece []byte) error {
		data = append(data, piece...)
		return nil
	})
	if err != nil {
		return err
	}
	b.out.Bytes += e.Size
	return replace(b.to, e.Name, data)
}

// copy brings bytes of a file of a node. A file that has a name while it grows may have another one
// when it is read.
func (b *bringing) copy(ctx context.Context, node, from, to string, begin, end int64) error {
	f, err := b.to.Open(to, disk.Change)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = b.to.Open(to, disk.Create)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	read := func(name string) error {
		return b.reader.Read(ctx, node, b.self, name, begin, end, func(at int64, piece []byte) error {
			b.out.Bytes += int64(len(piece))
			begin = at + int64(len(piece))
			_, err := f.WriteAt(piece, at)
			return err
		})
	}
	if err = read(from); errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(from, archive.OpenSuffix) {
		err = read(strings.TrimSuffix(from, archive.OpenSuffix)) // it was finished meanwhile
	}
	if err == nil {
		err = f.Sync()
	}
	return err
}
