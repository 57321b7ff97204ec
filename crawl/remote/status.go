package remote

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A Status says how many files of a crawl are in a store, and how many are still to be sent.
type Status struct {
	Place   string     `json:"place,omitempty"` // to which files are sent
	Files   int64      `json:"files"`           // that are in a store
	Bytes   int64      `json:"bytes"`
	Waiting int64      `json:"waiting_files"` // finished files that are not sent yet
	Size    int64      `json:"waiting_bytes"`
	Error   string     `json:"error,omitempty"` // why sending fails; empty: it does not
	Since   *time.Time `json:"failing_since,omitempty"`
	Next    *time.Time `json:"next_try,omitempty"`
}

// Add adds the status of another partition.
func (s *Status) Add(x *Status) *Status {
	if s == nil || x == nil {
		if s == nil {
			s = x
		}
		return s
	}
	sum := *s
	sum.Place = above(s.Place, x.Place)
	sum.Files, sum.Bytes, sum.Waiting, sum.Size = s.Files+x.Files, s.Bytes+x.Bytes, s.Waiting+x.Waiting, s.Size+x.Size
	if sum.Error == "" {
		sum.Error, sum.Since, sum.Next = x.Error, x.Since, x.Next
	}
	return &sum
}

// above returns the place that two places are below.
func above(a, b string) string {
	for a != "" && b != a && !strings.HasPrefix(b, a+"/") {
		a = a[:max(0, strings.LastIndexByte(a, '/'))]
	}
	return a
}

// Recount returns the status with the files that archive directories, those of all partitions, have
// now. s may be nil: there is none of a crawl that keeps all files, which place, the one of its
// configuration, tells.
func (s *Status) Recount(place string, dirs ...disk.Dir) *Status {
	var now Status
	for _, dir := range dirs {
		l, err := look(dir, nil)
		if err != nil {
			return s
		}
		now = *now.Add(&l.status)
	}
	if s == nil && place == "" && now.Files == 0 {
		return s
	}
	x := &Status{}
	if s != nil {
		*x = *s
	} else if p, err := Parse(place); err == nil {
		x.Place = p.Short()
	}
	x.Files, x.Bytes, x.Waiting, x.Size = now.Files, now.Bytes, now.Waiting, now.Size
	if x.Waiting == 0 {
		x.Error, x.Since, x.Next = "", nil, nil
	}
	return x
}

// A listing is what an archive directory has.
type listing struct {
	status  Status
	files   []disk.Entry       // finished WARC files
	indexed map[string]bool    // those with an index
	records map[string]*Record // also of files that are not here
}

// look lists an archive directory. Records that are known are not read again.
func look(dir disk.Dir, known map[string]*Record) (*listing, error) {
	l := &listing{indexed: map[string]bool{}, records: map[string]*Record{}}
	list, err := dir.List()
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range list {
		names[e.Name] = true
		if warc, ok := OfRecord(e.Name); ok {
			r := known[warc]
			if r == nil {
				if r, err = ReadRecord(dir, warc); err != nil {
					return nil, err
				}
			}
			l.records[warc] = r
			l.status.Files++
			l.status.Bytes += r.Size
		}
	}
	for _, e := range list {
		if _, ok := archive.FileNumber(e.Name); !ok || !strings.HasSuffix(e.Name, archive.Suffix) {
			continue
		}
		l.files = append(l.files, e)
		l.indexed[e.Name] = names[archive.IndexName(e.Name)]
		if l.records[e.Name] == nil {
			l.status.Waiting++
			l.status.Size += e.Size
		}
	}
	return l, nil
}
