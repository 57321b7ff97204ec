package urltable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-crawler/winnow/graph"
)

// memFile is a file in memory whose writes can fail.
type memFile struct {
	data []byte
	fail error
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(b []byte, off int64) (int, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	if need := int(off) + len(b); need > len(f.data) {
		f.data = append(f.data, make([]byte, need-len(f.data))...)
	}
	return copy(f.data[off:], b), nil
}

func (f *memFile) Truncate(size int64) error {
	if f.fail != nil {
		return f.fail
	}
	f.data = append(f.data[:min(int(size), len(f.data))], make([]byte, max(0, int(size)-len(f.data)))...)
	return nil
}

// logged is a URL as a log has it.
type logged struct {
	site graph.Site
	rest string
}

// drawURL makes a URL that has something in common with others.
func drawURL(r *rand.Rand) logged {
	switch r.IntN(20) {
	case 0:
		return logged{graph.NoSite, ""}
	case 1:
		return logged{graph.Site(r.Uint32N(1 << 31)), "/" + strings.Repeat("long", r.IntN(2_000))}
	}
	return logged{graph.Site(r.IntN(3)), fmt.Sprintf("/dir%d/sub%d/page%d.html", r.IntN(4), r.IntN(4), r.IntN(1_000))}
}

func openLog(t rapid.TB, f File) *Log {
	t.Helper()
	l, err := OpenLog(f, [16]byte{1}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t rapid.TB, l *Log, urls ...logged) {
	t.Helper()
	for _, u := range urls {
		if err := l.Append(graph.Page(l.Pages()), u.site, []byte(u.rest)); err != nil {
			t.Fatal(err)
		}
	}
}

// mustRead checks that page p has its URL, behind what is in the buffer already.
func mustRead(t rapid.TB, l *Log, p int, want logged) {
	t.Helper()
	site, rest, err := l.Read(graph.Page(p), []byte("x"))
	if err != nil || site != want.site || string(rest) != "x"+want.rest {
		t.Fatalf("page %d is %d %q (%v), want %+v", p, site, rest, err, want)
	}
}

// mustBe checks that a log has these URLs and no others.
func mustBe(t rapid.TB, l *Log, urls []logged) {
	t.Helper()
	if l.Pages() != len(urls) {
		t.Fatalf("%d pages, want %d", l.Pages(), len(urls))
	}
	next := 0
	err := l.Each(0, func(p graph.Page, site graph.Site, rest []byte) error {
		if int(p) != next || urls[p] != (logged{site, string(rest)}) {
			return fmt.Errorf("page %d is %d %q, want %d %+v", p, site, rest, next, urls[next])
		}
		next++
		return nil
	})
	if err != nil || next != len(urls) {
		t.Fatalf("%d of %d pages: %v", next, len(urls), err)
	}
}

// mustHave checks that a file has these URLs and no others.
func mustHave(t rapid.TB, f File, urls []logged) {
	t.Helper()
	l := openLog(t, f)
	defer l.Free()
	mustBe(t, l, urls)
}

// TestLogAgainstSlice adds, reads, flushes, cuts, closes and opens again in any
// order.
func TestLogAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &memFile{}
		l := openLog(t, f)
		defer func() { l.Free() }()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var urls []logged
		flushed := 0
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				for range rapid.IntRange(1, 300).Draw(t, "n") {
					urls = append(urls, drawURL(r))
					add(t, l, urls[len(urls)-1])
				}
			},
			"read": func(t *rapid.T) {
				for range min(20, len(urls)) {
					p := r.IntN(len(urls))
					mustRead(t, l, p, urls[p])
				}
			},
			"each": func(t *rapid.T) {
				next := r.IntN(len(urls) + 1)
				err := l.Each(graph.Page(next), func(p graph.Page, site graph.Site, rest []byte) error {
					if int(p) != next || urls[p] != (logged{site, string(rest)}) {
						return fmt.Errorf("page %d is %d %q, want page %d", p, site, rest, next)
					}
					next++
					return nil
				})
				if err != nil || next != len(urls) {
					t.Fatalf("%d of %d: %v", next, len(urls), err)
				}
			},
			"flush": func(t *rapid.T) {
				if err := l.Flush(); err != nil {
					t.Fatal(err)
				}
				flushed = len(urls)
			},
			"truncate": func(t *rapid.T) {
				n := len(urls) - rapid.IntRange(0, min(200, len(urls))).Draw(t, "fewer")
				if err := l.Truncate(n); err != nil {
					t.Fatal(err)
				}
				urls = urls[:n]
				flushed = min(flushed, n-blockPages+1) // what shared a block with page n is not written any more
				if l.Pages() != n {
					t.Fatalf("%d pages after a cut to %d", l.Pages(), n)
				}
			},
			"reopen": func(t *rapid.T) { // as after a crash: what was not written is gone
				l.Free()
				l = openLog(t, f)
				if l.Pages() > len(urls) || l.Pages() < flushed {
					t.Fatalf("%d pages of %d, of which %d were flushed", l.Pages(), len(urls), flushed)
				}
				urls = urls[:l.Pages()]
			},
			"": func(t *rapid.T) {
				if l.Pages() != len(urls) || l.Size() < int64(len(f.data)) {
					t.Fatalf("%d pages, want %d; %d bytes, %d in the file", l.Pages(), len(urls), l.Size(), len(f.data))
				}
			},
		})
		mustBe(t, l, urls)
	})
}

// threeFlushes is a log of 1000 pages in which blocks are full, short, and full.
func threeFlushes(t testing.TB) (f *memFile, urls []logged) {
	f = &memFile{}
	l := openLog(t, f)
	defer l.Free()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1_000 {
		urls = append(urls, logged{graph.Site(i / 100), fmt.Sprintf("/%d/%d", i/10, r.IntN(1e9))})
		add(t, l, urls[i])
		if i == 299 || i == 300 || i == 999 {
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f, urls
}

// TestLogFlushIsDurable: after Flush everything is in the file, and a cut to where
// a flush was leaves the file as it was then.
func TestLogFlushIsDurable(t *testing.T) {
	f, urls := threeFlushes(t)
	l := openLog(t, f)
	defer l.Free()
	mustBe(t, l, urls)
	for _, n := range []int{300, 301} {
		for p, u := range urls {
			mustRead(t, l, p, u)
		}
		whole := bytes.Clone(f.data)
		if err := l.Truncate(n); err != nil {
			t.Fatal(err)
		}
		mustHave(t, f, urls[:n])
		for _, to := range []int{301, 1_000} {
			add(t, l, urls[l.Pages():to]...)
			mustBe(t, l, urls[:to])
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			mustHave(t, f, urls[:to])
		}
		if !bytes.Equal(f.data, whole) {
			t.Error("the same pages, added again, gave other bytes")
		}
	}
}

// TestLogAfterACrash: whatever happened to the end of the file, or to a part of it
// that was not synced, what is left is the first pages, right ones, and the log goes
// on from there.
func TestLogAfterACrash(t *testing.T) {
	f, urls := threeFlushes(t)
	good := f.data
	r := rand.New(rand.NewPCG(3, 4))
	crash := func(what string, data []byte, at int) {
		f := &memFile{data: data}
		l := openLog(t, f)
		defer l.Free()
		n := l.Pages()
		mustBe(t, l, urls[:n])
		if damaged := pagesBefore(t, good, at); n != damaged {
			t.Fatalf("%s at %d: %d pages left, want %d", what, at, n, damaged)
		}
		add(t, l, urls[n:]...)
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		mustHave(t, f, urls)
	}
	for range 150 {
		at := r.IntN(len(good))
		crash("cut", bytes.Clone(good[:at]), at)
		at = logHeader + r.IntN(len(good)-logHeader)
		flipped := bytes.Clone(good)
		flipped[at] ^= 1 << r.IntN(8)
		crash("flipped bit", flipped, at)
		hole := bytes.Clone(good)
		at = logHeader + r.IntN(len(good)-logHeader)
		for hole[at] == 0 {
			at--
		}
		clear(hole[at:min(at+4096, len(hole))])
		crash("hole", hole, at)
	}
	first := logHeader + blockHeader + bodySize(good[logHeader:])
	second := first + blockHeader + bodySize(good[first:])
	crash("lost block", append(bytes.Clone(good[:first]), good[second:]...), first)
	crash("lost header", append(make([]byte, logHeader), good[logHeader:]...), 0)
}

// pagesBefore counts the pages in blocks that end at or before a byte of a good file.
func pagesBefore(t testing.TB, good []byte, at int) (pages int) {
	t.Helper()
	l := openLog(t, &memFile{data: bytes.Clone(good)})
	defer l.Free()
	for k := range l.firsts.Len() {
		if int(l.place(k+1)) <= at {
			pages = l.pages
			if k+1 < l.firsts.Len() {
				pages = int(l.firsts.At(k + 1))
			}
		}
	}
	return pages
}

// TestLogRefuses: each with its reason, and nothing changed.
func TestLogRefuses(t *testing.T) {
	f, _ := threeFlushes(t)
	for name, c := range map[string]struct {
		spoil func(b []byte)
		want  string
	}{
		"another crawl": {func(b []byte) { b[8]++ }, "another crawl"},
		"the future":    {func(b []byte) { b[4]++ }, "version 2, this program reads 1"},
		"another file":  {func(b []byte) { b[0]++ }, "not a URL log"},
	} {
		bad := &memFile{data: bytes.Clone(f.data)}
		c.spoil(bad.data)
		before := bytes.Clone(bad.data)
		if _, err := OpenLog(bad, [16]byte{1}, 1<<20); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(bad.data, before) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	l := openLog(t, f)
	defer l.Free()
	if err := l.Append(999, 0, nil); err == nil {
		t.Error("page 999 was added twice")
	}
	if err := l.Append(1000, 0, make([]byte, MaxRest+1)); err == nil {
		t.Error("a URL that is too long was added")
	}
	if err := l.Append(1000, 0, make([]byte, MaxRest)); err != nil {
		t.Error(err)
	}
	if _, _, err := l.Read(1001, nil); err == nil {
		t.Error("a page was read that is not there")
	}
	small, err := OpenLog(&memFile{}, [16]byte{1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer small.Free()
	if add(t, small, logged{}, logged{}); small.Append(2, 0, nil) == nil {
		t.Error("a third page has no room")
	}
}

// TestLogFailedWrite: an error stays, nothing is tried again, and what was written
// can be read.
func TestLogFailedWrite(t *testing.T) {
	f, urls := threeFlushes(t)
	l := openLog(t, f)
	defer l.Free()
	add(t, l, logged{5, "/more"})
	f.fail = errors.New("disk full")
	if err := l.Flush(); !errors.Is(err, f.fail) {
		t.Fatalf("flush: %v", err)
	}
	reason := f.fail
	f.fail = nil
	if err := l.Append(1001, 0, nil); !errors.Is(err, reason) {
		t.Errorf("append after a failed write: %v", err)
	}
	if err := l.Flush(); !errors.Is(err, reason) {
		t.Errorf("flush after a failed write: %v", err)
	}
	if err := l.Truncate(3); !errors.Is(err, reason) {
		t.Errorf("cut after a failed write: %v", err)
	}
	mustRead(t, l, 999, urls[999])
	mustRead(t, l, 1000, logged{5, "/more"})
}

// TestLogReadsDamage: damage that happens while the log is open is an error.
func TestLogReadsDamage(t *testing.T) {
	f, _ := threeFlushes(t)
	l := openLog(t, f)
	defer l.Free()
	f.data[logHeader+blockHeader+20] ^= 4
	if _, _, err := l.Read(3, nil); !errors.Is(err, errBlock) {
		t.Errorf("read: %v", err)
	}
	if err := l.Each(0, func(graph.Page, graph.Site, []byte) error { return nil }); !errors.Is(err, errBlock) {
		t.Errorf("each: %v", err)
	}
	if err := l.Truncate(3); !errors.Is(err, errBlock) {
		t.Errorf("cut: %v", err)
	}
}

// TestLogInAFile: the same on disk.
func TestLogInAFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "urls"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := openLog(t, f)
	defer l.Free()
	r := rand.New(rand.NewPCG(1, 2))
	var urls []logged
	for range 30_000 { // more than is gathered before it is written
		urls = append(urls, drawURL(r))
	}
	add(t, l, urls...)
	for range 1_000 {
		p := r.IntN(len(urls))
		mustRead(t, l, p, urls[p])
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	mustHave(t, f, urls)
}

// FuzzLog opens anything as a log, and reads anything as a block whose checksum is
// right: there may be an error, never a panic.
func FuzzLog(f *testing.F) {
	file, _ := threeFlushes(f)
	f.Add(file.data[logHeader:])
	f.Add([]byte{0, 1, '/', 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		l := openLog(t, &memFile{data: append(bytes.Clone(file.data[:logHeader]), data...)})
		defer l.Free()
		mustEnd(t, l)
		forged := openLog(t, &memFile{})
		defer forged.Free()
		forged.open.bytes = append(forged.open.bytes, data...)
		forged.open.count, forged.pages = blockPages, blockPages
		forged.seal()
		mustEnd(t, forged)
	})
}

// mustEnd reads all it can.
func mustEnd(t *testing.T, l *Log) {
	pages := 0
	err := l.Each(0, func(p graph.Page, site graph.Site, rest []byte) error { pages++; return nil })
	if err == nil && pages != l.Pages() || pages > l.Pages() {
		t.Fatalf("%d of %d pages", pages, l.Pages())
	}
	for p := range min(l.Pages(), 200) {
		if _, _, err := l.Read(graph.Page(p), nil); (err == nil) != (p < pages) {
			t.Fatalf("page %d of %d readable ones: %v", p, pages, err)
		}
	}
}
