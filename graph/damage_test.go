package graph

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

// fullSource is a small graph with every section there is.
func fullSource() Source {
	r := rand.New(rand.NewPCG(3, 3))
	src := sourceOf(webLike(r, 70, 6))
	var urls []string
	for p := range src.Pages {
		src.IDs = append(src.IDs, uint32(p*3+1))
		urls = append(urls, fmt.Sprintf("http://%c.example/%d", 'a'+r.IntN(7), p/2))
	}
	src.Fetched = []uint64{1<<63 | 12345, 63}
	src.URLs = each(urls)
	src.Card = &Card{Origin: "made up"}
	return src
}

// damageFile is a graph file to damage and open again and again.
type damageFile struct {
	path  string
	f     *os.File
	sound []byte
}

func newDamageFile(t testing.TB, sound []byte) *damageFile {
	t.Helper()
	d := &damageFile{path: filepath.Join(t.TempDir(), "g.wg"), sound: sound}
	if err := os.WriteFile(d.path, sound, 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.f, err = os.OpenFile(d.path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.f.Close() })
	return d
}

// flip changes one bit, opens, and changes it back.
func (d *damageFile) flip(t testing.TB, at int, bit uint) error {
	t.Helper()
	put := func(b byte) {
		if _, err := d.f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	put(d.sound[at] ^ 1<<bit)
	defer put(d.sound[at])
	g, err := Open(d.path)
	if err == nil {
		g.Close()
	}
	return err
}

// where is in every error: an offset or the end of the file.
var where = regexp.MustCompile(`offset \d+|ends? at byte \d+`)

// checkDamage wants an error that names file and place.
func checkDamage(t testing.TB, path, what string, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s: not noticed", what)
	}
	if !strings.Contains(err.Error(), path) || !where.MatchString(err.Error()) {
		t.Fatalf("%s: error %q names no file or no place", what, err)
	}
}

// TestEveryBit flips every bit of a graph file, one after the other.
// Of the part of the header that is always zero one bit per byte will do.
func TestEveryBit(t *testing.T) {
	d := newDamageFile(t, fileBytes(t, fullSource(), WriteOptions{}))
	g, err := Open(d.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := readAll(g); err != nil {
		t.Fatal(err)
	}
	used := 80 + len(g.h.sections)*entrySize
	g.Close()
	step := 1
	if testing.Short() {
		step = 13
	}
	for at := 0; at < len(d.sound); at += step {
		for bit := range uint(8) {
			if at >= used && at < headerSize-8 && bit != uint(at%8) {
				continue
			}
			checkDamage(t, d.path, fmt.Sprintf("bit %d of byte %d", bit, at), d.flip(t, at, bit))
		}
	}
}

// TestDamageInLargeFile flips bits in a file of several blocks.
func TestDamageInLargeFile(t *testing.T) {
	src := sourceOf(make([][]Page, 300_000))
	src.URLs = func(emit func([]byte) error) error {
		for p := range 300_000 {
			if err := emit(fmt.Appendf(nil, "http://%x/", xxh3.HashString(fmt.Sprint(p)))); err != nil {
				return err
			}
		}
		return nil
	}
	d := newDamageFile(t, fileBytes(t, src, WriteOptions{}))
	if len(d.sound) < 4*blockSize {
		t.Fatalf("only %d bytes", len(d.sound))
	}
	r := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		at := r.IntN(len(d.sound))
		err := d.flip(t, at, uint(r.IntN(8)))
		checkDamage(t, d.path, fmt.Sprintf("byte %d", at), err)
		var lo, hi int
		if _, serr := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "offset "):], "offset %d to %d", &lo, &hi); serr == nil && (at < lo || at >= hi) {
			t.Errorf("byte %d is damaged, the error says %q", at, err)
		}
	}
}

// TestTruncated cuts a graph file at every length, and adds a byte.
func TestTruncated(t *testing.T) {
	d := newDamageFile(t, fileBytes(t, fullSource(), WriteOptions{}))
	step := 1
	if testing.Short() {
		step = 29
	}
	for n := len(d.sound) - 1; n >= 0; n -= step {
		if err := d.f.Truncate(int64(n)); err != nil {
			t.Fatal(err)
		}
		_, err := Open(d.path)
		if n < len(formatMagic) {
			if err == nil || !strings.Contains(err.Error(), d.path) || !strings.Contains(err.Error(), "not a winnow graph") {
				t.Fatalf("%d bytes: %v", n, err)
			}
			continue
		}
		checkDamage(t, d.path, fmt.Sprintf("cut to %d bytes", n), err)
	}
	longer := newDamageFile(t, append(bytes.Clone(d.sound), 0))
	_, err := Open(longer.path)
	checkDamage(t, longer.path, "a byte more", err)
}

// TestOtherFiles opens what is no graph of this program.
func TestOtherFiles(t *testing.T) {
	sound := fileBytes(t, fullSource(), WriteOptions{})
	future := bytes.Clone(sound)
	binary.LittleEndian.PutUint32(future[16:], compactVersion+1)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"empty":   {nil, "not a winnow graph"},
		"text":    {bytes.Repeat([]byte("0 1\n"), 3000), `not a winnow graph.*offset 0: "0 1\\n`},
		"short":   {[]byte("0 1\n"), "not a winnow graph"},
		"future":  {reseal(future), "format 3 .*offset 16.*formats 1 and 2"},
		"nothing": {make([]byte, 10000), "not a winnow graph"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: error %v lacks %q", name, err, c.want)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// reseal makes all checksums of a file right, whatever it says. The bytes are those
// of the caller.
func reseal(b []byte) []byte {
	if len(b) < headerSize {
		return b
	}
	sums := binary.LittleEndian.Uint64(b[56:])
	if sums >= headerSize && sums <= uint64(len(b)) {
		tail := b[sums:]
		n := 0
		for lo := uint64(headerSize); lo < sums && n+8 <= len(tail); lo += blockSize {
			binary.LittleEndian.PutUint64(tail[n:], xxh3.Hash(b[lo:min(lo+blockSize, sums)]))
			n += 8
		}
		if n+8 <= len(tail) {
			binary.LittleEndian.PutUint64(tail[n:], xxh3.Hash(tail[:n]))
		}
	}
	binary.LittleEndian.PutUint64(b[headerSize-8:], xxh3.Hash(b[:headerSize-8]))
	return b
}

// TestReseal: it must find the checksums where the writer put them.
func TestReseal(t *testing.T) {
	sound := fileBytes(t, fullSource(), WriteOptions{})
	if !bytes.Equal(reseal(bytes.Clone(sound)), sound) {
		t.Fatal("a sound file changes when its checksums are made anew")
	}
}

// readAll reads everything of a graph in every way. A CorruptError that a reader
// panics with is returned; any other panic goes through.
func readAll(g *Graph) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *CorruptError:
			err = e
		default:
			panic(e)
		}
	}()
	for _, l := range []*Links{g.Forward(), g.Backward()} {
		rd := l.Reader()
		remote := &Remote{Reader: rd, Site: g.Site}
		for p := range Page(g.Pages()) {
			rd.Degree(p)
			for _, q := range remote.List(p) {
				g.ID(q)
			}
		}
		for c := l.Scan(0, Page(g.Pages())); c.Next(); {
			for _, q := range c.List() {
				g.ID(q)
			}
		}
		l.Raw(2).Free()
	}
	if err := g.EachURL(func(Page, []byte) error { return nil }); err != nil {
		return err
	}
	for p := range Page(g.Pages()) {
		g.ByID(g.ID(p))
		g.Fetched(p)
		g.Lookup(g.URL(p))
	}
	for s := range Site(g.Sites()) {
		g.SiteName(s)
		for _, p := range g.SitePages(s) {
			g.Site(p)
		}
	}
	g.Lookup("http://nowhere.example/")
	return nil
}
