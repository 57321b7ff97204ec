// Package revisit keeps virtual collections fresh: it replays when pages changed, lets an
// allocation of package freshness choose the visits, and measures how much of the
// collection is out of date. The crawler has the same allocations.
package revisit

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/policy"
)

// A Log holds when pages changed.
type Log struct {
	Changes [][]time.Duration // by page, ascending, since the first change of the log
	Length  time.Duration     // until the last change
	Count   int               // changes of all pages

	Mass    int // rows left out because they touched too many pages
	Unknown int // rows left out because their pages are not in the graph
}

// Pages returns the number of pages, with those that never change.
func (l *Log) Pages() int { return len(l.Changes) }

// version returns the number of changes of a page until an instant.
func (l *Log) version(p graph.Page, at time.Duration) int {
	n, _ := slices.BinarySearch(l.Changes[p], at+1)
	return n
}

// Version returns a number that is another one after each change of a page: see sim.World.
func (l *Log) Version(p graph.Page, at time.Duration) uint32 { return uint32(l.version(p, at)) }

// part returns the instant at which n parts of some of the log have passed. Nanoseconds of some
// years times n would not fit.
func (l *Log) part(n, of int) time.Duration {
	return l.Length/time.Duration(of)*time.Duration(n) + l.Length%time.Duration(of)*time.Duration(n)/time.Duration(of)
}

// Until returns the beginning of a log.
func (l *Log) Until(length time.Duration) *Log {
	part := *l
	part.Length = min(l.Length, length)
	return &part
}

// ReadLog reads a log of lines "unix time TAB id TAB pages touched". ids are the ids of the
// pages, ascending; nil means 0 to pages-1. Rows that touched more than most pages are left
// out; 0 means none are. The third field may be missing.
func ReadLog(f *input.File, ids []uint32, pages, most int) (*Log, error) {
	l := &Log{Changes: make([][]time.Duration, pages)}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	err := input.Lines(f, func(_ int, text []byte) error {
		r, err := parseRow(text)
		switch p, ok := pageOf(r.id, ids, pages); {
		case err != nil:
			return err
		case most > 0 && r.touched > most:
			l.Mass++
		case !ok:
			l.Unknown++
		default:
			first, last = min(first, r.unix), max(last, r.unix)
			l.Changes[p] = append(l.Changes[p], time.Duration(r.unix))
			l.Count++
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case l.Count == 0:
		return nil, fmt.Errorf("%s: no row is of a page of the graph and touched few enough pages", f.Name())
	case (last-first)/86400 > maxDays:
		return nil, fmt.Errorf("%s: it covers %d days, which is more than %d", f.Name(), (last-first)/86400, maxDays)
	}
	for _, list := range l.Changes {
		for i := range list {
			list[i] = (list[i] - time.Duration(first)) * time.Second
		}
		slices.Sort(list)
	}
	l.Length = time.Duration(last-first) * time.Second
	return l, nil
}

// maxDays is the longest log: a century.
const maxDays = 36525

// A row is one line of a log.
type row struct {
	unix    int64
	id      uint32
	touched int
}

func parseRow(text []byte) (r row, err error) {
	fields := bytes.Split(text, []byte("\t"))
	if len(fields) < 2 || len(fields) > 3 {
		return r, fmt.Errorf("%d fields instead of a time, an id and the number of pages touched, with tabs between", len(fields))
	}
	if r.unix, err = strconv.ParseInt(string(fields[0]), 10, 64); err != nil || r.unix < -maxUnix || r.unix > maxUnix {
		return r, errors.New("the first field is not a Unix time")
	}
	if r.id, err = input.ParseID(fields[1]); err != nil {
		return r, err
	}
	if len(fields) == 3 {
		if r.touched, err = strconv.Atoi(string(fields[2])); err != nil || r.touched < 0 {
			return r, errors.New("the third field is not a number of pages")
		}
	}
	return r, nil
}

// maxUnix bounds the times of a log, in seconds: 31,700 years on both sides of 1970.
const maxUnix = 1e12

// pageOf returns the page with an id.
func pageOf(id uint32, ids []uint32, pages int) (graph.Page, bool) {
	if ids == nil {
		return graph.Page(id), int(id) < pages
	}
	i, ok := slices.BinarySearch(ids, id)
	return graph.Page(i), ok
}

// Poisson returns a log in which each page changes at random instants, at a rate of its own in
// changes a day.
func Poisson(rates []float64, length time.Duration, random uint64) *Log {
	l := &Log{Changes: make([][]time.Duration, len(rates)), Length: length}
	for p, rate := range rates {
		at := 0.0
		for n := uint64(0); rate > 0; n++ {
			u := (float64(policy.Hash(random, uint64(p), n)>>11) + 0.5) / (1 << 53)
			if at -= math.Log(u) / rate; at > length.Hours()/24 {
				break
			}
			l.Changes[p] = append(l.Changes[p], time.Duration(at*float64(day)))
			l.Count++
		}
	}
	return l
}

const day = 24 * time.Hour
