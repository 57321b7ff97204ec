package crawl

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// A pace holds back work beside a crawl that could be done at once, so that it does not make
// some minutes of the crawl dearer than others: a finished file is read for its index as
// fast as the next one is written, and some more.
type pace struct {
	granted atomic.Int64 // bytes that may be read
	hurry   atomic.Bool  // nobody has to wait any more
	quit    atomic.Bool  // it is not wanted any more
}

// errQuit says that work was given up which can be done later.
var errQuit = errors.New("the crawl ends; winnow report does it")

// What may be read in any case, a second; and for how long one waits for more.
const (
	paceLeast = 1 << 20
	paceWait  = 100 * time.Millisecond
)

// grant lets so much more be read as was written, and a tenth.
func (p *pace) grant(written int64) { p.granted.Add(written + written/10) }

// through is a reader that waits for what is granted.
func (p *pace) through(r io.Reader) io.Reader { return &pacedReader{r: r, p: p} }

type pacedReader struct {
	r    io.Reader
	p    *pace
	read int64
}

func (x *pacedReader) Read(b []byte) (int, error) {
	for x.read >= x.p.granted.Load() && !x.p.hurry.Load() && !x.p.quit.Load() {
		time.Sleep(paceWait)
		x.p.granted.Add(int64(paceLeast * paceWait / time.Second))
	}
	if x.p.quit.Load() && !x.p.hurry.Load() {
		return 0, errQuit
	}
	n, err := x.r.Read(b)
	x.read += int64(n)
	return n, err
}
