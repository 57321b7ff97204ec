package graph

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// A compact file holds fitted lists (see package bv) and an index of only some of them. The
// codes are fitted to all lists, so these are read three times: the first time from the
// source, which gives them once, into a temporary file.

// compactStep is how many lists there are to one that the index has. With 8 instead of 4,
// cnr-2000 takes 0.660 byte a link and not 0.685, and more lists are skipped to find one.
const compactStep = 4

// linkSections names the sections of one direction.
type linkSections struct{ lists, index, codes string }

var (
	forwardSections  = linkSections{secForward, secForwardIndex, secForwardCodes}
	backwardSections = linkSections{secBackward, secBackwardIndex, secBackwardCodes}
)

// setParams sets the parameters of the lists.
func (h *header) setParams(compact bool) {
	p := bv.Store
	h.compact = compact
	if compact {
		p = bv.Compact
	}
	h.window, h.maxRef, h.minInterval, h.k = uint8(p.Window), uint8(p.MaxRef), uint8(p.MinInterval), uint8(p.ZetaK)
	if compact {
		h.k = compactStep
	}
}

// indexStep returns how many lists there are to one that the index has.
func (h *header) indexStep() uint64 {
	if h.compact {
		return uint64(max(1, h.k))
	}
	return 1
}

// fitted sets the lists of a compact file.
func (g *Graph) fitted(l *Links, name linkSections, p bv.Params, bits uint64) error {
	book, err := bv.OpenCodebook(g.bytes(name.codes))
	if err != nil {
		return err
	}
	p.ZetaK = bv.Compact.ZetaK
	l.fitted, err = bv.NewFitted(p, l.pages, g.bytes(name.lists), bits, book, l.index, int(g.h.indexStep()))
	return err
}

func fittedEncoder(book *bv.Codebook) func() chunkEncoder {
	return func() chunkEncoder { return bv.NewFittedEncoder(bv.Compact, book, 0) }
}

// fit returns the codes for lists.
func (b *builder) fit(lists eachOfLists) (*bv.Codebook, error) {
	var counters []*bv.FittedEncoder
	e := newListEncoder(func() chunkEncoder {
		c := bv.NewFittedEncoder(bv.Compact, nil, 0)
		counters = append(counters, c)
		return c
	}, b.src.Pages, b.o.Threads, io.Discard)
	if _, err := e.finish(lists(e.add)); err != nil {
		return nil, err
	}
	var all bv.Tally
	for _, c := range counters {
		all.Add(c.Tally())
	}
	return all.Fit(), nil
}

// A spool holds lists in a temporary file that has no name any more.
type spool struct {
	mapped []byte
	stream *bv.Stream
}

func (s *spool) close() { _ = unix.Munmap(s.mapped) }

// spool writes lists to a temporary file, as the store does.
func (b *builder) spool(lists eachOfLists) (*spool, error) {
	f, err := os.CreateTemp(b.o.TempDir, "winnow-lists-*")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer os.Remove(f.Name())
	out := bufio.NewWriterSize(f, 1<<18)
	e := newListEncoder(storeEncoder, b.src.Pages, b.o.Threads, out)
	j, err := e.finish(lists(e.add))
	if err != nil {
		return nil, err
	}
	var padding [bv.Padding]byte
	if _, err := out.Write(padding[:]); err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	size := int((j.Bits()+7)/8) + bv.Padding
	s := &spool{}
	if s.mapped, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	if s.stream, err = bv.NewStream(bv.Store, b.src.Pages, s.mapped, j.Bits()); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// lists emits the lists.
func (s *spool) lists(emit func(Page, []Page) error) error {
	c := s.stream.Scan()
	for c.Next() {
		if err := emit(Page(c.Page()), pagesOf(c.List())); err != nil {
			return err
		}
	}
	return c.Err()
}
