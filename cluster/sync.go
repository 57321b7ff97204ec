package cluster

import (
	"context"
	"errors"
	"fmt"
	"sort"
)

// A comparison finds out what a log and the copy of a journal on disk have in common.
type comparison struct {
	log  Log
	last uint64  // entry of the log
	copy []point // after each group of the copy; the first is the beginning
}

// points reads the copy on disk.
func points(p Journal) ([]point, error) {
	list := []point{{}}
	err := p.Groups(func(g Group) error {
		end := list[len(list)-1]
		if g.First != end.next {
			return fmt.Errorf("the copy on disk lacks records %d to %d", end.next, g.First)
		}
		list = append(list, end.after(&g))
		return nil
	})
	return list, err
}

// common returns how many groups of the copy the log begins with, and the number of the log's
// entry that ends them.
func (c *comparison) common(ctx context.Context) (groups int, seq uint64, err error) {
	if seq, ok, err := c.has(ctx, c.copy[len(c.copy)-1]); ok || err != nil {
		return len(c.copy) - 1, seq, err
	}
	n := sort.Search(len(c.copy)-1, func(i int) bool {
		_, ok, e := c.has(ctx, c.copy[i])
		err = errors.Join(err, e)
		return !ok
	})
	n = max(0, n-1)
	if err == nil {
		seq, _, err = c.has(ctx, c.copy[n])
	}
	return n, seq, err
}

// has reports whether the log has a point, and where: after which entry. The entry before it tells,
// or if that is damaged the one after it.
func (c *comparison) has(ctx context.Context, p point) (seq uint64, ok bool, err error) {
	if p.next == 0 {
		return 0, true, nil
	}
	var before, after entry // the last one whose first record is smaller, and the next
	from := uint64(0)
	for lo, hi := uint64(1), c.last; lo <= hi; {
		mid := lo + (hi-lo)/2
		at, e, err := c.entry(ctx, mid)
		switch {
		case err != nil:
			return 0, false, err
		case at == 0:
			hi = mid - 1
		case e.group.First >= p.next:
			after, from, hi = e, at-1, mid-1
		default:
			before, seq, lo = e, at, at+1
		}
	}
	if before.flags&ends != 0 && before.group.Next == p.next && before.after == p.chain {
		return seq, true, nil
	}
	return from, after.flags&begins != 0 && after.group.First == p.next && after.before == p.chain, nil
}

// entry returns the first entry of the log from a number on that is not damaged, 0 if there is none.
func (c *comparison) entry(ctx context.Context, from uint64) (seq uint64, e entry, err error) {
	for last := from - 1; ; {
		found := uint64(0)
		if err := c.log.Read(ctx, last, 1, func(s uint64, data []byte) error {
			found = s
			e, err = decode(data)
			return nil
		}); err != nil {
			return 0, e, err
		}
		switch {
		case found == 0:
			return 0, entry{}, nil
		case err == nil:
			return found, e, nil
		case !errors.Is(err, ErrDamaged):
			return 0, e, err
		}
		last = found
	}
}

// A patient log asks again what had no answer. A copy is compared by many questions, and one that is
// lost is not to let all be asked again.
type patient struct{ Log }

// tries is how often a question is asked.
const tries = 5

func (l patient) Last(ctx context.Context) (last uint64, err error) {
	for range tries {
		if last, err = l.Log.Last(ctx); err == nil || ctx.Err() != nil {
			break
		}
		sleep(ctx, retryDelay)
	}
	return last, err
}

// Read asks again unless fn was called.
func (l patient) Read(ctx context.Context, after uint64, most int, fn func(uint64, []byte) error) (err error) {
	called := false
	for range tries {
		err = l.Log.Read(ctx, after, most, func(seq uint64, data []byte) error {
			called = true
			return fn(seq, data)
		})
		if err == nil || called || ctx.Err() != nil {
			break
		}
		sleep(ctx, retryDelay)
	}
	return err
}

// errStop ends a reading.
var errStop = errors.New("stop")

// align makes the copy on disk and the log the same, and returns the end of the log. begun is the
// epoch of the last session that is known from elsewhere.
//
// What the log has and the copy does not is read. If both go on after what they have in common,
// the log is right: the copy was cut off from it. If only the copy goes on, it has what was written
// to the disk and not to the log, or what the log has lost: the log gets it, unless there was a
// later session.
func (t *Tenure) align(ctx context.Context, p Partition, begun uint64) error {
	copy, err := points(p)
	if err != nil {
		return err
	}
	log := patient{t.log}
	last, err := log.Last(ctx)
	if err != nil {
		return fmt.Errorf("find the end of its log: %w", err)
	}
	c := comparison{log, last, copy}
	n, seq, err := c.common(ctx)
	if err != nil {
		return fmt.Errorf("compare the copy on disk with its log: %w", err)
	}
	r := reader{at: copy[n], seq: seq}
	more, err := walk(ctx, log, &r, copy, &n)
	if err != nil {
		return fmt.Errorf("read its log: %w", err)
	}
	longer, end := n < len(copy)-1, copy[len(copy)-1]
	heals := longer && !more && end.epoch >= begun
	if longer && !heals {
		t.life.node.log().Warn("the copy on disk has records that the log has not; they are removed", "partition", t.Partition, "from", copy[n].next, "to", end.next)
	}
	if longer && !heals || more { // there may be damage behind what was read
		if err := p.Cut(n); err != nil {
			return err
		}
	}
	if err := fetch(ctx, log, p, &r, more); err != nil {
		return err
	}
	if t.at, t.last = r.at, r.seq; heals {
		return t.heal(p, n, end)
	}
	return nil
}

// walk reads groups of the log that the copy has, too, and adds their number to n: groups without a
// record are not found by their numbers. It reports whether the log has others after them.
func walk(ctx context.Context, l Log, r *reader, copy []point, n *int) (more bool, err error) {
	ahead := *r
	err = l.Read(ctx, r.seq, 0, func(seq uint64, data []byte) error {
		_, whole, err := ahead.take(seq, data)
		switch {
		case err != nil || !whole:
			return err
		case *n+1 < len(copy) && ahead.at == copy[*n+1]:
			*n++
			*r = ahead
			return nil
		}
		more = true
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return more, err
}

// fetch reads the log to its end, and adds its groups to the copy if there are any.
func fetch(ctx context.Context, l Log, p Journal, r *reader, any bool) error {
	read := func(add func(Group) error) error {
		return l.Read(ctx, r.seq, 0, func(seq uint64, data []byte) error {
			g, whole, err := r.take(seq, data)
			if err == nil && whole {
				err = add(g)
			}
			return err
		})
	}
	if any {
		return p.Add(read)
	}
	return read(func(Group) error { return errBehind }) // only strays were there before
}

// heal gives the log what it lacks of the copy on disk: all but the first groups.
func (t *Tenure) heal(p Partition, n int, end point) error {
	t.life.node.log().Warn("the log lacks records that are on disk; it gets them", "partition", t.Partition, "from", t.at.next, "to", end.next)
	return p.Groups(func(g Group) error {
		if n--; n >= 0 {
			return nil
		}
		return t.give(&g)
	})
}
