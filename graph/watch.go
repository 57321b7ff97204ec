package graph

// A Watched is one direction of a graph that reports how much of it has been read. If the
// report returns an error, lists end (Scan) or are empty (List), and Err returns the error:
// what was computed from them is incomplete.
type Watched struct {
	*Links
	progress func(done, total int64) error
	err      error
}

// Watch returns l with a function that is called now and then while lists are read.
func Watch(l *Links, progress func(done, total int64) error) *Watched {
	return &Watched{Links: l, progress: progress}
}

// Err returns the error that ended the reading, if any.
func (w *Watched) Err() error { return w.err }

// report reports whether reading may continue after done lists.
func (w *Watched) report(done int64) bool {
	if w.err == nil && done%4096 == 0 {
		w.err = w.progress(done, int64(w.Pages()))
	}
	return w.err == nil
}

// Scan reads lists in order.
func (w *Watched) Scan(lo, hi Page) Cursor { return &watchedCursor{w.Links.Scan(lo, hi), w, 0} }

type watchedCursor struct {
	Cursor
	w    *Watched
	done int64
}

func (c *watchedCursor) Next() bool {
	if !c.w.report(c.done) {
		return false
	}
	c.done++
	return c.Cursor.Next()
}

// Reader reads the list of any page. Its total is right if each list is read once.
func (w *Watched) Reader() Reader { return &watchedReader{w.Links.Reader(), w, 0} }

type watchedReader struct {
	Reader
	w    *Watched
	done int64
}

func (r *watchedReader) List(p Page) []Page {
	if r.done++; !r.w.report(r.done) {
		return nil
	}
	return r.Reader.List(p)
}
