package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/urltable"
)

// listSnapshots finds those that there are, by the number of their next record.
func (v *verifier) listSnapshots() error {
	names, err := state.SnapshotsOf(v.parts.Snapshot)
	if err != nil {
		return err
	}
	v.snaps = map[uint64]string{}
	for _, name := range names {
		if n, err := strconv.ParseUint(strings.TrimSuffix(name, state.SnapshotSuffix), 16, 64); err == nil {
			v.snaps[n] = name
		}
	}
	return nil
}

// compareSnapshot holds the state against a snapshot of this moment, if there is one.
func (v *verifier) compareSnapshot() error {
	name, ok := v.snaps[v.state.Next]
	if !ok {
		return nil
	}
	delete(v.snaps, v.state.Next)
	same, err := v.sameSnapshot(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && v.Running: // replaced by a newer one
	case errors.Is(err, state.ErrOther):
		v.notef("snapshot %s was not compared: %v", name, err)
	case err != nil:
		v.general(FindSnapshot, "%v", err)
	case same:
		v.out.Snapshots++
	default:
		v.out.Snapshots++
		return v.explainSnapshot(name)
	}
	return nil
}

// sameSnapshot compares the sum at the end of a snapshot with that of the state.
func (v *verifier) sameSnapshot(name string) (bool, error) {
	r, done, err := state.OpenSnapshot(v.parts.Snapshot, name)
	if err != nil {
		return false, err
	}
	defer done()
	h, err := state.ReadHead(r)
	if err != nil {
		return false, err
	}
	if h.Layout != v.state.Layout() {
		return false, fmt.Errorf("%w: %s", state.ErrOther, h.Layout)
	}
	want, err := sumOf(v.parts.Snapshot, name)
	if err != nil {
		return false, err
	}
	sum := xxh3.New()
	if err := v.state.Save(sum); err != nil {
		return false, err
	}
	return sum.Sum64() == want, nil
}

// sumOf is the sum at the end of a snapshot.
func sumOf(dir disk.Dir, name string) (uint64, error) {
	f, err := dir.Open(name, disk.Read)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.Size()
	if err != nil {
		return 0, err
	}
	var b [8]byte
	if _, err := f.ReadAt(b[:], n-8); err != nil && err != io.EOF {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// explainSnapshot finds what of a snapshot differs from the state. When the delays were
// changed between sessions, the clocks of the past are those of another configuration:
// then they are not compared.
func (v *verifier) explainSnapshot(name string) error {
	r, done, err := state.OpenSnapshot(v.parts.Snapshot, name)
	if err != nil {
		return err
	}
	defer done()
	t, err := state.New(v.set, v.state.URLs)
	if err != nil {
		return err
	}
	defer t.Free()
	if err := t.Load(r); err != nil {
		v.general(FindSnapshot, "%s: %v", name, err)
		return nil
	}
	names := differentColumns(v.state, t, v.mixed())
	switch {
	case len(names) > 0:
		v.general(FindSnapshot, "%s differs from the journal in %s", name, strings.Join(names, ", "))
	case v.mixed():
		v.notef("the clocks of snapshot %s were not compared: sessions before it had another configuration", name)
	default:
		v.general(FindSnapshot, "%s differs from the journal in its head or its lists", name)
	}
	return nil
}

// differentColumns names the columns in which two states differ.
func differentColumns(s, t *state.State, mixed bool) (names []string) {
	sums := columnSums(t)
	for name, sum := range columnSums(s) {
		if sums[name] != sum && !(mixed && dependsOnDelays(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// dependsOnDelays tells which columns depend on delays: clocks and what follows from
// them, such as the place of a site, and orders that policies made.
func dependsOnDelays(name string) bool {
	for _, part := range []string{"page state", "page from", "page depth", "page links in", "seen", "site rules", "site admitted", "domain"} {
		if strings.HasPrefix(name, part) {
			return false
		}
	}
	return true
}

func columnSums(s *state.State) map[string]uint64 {
	sums := map[string]uint64{}
	s.Saved.Columns(func(c graph.AnyColumn) {
		h := xxh3.New()
		c.Save(h) // a hash takes everything
		sums[c.Name()] = sums[c.Name()]*31 + h.Sum64()
	})
	return sums
}

// restSnapshots looks at those of which no moment came.
func (v *verifier) restSnapshots() {
	for _, n := range slices.Sorted(maps.Keys(v.snaps)) {
		if n > v.state.Next {
			v.notef("snapshot %s is ahead of the journal, which ends with record %d: the next run does not use it", v.snaps[n], v.state.Next)
			continue
		}
		v.general(FindSnapshot, "%s is of record %d, where no record ends", v.snaps[n], n)
	}
}

// compareURLs holds the URL file against the journal. It is derived and may be behind,
// or ahead by what was not committed, but what it has must be so.
func (v *verifier) compareURLs() error {
	f, err := v.parts.Urls.Open(layout.URLFile, disk.Read)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	log, err := urltable.OpenLog(&FrozenFile{f}, v.id.Crawl, v.set.Frontier.MaxPages)
	if err != nil {
		v.general(FindURLs, "%v", err)
		return nil
	}
	defer log.Free()
	next, stop := iter.Pull(urlsOf(v.state.URLs))
	defer stop()
	for u := range urlsOf(log) {
		want, ok := next()
		if !ok {
			break
		}
		if want.err != nil || u.err != nil {
			v.general(FindURLs, "page %d: %v", v.out.URLs, errors.Join(u.err, want.err))
			break
		}
		if u.site != want.site || !bytes.Equal(u.rest, want.rest) {
			v.found(FindURLs, want.site, graph.NoPage, "page %d is %s of site %d in the URL file, %s of site %d in the journal", v.out.URLs, u.rest, u.site, want.rest, want.site)
		}
		v.out.URLs++
	}
	return nil
}

type loggedURL struct {
	site graph.Site
	rest []byte
	err  error
}

// urlsOf goes over a URL log; an error is its last element.
func urlsOf(log *urltable.Log) iter.Seq[loggedURL] {
	return func(yield func(loggedURL) bool) {
		err := log.Each(0, func(_ graph.Page, site graph.Site, rest []byte) error {
			if !yield(loggedURL{site, rest, nil}) {
				return layout.ErrEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, layout.ErrEnough) {
			yield(loggedURL{err: err})
		}
	}
}
