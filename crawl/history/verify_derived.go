package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// listSnapshots lists the snapshots by the number of their next record.
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

// compareSnapshot compares the state with a snapshot of the same record, if there is one.
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

// sameSnapshot reports whether a snapshot is what the state would save.
func (v *verifier) sameSnapshot(name string) (bool, error) {
	r, done, err := state.OpenSnapshot(v.parts.Snapshot, name)
	if err != nil {
		return false, err
	}
	defer done()
	want, got := xxh3.New(), xxh3.New()
	r = io.TeeReader(r, want)
	h, err := state.ReadHead(r)
	if err != nil {
		return false, err
	}
	if h.Layout != v.state.Layout() {
		return false, fmt.Errorf("%w: %s", state.ErrOther, h.Layout)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return false, err
	}
	err = v.state.Save(got)
	return got.Sum64() == want.Sum64(), err
}

// explainSnapshot reports how a snapshot differs from the state. Clocks are not compared
// if sessions had different delays: those of the past follow from another configuration.
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

// differentColumns returns the names of the columns in which two states differ.
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

// dependsOnDelays reports whether a column depends on delays: clocks and what follows from
// them, such as the place of a site in a queue, and orders that policies made.
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
		c.Save(h) // a hash never fails
		sums[c.Name()] = sums[c.Name()]*31 + h.Sum64()
	})
	return sums
}

// restSnapshots checks the snapshots that belong to no record.
func (v *verifier) restSnapshots() {
	for _, n := range slices.Sorted(maps.Keys(v.snaps)) {
		if n > v.state.Next {
			v.notef("snapshot %s is ahead of the journal, which ends with record %d: the next run will not use it", v.snaps[n], v.state.Next)
			continue
		}
		v.general(FindSnapshot, "%s is of record %d, where no record ends", v.snaps[n], n)
	}
}

// compareURLs compares the URL file with the journal. It is derived and may be behind, or
// ahead by what was not committed, but what it has must be right.
func (v *verifier) compareURLs() error {
	f, err := v.parts.Urls.Open(layout.URLFile, disk.Change)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	log, err := urltable.OpenLog(f, v.id.Crawl, v.set.Frontier.MaxPages)
	if err != nil {
		v.general(FindURLs, "%v", err)
		return nil
	}
	defer log.Free()
	var want []byte
	err = log.Each(0, func(p graph.Page, site graph.Site, rest []byte) (err error) {
		if int(p) >= v.state.URLs.Pages() {
			return layout.ErrEnough
		}
		var home graph.Site
		if home, want, err = v.state.URLs.Read(p, want[:0]); err != nil {
			return err
		}
		if site != home || !bytes.Equal(rest, want) {
			v.found(FindURLs, home, graph.NoPage, "page %d is %s of site %d in the URL file, %s of site %d in the journal", p, rest, site, want, home)
		}
		v.out.URLs++
		return nil
	})
	if err != nil && !errors.Is(err, layout.ErrEnough) {
		v.general(FindURLs, "%v", err)
	}
	return nil
}
