package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Dir returns an archive directory with the WARC files that are in a store. They can be read.
// When the context ends, reading ends.
func Dir(ctx context.Context, local disk.Dir, dial Dialer) disk.Dir {
	return &overlay{Dir: local, ctx: ctx, dial: dial, stores: map[Place]Store{}}
}

type overlay struct {
	disk.Dir
	ctx  context.Context
	dial Dialer

	mu     sync.Mutex
	stores map[Place]Store // by place without key
}

// List lists the local files and those in the store.
func (d *overlay) List() ([]disk.Entry, error) {
	list, err := d.Dir.List()
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	for _, e := range list {
		here[e.Name] = true
	}
	for _, e := range list[:len(list):len(list)] {
		if warc, ok := OfRecord(e.Name); ok && !here[warc] {
			r, err := ReadRecord(d.Dir, warc)
			if err != nil {
				return nil, err
			}
			list = append(list, disk.Entry{Name: warc, Size: r.Size})
		}
	}
	slices.SortFunc(list, func(a, b disk.Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Open opens a file. A WARC file that is not here is read from the store.
func (d *overlay) Open(name string, how disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, how)
	if how != disk.Read || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	r, none := ReadRecord(d.Dir, name)
	if errors.Is(none, fs.ErrNotExist) {
		return nil, err
	}
	if none != nil {
		return nil, none
	}
	p, err := Parse(r.Place)
	if err == nil {
		var s Store
		if s, err = d.store(p); err == nil {
			return &file{ctx: d.ctx, store: s, place: p, size: r.Size}, nil
		}
	}
	return nil, unreachable(name, p, err)
}

// store returns the store of a place.
func (d *overlay) store(p Place) (Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p.Key = ""
	if s := d.stores[p]; s != nil {
		return s, nil
	}
	s, err := d.dial(p)
	if err == nil {
		d.stores[p] = s
	}
	return s, err
}

// unreachable says where a file is that cannot be read.
func unreachable(name string, p Place, err error) error {
	var advice *hint.Error
	try := CredentialsHint + "; or copy the file back beside its index, with any tool for S3"
	if errors.As(err, &advice) && advice.Hint != "" {
		try = advice.Hint
	}
	at := p.Endpoint
	if at == "" {
		at = "Amazon S3"
	}
	return &hint.Error{Text: fmt.Sprintf("%s is not on this disk but at %s (%s), which cannot be read", name, p.Short(), at), Hint: try, Err: err}
}

// A file reads an object by ranges. While it is read in sequence, ranges grow.
type file struct {
	ctx   context.Context
	store Store
	place Place
	size  int64

	mu      sync.Mutex
	body    io.ReadCloser // of the range under way; nil: there is none
	at, end int64         // of that
	window  int64         // its size
}

const (
	leastWindow = 256 << 10
	mostWindow  = 32 << 20
	mostTries   = 3 // of a range that breaks off
)

// ReadAt reads from the object.
func (f *file) ReadAt(b []byte, off int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for tries := 0; n < len(b) && off < f.size; {
		if f.body == nil || f.at != off {
			if err = f.seek(off, int64(len(b)-n)); err != nil {
				return n, f.failed(err)
			}
		}
		k, err := f.body.Read(b[n:min(len(b), n+int(f.end-f.at))])
		n, off, f.at = n+k, off+int64(k), f.at+int64(k)
		if f.at == f.end {
			f.drop()
		} else if err != nil {
			f.drop()
			if tries++; tries == mostTries {
				return n, f.failed(err)
			}
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) failed(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return unreachable(lastName(f.place.Key), f.place, err)
}

func lastName(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// seek begins a range at an offset, of at least some bytes.
func (f *file) seek(off, least int64) (err error) {
	if f.at == off && f.window > 0 {
		f.window = min(2*f.window, mostWindow)
	} else {
		f.window = leastWindow
	}
	f.drop()
	n := min(max(f.window, least), f.size-off)
	if f.body, err = f.store.Get(f.ctx, f.place.Key, off, n); err != nil {
		f.body = nil
		return err
	}
	f.at, f.end = off, off+n
	return nil
}

func (f *file) drop() {
	if f.body != nil {
		f.body.Close()
		f.body = nil
	}
}

// Close ends the range under way.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
	return nil
}

func (f *file) Size() (int64, error)               { return f.size, nil }
func (f *file) WriteAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (f *file) Truncate(int64) error               { return errors.ErrUnsupported }
func (f *file) Sync() error                        { return errors.ErrUnsupported }
