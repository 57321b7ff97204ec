package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files made to deceive: wrong contents under right checksums. What they say must
// be refused, or be found by the reader as a CorruptError; nothing may lead out of
// memory, nor take it without end.

// openForged opens bytes as a graph and reads all of it. An error must be one of
// ours.
func openForged(t testing.TB, dir string, b []byte) error {
	t.Helper()
	path := filepath.Join(dir, "forged.wg")
	os.Remove(path) // to write over it would wait for the disk on some file systems
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := Open(path)
	if err != nil {
		if !strings.Contains(err.Error(), path) {
			t.Fatalf("error %q does not name the file", err)
		}
		return err
	}
	defer g.Close()
	err = readAll(g)
	if eerr := g.ExportEdges(context.Background(), io.Discard, nil); err == nil {
		err = eerr
	}
	var c *CorruptError
	if err != nil && (!errors.As(err, &c) || c.Path != path) {
		t.Fatalf("error %v is no CorruptError of this file", err)
	}
	return err
}

// word replaces a 64-bit number.
func word(at int, v uint64) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint64(b[at:], v) }
}

// entry is where the header says something about a section: its offset; 8 further
// its length, 16 further extra.
func entry(t testing.TB, b []byte, name string) int {
	t.Helper()
	h, err := decodeHeader(b[:headerSize], uint64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range h.sections {
		if s.name == name {
			return 80 + i*entrySize + 16
		}
	}
	t.Fatalf("no section %q", name)
	return 0
}

func TestForgedHeader(t *testing.T) {
	sound := fileBytes(t, fullSource(), WriteOptions{})
	at := func(name string) int { return entry(t, sound, name) }
	const pages, links, sites, self, sums, size, sections = 24, 32, 40, 48, 56, 64, 72
	for name, change := range map[string]func([]byte){
		"no pages":                word(pages, 0),
		"a page more":             word(pages, 71),
		"all pages":               word(pages, MaxPages),
		"more than all pages":     word(pages, 1<<40),
		"a link more":             word(links, binary.LittleEndian.Uint64(sound[links:])+1),
		"4900 links":              word(links, 4900),
		"absurd links":            word(links, 1<<62),
		"negative links":          word(links, 1<<63+5),
		"a site more":             word(sites, 8),
		"no site":                 word(sites, 0),
		"absurd sites":            word(sites, 1<<31),
		"absurd self-links":       word(self, 1<<40),
		"sums in the header":      word(sums, 64),
		"sums at the end":         word(sums, uint64(len(sound))),
		"sums beyond the end":     word(sums, 1<<50),
		"another size":            word(size, uint64(len(sound)+8)),
		"absurd sections":         word(sections, 1<<60),
		"101 sections":            word(sections, 101),
		"a section outside":       word(at(secIDs), uint64(len(sound))),
		"a section before":        word(at(secIDs), 0),
		"a section not aligned":   word(at(secIDs), headerSize+1),
		"a section too long":      word(at(secIDs)+8, uint64(len(sound))),
		"an endless section":      word(at(secIDs)+8, ^uint64(0)),
		"few ids":                 word(at(secIDs)+8, 4),
		"half an id":              word(at(secIDs)+8, 70*4+1),
		"bits beyond the section": word(at(secForward)+16, 1<<20),
		"endless bits":            word(at(secForward)+16, ^uint64(0)),
		"few bits":                word(at(secForward)+16, 8),
		"few bits backward":       word(at(secBackward)+16, 8),
		"no forward index":        word(at(secForwardIndex)-16, 0),
		"no backward links":       word(at(secBackward)-16, 0),
		"no pages by site":        word(at(secSitePages)-16, 0),
		"no site starts":          word(at(secSiteStarts)-16, 0),
		"no sites":                word(at(secSiteOf)-16, 0),
		"no URL index":            word(at(secURLIndex)-16, 0),
		"a table without URLs":    word(at(secURLs)-16, 0),
		"a small table":           word(at(secURLTable)+8, 50),
		"an empty card":           word(at(secCard)+8, 0),
		"window of 200":           func(b []byte) { b[20] = 200 },
		"zeta 0":                  func(b []byte) { b[23] = 0 },
		"intervals of 1":          func(b []byte) { b[22] = 1 },
	} {
		b := bytes.Clone(sound)
		change(b)
		if err := openForged(t, t.TempDir(), reseal(b)); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// TestForgedContents overwrites whole sections, word by word, with numbers that
// lead somewhere else if they are believed.
func TestForgedContents(t *testing.T) {
	sound := fileBytes(t, fullSource(), WriteOptions{})
	h, err := decodeHeader(sound[:headerSize], uint64(len(sound)))
	if err != nil {
		t.Fatal(err)
	}
	dir, noticed := t.TempDir(), map[string]int{}
	values, next := []uint64{0, 1, 69, 70, 1 << 31, 1<<32 - 1, 1<<63 - 1, ^uint64(0), 70<<32 | 70}, 0
	step := uint64(8)
	if testing.Short() {
		step = 32
	}
	for _, s := range h.sections {
		for at := s.offset; at+8 <= s.offset+s.length; at += step {
			for range 3 {
				b := bytes.Clone(sound)
				word(int(at), values[next%len(values)])(b)
				next++
				if openForged(t, dir, reseal(b)) != nil {
					noticed[s.name]++
				}
			}
		}
	}
	for _, name := range []string{secForward, secForwardIndex, secBackward, secBackwardIndex, secIDs, secSiteOf,
		secSiteStarts, secSitePages, secSiteIndex, secURLIndex, secCard} {
		if noticed[name] == 0 {
			t.Errorf("section %q: nothing was ever noticed", name)
		}
	}
}

// TestCorruptErrorNames: the panic of a reader can be told to a user.
func TestCorruptErrorNames(t *testing.T) {
	b := fileBytes(t, fullSource(), WriteOptions{})
	h, err := decodeHeader(b[:headerSize], uint64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := h.section(secForward)
	clear(b[s.offset : s.offset+s.length])
	err = openForged(t, t.TempDir(), reseal(b))
	var c *CorruptError
	if !errors.As(err, &c) || !strings.Contains(err.Error(), "forged.wg") || !strings.Contains(err.Error(), "byte 0") {
		t.Errorf("error %v", err)
	}
}

// FuzzOpen makes edits in a sound file, three bytes of place and one of contents
// each, and gives the result right checksums.
func FuzzOpen(f *testing.F) {
	sounds := [][]byte{
		fileBytes(f, fullSource(), WriteOptions{}),
		fileBytes(f, sourceOf([][]Page{{1}, {0, 1}}), WriteOptions{}),
		fileBytes(f, fullSource(), WriteOptions{Compact: true}),
		fileBytes(f, Source{Lists: func(func(Page, []Page) error) error { return nil }}, WriteOptions{}),
	}
	dir := f.TempDir()
	for i := range sounds {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{0, 16, 0, 2})
		for field := byte(20); field < 80; field += 4 {
			f.Add(uint8(i), []byte{field, 0, 0, 9, field + 3, 0, 0, 200})
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := bytes.Clone(sounds[int(which)%len(sounds)])
		for ; len(edits) >= 4; edits = edits[4:] {
			at := int(edits[0]) | int(edits[1])<<8 | int(edits[2])<<16
			b[at%len(b)] = edits[3]
		}
		openForged(t, dir, reseal(b)) // fails the test if it must
	})
}
