package main

import (
	"context"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
)

// watched is one direction of a graph whose reading is shown as progress and ends
// at Ctrl-C: lists are then over (Scan) or empty (List). Packages that know neither
// of contexts nor of users read through it; whoever called them looks at the
// context afterwards and throws the torso away.
type watched struct {
	*graph.Links
	ctx  context.Context
	tell func(done, total int64) error
}

// watch shows the reading of all lists under a label.
func watch(ctx context.Context, l *graph.Links, shown *show.Stages, label string) *watched {
	return &watched{l, ctx, shown.Of(label)}
}

// Scan reads lists in order.
func (w *watched) Scan(lo, hi graph.Page) graph.Cursor {
	return &watchedCursor{w.Links.Scan(lo, hi), w, 0}
}

type watchedCursor struct {
	graph.Cursor
	w    *watched
	done int64
}

func (c *watchedCursor) Next() bool {
	if c.done%4096 == 0 && c.w.tell(c.done, int64(c.w.Pages())) != nil {
		return false
	}
	c.done++
	return c.Cursor.Next()
}

// Reader reads lists of any page; as many as there are pages, if each is read once.
func (w *watched) Reader() graph.Reader { return &watchedReader{w.Links.Reader(), w, 0, false} }

type watchedReader struct {
	graph.Reader
	w    *watched
	done int64
	over bool
}

func (r *watchedReader) List(p graph.Page) []graph.Page {
	if r.done++; r.over || r.done%4096 == 0 && r.w.tell(r.done, int64(r.w.Pages())) != nil {
		r.over = true
		return nil
	}
	return r.Reader.List(p)
}
