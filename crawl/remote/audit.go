package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// An Audit says whether a store still has what it was given.
type Audit struct {
	Files, Bytes int64
	Places       []string // where they are
	Wrong        []string // what is not as it was recorded
	Unasked      error    // of a store that did not answer; nil: all did
}

// Check asks the stores for size and checksum of the WARC files of an archive directory that are
// there. It reads no object.
func Check(ctx context.Context, dir disk.Dir, dial Dialer) (*Audit, error) {
	records, err := Records(dir)
	if err != nil {
		return nil, err
	}
	a := &Audit{}
	o := &overlay{ctx: ctx, dial: dial, stores: map[Place]Store{}}
	for _, warc := range slices.Sorted(maps.Keys(records)) {
		r := records[warc]
		a.Files++
		a.Bytes += r.Size
		p, _ := Parse(r.Place) // it was parsed when it was read
		above := p
		above.Key = p.Key[:max(0, len(p.Key)-len(lastName(p.Key))-1)]
		if short := above.Short(); !slices.Contains(a.Places, short) {
			a.Places = append(a.Places, short)
		}
		if a.Unasked != nil {
			continue
		}
		if err := o.ask(r, p); errors.Is(err, errLost) {
			a.Wrong = append(a.Wrong, err.Error())
		} else if err != nil {
			a.Unasked = unreachable(warc, p, err)
		}
	}
	return a, ctx.Err()
}

// errLost reports an object that is not as it was recorded.
var errLost = errors.New("the store has lost it")

// ask compares what the store reports with a record.
func (d *overlay) ask(r *Record, p Place) error {
	s, err := d.store(p)
	if err != nil {
		return err
	}
	x, err := s.Stat(d.ctx, p.Key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: there is no such object", p.Short(), errLost)
	case err != nil:
		return err
	case !r.holds(x):
		return fmt.Errorf("%s: %w: it has %d bytes and ETag %s, recorded are %d and %s", p.Short(), errLost, x.Size, x.ETag, r.Size, r.ETag)
	}
	return nil
}
