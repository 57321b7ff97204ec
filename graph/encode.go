package graph

import (
	"errors"
	"fmt"
	"io"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// A batch holds the lists that one encoder works on at a time. Its limits are part of the
// format: they decide where references stop, so the file depends on them and not on the
// number of threads.
const (
	batchPages = 16384
	batchLinks = 1 << 18
)

type batch struct {
	first Page
	ends  []int // where the list of page first+i ends in links
	links []uint32
	chunk *bv.Chunk
	enc   chunkEncoder
	done  chan struct{}
}

// A chunkEncoder turns the lists of a batch into bits.
type chunkEncoder interface {
	Reset(first uint32)
	Add(list []uint32)
	Chunk() *bv.Chunk
}

// A listEncoder turns lists into bits: the caller fills batches, some goroutines
// encode them, one writes them in order.
type listEncoder struct {
	pages   int
	w       io.Writer
	cur     *batch
	next    Page        // whose list comes next
	free    chan *batch // batches to be filled; their number bounds memory
	work    chan *batch
	ordered chan *batch
	written chan error // the writer's result
	failed  chan struct{}
	joiner  *bv.Joiner
}

// newListEncoder returns an encoder of the lists of that many pages. encoder makes what
// encodes a batch; it is called once for each batch that may be on its way.
func newListEncoder(encoder func() chunkEncoder, pages, threads int, w io.Writer) *listEncoder {
	depth := threads + 2
	e := &listEncoder{
		pages: pages, w: w,
		free: make(chan *batch, depth), work: make(chan *batch, depth), ordered: make(chan *batch, depth),
		written: make(chan error, 1), failed: make(chan struct{}),
		joiner: bv.NewJoiner(pages),
	}
	for range depth {
		e.free <- &batch{enc: encoder(), done: make(chan struct{}, 1)}
	}
	for range threads {
		go e.encode()
	}
	go e.write()
	return e
}

// encode runs one of the encoders.
func (e *listEncoder) encode() {
	for b := range e.work {
		b.enc.Reset(uint32(b.first))
		lo := 0
		for _, hi := range b.ends {
			b.enc.Add(b.links[lo:hi])
			lo = hi
		}
		b.chunk = b.enc.Chunk()
		b.done <- struct{}{}
	}
}

// write puts batches together as they become ready, in order.
func (e *listEncoder) write() {
	var err error
	for b := range e.ordered {
		<-b.done
		if err == nil {
			e.joiner.Add(b.chunk)
			if err = e.joiner.Drain(e.w); err != nil {
				close(e.failed)
			}
		}
		e.free <- b
	}
	if err == nil {
		err = e.joiner.Finish(e.w)
	}
	e.written <- err
}

var errWriteFailed = errors.New("the writer has stopped")

// add adds the list of page p, which must be above all pages before.
func (e *listEncoder) add(p Page, links []Page) error {
	if p < e.next || int64(p) >= int64(e.pages) {
		return fmt.Errorf("a list of page %d where one of page %d to %d should be", p, e.next, e.pages-1)
	}
	if err := e.skipTo(p); err != nil {
		return err
	}
	return e.append(idsOf(links))
}

// skipTo adds empty lists for the pages before p.
func (e *listEncoder) skipTo(p Page) error {
	for e.next < p {
		if err := e.append(nil); err != nil {
			return err
		}
	}
	return nil
}

func (e *listEncoder) append(links []uint32) error {
	if e.cur != nil && (len(e.cur.ends) == batchPages || len(e.cur.links) >= batchLinks) {
		e.send()
	}
	if e.cur == nil {
		select {
		case e.cur = <-e.free:
		case <-e.failed:
			return errWriteFailed
		}
		e.cur.first, e.cur.ends, e.cur.links = e.next, e.cur.ends[:0], e.cur.links[:0]
	}
	e.cur.links = append(e.cur.links, links...)
	e.cur.ends = append(e.cur.ends, len(e.cur.links))
	e.next++
	return nil
}

func (e *listEncoder) send() {
	e.work <- e.cur
	e.ordered <- e.cur
	e.cur = nil
}

// finish encodes what is left, unless the lists ended with an error, and waits for the
// writer. An error of the writer comes first, because others follow from it.
func (e *listEncoder) finish(listErr error) (*bv.Joiner, error) {
	if listErr == nil {
		listErr = e.skipTo(Page(e.pages))
	}
	if listErr == nil && e.cur != nil {
		e.send()
	}
	close(e.work)
	close(e.ordered)
	if err := <-e.written; err != nil {
		return nil, err
	}
	return e.joiner, listErr
}
