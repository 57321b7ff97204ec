package stored

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/archive"
)

// A Lister reads the index lines of the whole archive in their order. It holds one line of each
// WARC file.
type Lister struct {
	files []io.Closer
	heads headHeap
}

// A head is the next line of a source.
type head struct {
	line []byte
	in   *bufio.Reader
	of   *source
	file int // which source: equal lines come in the order of the files
}

type headHeap []*head

func (h headHeap) Len() int { return len(h) }
func (h headHeap) Less(i, j int) bool {
	return cmp.Or(bytes.Compare(h[i].line, h[j].line), cmp.Compare(h[i].file, h[j].file)) < 0
}
func (h headHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *headHeap) Push(x any)   { *h = append(*h, x.(*head)) }
func (h *headHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// Lines returns a Lister of all that is committed now.
func (a *Archive) Lines() (*Lister, error) {
	sources, err := a.sources()
	if err != nil {
		return nil, err
	}
	return newLister(sources)
}

func newLister(sources []source) (*Lister, error) {
	l := &Lister{}
	for i := range sources {
		f, err := sources[i].open()
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile: see keep_pages
			continue
		}
		if err != nil {
			l.Close()
			return nil, err
		}
		l.files = append(l.files, f)
		h := &head{in: bufio.NewReaderSize(f, 1<<16), of: &sources[i], file: i}
		switch more, err := h.next(); {
		case err != nil:
			l.Close()
			return nil, err
		case more:
			l.heads = append(l.heads, h)
		}
	}
	heap.Init(&l.heads)
	return l, nil
}

// next reads the next line. It reports whether there is one.
func (h *head) next() (bool, error) {
	line, err := h.in.ReadSlice('\n')
	h.line = append(h.line[:0], line...)
	for err == bufio.ErrBufferFull {
		line, err = h.in.ReadSlice('\n')
		h.line = append(h.line, line...)
	}
	if err == io.EOF {
		err = nil
	}
	h.line = h.of.tagged(h.line)
	return len(h.line) > 0, err
}

// Next returns the next line, nil after the last. It is valid until the next call.
func (l *Lister) Next() ([]byte, error) {
	if len(l.heads) == 0 {
		return nil, nil
	}
	h := l.heads[0]
	line := slices.Clone(h.line)
	more, err := h.next()
	if more {
		heap.Fix(&l.heads, 0)
	} else {
		heap.Pop(&l.heads)
	}
	return line, err
}

// Close closes the files.
func (l *Lister) Close() {
	for _, f := range l.files {
		f.Close()
	}
}

// Each calls fn with the visits of each URL, the oldest first, until fn returns an error. The
// URLs are in the order of the index: by host, turned round, and path. The slice is valid until
// fn returns.
func (a *Archive) Each(ctx context.Context, fn func(visits []Visit) error) error {
	l, err := a.Lines()
	if err != nil {
		return err
	}
	defer l.Close()
	var group []archive.Line // with the same key
	flush := func() error {
		slices.SortStableFunc(group, func(x, y archive.Line) int {
			return cmp.Or(strings.Compare(x.URL, y.URL), x.Time.Compare(y.Time), strings.Compare(x.File, y.File), cmp.Compare(x.Offset, y.Offset))
		})
		for len(group) > 0 {
			n := 1
			for n < len(group) && group[n].URL == group[0].URL {
				n++
			}
			visits := make([]Visit, n)
			for i, l := range group[:n] {
				visits[i] = visitOf(l)
			}
			if err := fn(visits); err != nil {
				return err
			}
			group = group[n:]
		}
		group = nil
		return ctx.Err()
	}
	for {
		text, err := l.Next()
		if err != nil {
			return err
		}
		if text == nil {
			return flush()
		}
		line, err := archive.ParseLine(text)
		if err != nil {
			return err
		}
		if len(group) > 0 && group[0].Key != line.Key {
			if err := flush(); err != nil {
				return err
			}
		}
		group = append(group, line)
	}
}
