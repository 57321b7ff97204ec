package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// An Uploader sends the finished WARC files of a crawl to a store, one after the other, in a
// goroutine of its own. Trouble is weather: it tries again, at growing intervals, for as long as the
// crawl runs. A nil Uploader sends nothing.
type Uploader struct {
	Dir   disk.Dir // of the archive
	Place Place
	Dial  Dialer
	Keep  bool // do not remove local files
	// Warn, if not nil, is told when sending begins to fail, and when it works again.
	Warn func(text string, args ...any)
	// Sent, if not nil, is called for each file that was sent, from the goroutine.
	Sent func(name string, r *Record)
	// Every is the time between two looks at the directory, Pause that after a first failure; 0: the
	// usual ones.
	Every, Pause time.Duration

	ctx  context.Context
	stop context.CancelFunc
	done chan struct{}

	turn   sync.Mutex // of who sends
	stores *overlay
	known  map[string]*Record

	mu     sync.Mutex
	end    archive.Position // what is committed
	status Status
}

const (
	everyLook  = 2 * time.Second
	firstPause = 5 * time.Second
	mostPause  = 10 * time.Minute
)

// Start begins to send, as soon as Look has told what is committed. Everything ends with the
// context.
func (u *Uploader) Start(ctx context.Context) *Uploader {
	go u.Prepare(ctx).run()
	return u
}

// Prepare makes the uploader ready for Finish, without a goroutine.
func (u *Uploader) Prepare(ctx context.Context) *Uploader {
	u.ctx, u.stop = context.WithCancel(ctx)
	u.done = make(chan struct{})
	u.stores = &overlay{dial: u.Dial, stores: map[Place]Store{}}
	u.status.Place = u.Place.Short()
	if u.Every == 0 {
		u.Every = everyLook
	}
	if u.Pause == 0 {
		u.Pause = firstPause
	}
	if u.Warn == nil {
		u.Warn = func(string, ...any) {}
	}
	if u.Sent == nil {
		u.Sent = func(string, *Record) {}
	}
	return u
}

// Look tells how much of the archive is committed: files beyond it are not sent. It returns at once.
func (u *Uploader) Look(committed archive.Position) {
	if u == nil {
		return
	}
	u.mu.Lock()
	u.end = committed
	u.mu.Unlock()
}

// Status returns how far it is, nil for a nil Uploader.
func (u *Uploader) Status() *Status {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.status
	return &s
}

// Close ends the goroutine. A file under way is given up; the next Uploader continues with it.
func (u *Uploader) Close() {
	if u != nil {
		u.stop()
		<-u.done
	}
}

// run sends files until the context ends.
func (u *Uploader) run() {
	defer close(u.done)
	pause := time.Duration(0)
	for {
		wait := u.Every
		if err := u.pass(); u.ctx.Err() != nil {
			return
		} else if err != nil {
			pause = min(max(2*pause, u.Pause), mostPause)
			wait = pause
			u.fail(err, wait)
		} else {
			pause = 0
			u.works()
		}
		select {
		case <-u.ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// fail notes why sending failed.
func (u *Uploader) fail(err error, wait time.Duration) {
	u.mu.Lock()
	first := u.status.Error == ""
	now := time.Now()
	if first {
		u.status.Since = &now
	}
	next := now.Add(wait)
	u.status.Error, u.status.Next = err.Error(), &next
	u.mu.Unlock()
	if first {
		u.Warn("a WARC file cannot be sent; it stays here, and is tried again", "place", u.Place.Short(), "error", err)
	}
}

// works notes that all files are sent that could be.
func (u *Uploader) works() {
	u.mu.Lock()
	failed := u.status.Error != ""
	u.status.Error, u.status.Since, u.status.Next = "", nil, nil
	u.mu.Unlock()
	if failed {
		u.Warn("WARC files can be sent again", "place", u.Place.Short())
	}
}

// Finish sends all that is finished and returns when that is done, or fails, or when the context
// ends. Look must have been called before.
func (u *Uploader) Finish() error {
	if u == nil {
		return nil
	}
	if err := u.pass(); err != nil && u.ctx.Err() == nil {
		u.fail(err, 0)
		return err
	}
	return u.ctx.Err()
}

// pass sends all files that are committed, finished and indexed.
func (u *Uploader) pass() error {
	u.turn.Lock()
	defer u.turn.Unlock()
	l, err := u.list()
	if err != nil {
		return err
	}
	for _, e := range l.files {
		if !u.ripe(l, e) {
			continue
		}
		if err := u.ship(e, l.records[e.Name]); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if _, err := u.list(); err != nil { // for the status
			return err
		}
	}
	return nil
}

// list looks at the directory and counts.
func (u *Uploader) list() (*listing, error) {
	l, err := look(u.Dir, u.known)
	if err != nil {
		return nil, err
	}
	u.known = l.records
	u.mu.Lock()
	s := &u.status
	s.Files, s.Bytes, s.Waiting, s.Size = l.status.Files, l.status.Bytes, l.status.Waiting, l.status.Size
	u.mu.Unlock()
	return l, nil
}

// ripe reports whether there is something to do for a file: what a commit names is all there is of
// it, and its index is written.
func (u *Uploader) ripe(l *listing, e disk.Entry) bool {
	u.mu.Lock()
	end := u.end
	u.mu.Unlock()
	n, _ := archive.FileNumber(e.Name)
	committed := n < end.File || n == end.File && e.Size == end.Size
	return committed && l.indexed[e.Name] && (l.records[e.Name] == nil || !u.Keep)
}

// ship sends a file, unless there is a record that it was sent, and removes it.
func (u *Uploader) ship(e disk.Entry, r *Record) (err error) {
	if r == nil {
		if r, err = u.send(e); err != nil {
			return err
		}
		u.Sent(e.Name, r)
	}
	if u.Keep || r.Size != e.Size { // the user has put another file there
		return nil
	}
	return u.remove(e.Name, r)
}

// send sends the file and then its index, and records that.
func (u *Uploader) send(e disk.Entry) (*Record, error) {
	r, err := u.bring(e.Name, true)
	if err == nil { // the name is ours: an index of an earlier version may be replaced
		_, err = u.bring(archive.IndexName(e.Name), false)
	}
	if err != nil {
		return nil, err
	}
	return r, r.write(u.Dir, e.Name)
}

// bring brings a file to the store.
func (u *Uploader) bring(name string, fresh bool) (*Record, error) {
	f, err := u.Dir.Open(name, disk.Read)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	s, err := SumFile(u.ctx, f, size)
	if err != nil {
		return nil, err
	}
	p := u.Place.At(name)
	store, err := u.stores.store(p)
	if err != nil {
		return nil, err
	}
	o, how, err := ensure(u.ctx, p, store, f, s, fresh)
	if err != nil {
		return nil, err
	}
	return &Record{
		Place: p.String(), Size: s.Size, SHA256: s.SHA256, CRC64: s.CRC64,
		ETag: o.ETag, Verified: string(how), Uploaded: time.Now().UTC().Truncate(time.Second),
	}, nil
}

// remove removes a file that is recorded, if the store still reports what was recorded. If the
// object is gone, the file is sent again.
func (u *Uploader) remove(name string, r *Record) error {
	p, err := Parse(r.Place)
	if err != nil {
		return err
	}
	store, err := u.stores.store(p)
	if err != nil {
		return err
	}
	o, err := store.Stat(u.ctx, p.Key)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !r.holds(o):
		delete(u.known, name)
		if gone := u.Dir.Remove(RecordName(name)); gone != nil {
			return gone
		}
		return fmt.Errorf("%s: the store has lost it since it was sent; it is sent again", p.Short())
	case err != nil:
		return err
	}
	if err := u.Dir.Remove(name); err != nil {
		return err
	}
	return u.Dir.Sync()
}
