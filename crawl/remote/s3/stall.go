package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A watched reader ends its context when nobody has read a byte for some time: a server that takes
// no more, or sends none, holds up the others.
type watched struct {
	section *io.SectionReader // what is sent; nil: body is received
	body    io.ReadCloser
	timer   *time.Timer
	end     context.CancelCauseFunc
	ctx     context.Context
}

var errStalled = errors.New("no byte was transferred for " + stall.String())

func watch(ctx context.Context, section *io.SectionReader) (context.Context, *watched) {
	w := &watched{section: section}
	w.ctx, w.end = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(stall, func() { w.end(errStalled) })
	return w.ctx, w
}

// Read reads on.
func (w *watched) Read(b []byte) (int, error) {
	w.timer.Reset(stall)
	if w.section != nil {
		return w.section.Read(b)
	}
	n, err := w.body.Read(b)
	return n, w.cause(err)
}

// Seek lets a request be made again.
func (w *watched) Seek(offset int64, whence int) (int64, error) {
	if w.section == nil {
		return 0, errors.ErrUnsupported
	}
	return w.section.Seek(offset, whence)
}

// cause returns the error, or why it came to it.
func (w *watched) cause(err error) error {
	if err != nil && err != io.EOF && context.Cause(w.ctx) == errStalled {
		return errStalled
	}
	return err
}

func (w *watched) stop() {
	w.timer.Stop()
	w.end(nil)
}

// Close ends the transfer.
func (w *watched) Close() (err error) {
	if w.body != nil {
		err = w.body.Close()
	}
	w.stop()
	return err
}

// refused is the error of a store that wants something else.
func refused(text, try string, err error) error {
	if err != nil {
		text = fmt.Sprintf("%s (%v)", text, err)
	}
	return &hint.Error{Hint: try, Err: refusal(text)}
}

// A refusal is remote.ErrRefused in other words.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == remote.ErrRefused }
