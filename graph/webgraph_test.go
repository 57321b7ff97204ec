package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph/bv"
	"github.com/winnow-crawler/winnow/internal/data"
	"pgregory.net/rapid"
)

// importBV imports WebGraph files to a graph beside base.
func importBV(base string, change ...func(*ImportOptions)) (*Graph, error) {
	o := ImportOptions{BV: base, WriteOptions: WriteOptions{Path: base + ".wg"}}
	for _, c := range change {
		c(&o)
	}
	if _, err := Import(context.Background(), o); err != nil {
		return nil, err
	}
	return Open(o.Path)
}

// TestWebGraphRoundTrip exports with all sorts of parameters and imports again.
func TestWebGraphRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		g, err := store(dir, sourceOf(webLike(r, rapid.IntRange(0, 200).Draw(t, "pages"), 8)))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		p := bv.Params{
			Window: rapid.IntRange(0, 31).Draw(t, "window"), MaxRef: rapid.IntRange(0, 9).Draw(t, "references"),
			MinInterval: rapid.SampledFrom([]int{0, 2, 3, 4, 9}).Draw(t, "interval"), ZetaK: rapid.IntRange(1, 11).Draw(t, "k"),
		}
		base := filepath.Join(dir, "out")
		if err := g.ExportBV(context.Background(), base, p, nil); err != nil {
			t.Fatal(err)
		}
		again, err := importBV(base)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if err := sameGraph(g, again); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
	})
}

// exported writes a web-like graph as WebGraph files and returns their base name.
func exported(t testing.TB) (base string) {
	t.Helper()
	g, err := store(t.TempDir(), sourceOf(webLike(rand.New(rand.NewPCG(6, 6)), 5000, 8)))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	base = filepath.Join(t.TempDir(), "web")
	if err := g.ExportBV(context.Background(), base, bv.Params{Window: 7, MaxRef: 3, MinInterval: 3, ZetaK: 3}, nil); err != nil {
		t.Fatal(err)
	}
	return base
}

// TestWrongProperties gives properties to a .graph file that are not its own:
// whichever is wrong, no wrong links come out of it.
func TestWrongProperties(t *testing.T) {
	bases := []string{exported(t)}
	if name, ok := data.File("cnr-2000", "original", "cnr-2000.graph"); ok && !testing.Short() {
		bases = append(bases, strings.TrimSuffix(name, ".graph"))
	}
	for _, original := range bases {
		right := readProperties(t, original)
		base := filepath.Join(t.TempDir(), "wrong")
		if err := os.Symlink(original+".graph", base+".graph"); err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string]func(*bv.Properties){
			"window 0":   func(p *bv.Properties) { p.Params.Window = 0 },
			"window 1":   func(p *bv.Properties) { p.Params.Window = 1 },
			"window 6":   func(p *bv.Properties) { p.Params.Window = 6 },
			"zeta 2":     func(p *bv.Properties) { p.Params.ZetaK = 2 },
			"zeta 4":     func(p *bv.Properties) { p.Params.ZetaK = 4 },
			"interval 0": func(p *bv.Properties) { p.Params.MinInterval = 0 },
			"interval 2": func(p *bv.Properties) { p.Params.MinInterval = 2 },
			"interval 4": func(p *bv.Properties) { p.Params.MinInterval = 4 },
			"nodes - 1":  func(p *bv.Properties) { p.Nodes-- },
			"nodes + 1":  func(p *bv.Properties) { p.Nodes++ },
			"nodes * 2":  func(p *bv.Properties) { p.Nodes *= 2 },
			"nodes 0":    func(p *bv.Properties) { p.Nodes = 0 },
			"arcs - 1":   func(p *bv.Properties) { p.Arcs-- },
			"arcs + 1":   func(p *bv.Properties) { p.Arcs++ },
			"arcs 0":     func(p *bv.Properties) { p.Arcs = 0 },
		} {
			wrong := right
			change(&wrong)
			err := importWith(t, base, wrong)
			if err == nil {
				t.Errorf("%s: imported", name)
				continue
			}
			if !strings.Contains(err.Error(), base+".graph: ") || !regexp.MustCompile(`byte \d+|properties say \d+`).MatchString(err.Error()) {
				t.Errorf("%s: error %q names no file or no place", name, err)
			}
			if left := leftovers(t, filepath.Dir(base), "wrong.graph", "wrong.properties"); left != nil {
				t.Errorf("%s: left behind: %v", name, left)
			}
		}
	}
}

func readProperties(t testing.TB, base string) bv.Properties {
	t.Helper()
	text, err := os.ReadFile(base + ".properties")
	if err != nil {
		t.Fatal(err)
	}
	p, err := bv.ParseProperties(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// importWith writes properties to base.properties and imports.
func importWith(t testing.TB, base string, p bv.Properties) error {
	t.Helper()
	if err := os.WriteFile(base+".properties", p.Format(0), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := importBV(base)
	if err == nil {
		g.Close()
		os.Remove(g.Path())
	}
	return err
}

// TestHarmlessProperties: a longer window than was used, and any length of chains,
// change nothing for a reader.
func TestHarmlessProperties(t *testing.T) {
	base := exported(t)
	right, err := importBV(base)
	if err != nil {
		t.Fatal(err)
	}
	defer right.Close()
	for _, change := range []func(*bv.Params){
		func(p *bv.Params) { p.Window = 31 },
		func(p *bv.Params) { p.MaxRef = 0 },
		func(p *bv.Params) { p.MaxRef = 1<<31 - 1 },
	} {
		p := readProperties(t, base)
		change(&p.Params)
		other := filepath.Join(t.TempDir(), "other")
		if err := errors.Join(os.Symlink(base+".graph", other+".graph"), os.WriteFile(other+".properties", p.Format(0), 0o666)); err != nil {
			t.Fatal(err)
		}
		g, err := importBV(other)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if err := sameGraph(right, g); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		g.Close()
	}
}

// TestBadWebGraphFiles: cut, prolonged, absent, and not for us.
func TestBadWebGraphFiles(t *testing.T) {
	sound := exported(t)
	bits, err := os.ReadFile(sound + ".graph")
	if err != nil {
		t.Fatal(err)
	}
	props := readProperties(t, sound)
	flags := bytes.Replace(props.Format(0), []byte("compressionflags="), []byte("compressionflags=RESIDUALS_GOLOMB"), 1)
	huge := props
	huge.Nodes = 1<<32 - 1
	urls := filepath.Join(t.TempDir(), "urls")
	if err := os.WriteFile(urls, []byte("a\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bits, props []byte
		change      func(*ImportOptions)
		want        []string
	}{
		"cut":           {bits: bits[:len(bits)/2], props: props.Format(0), want: []string{"BASE.graph: ", "byte"}},
		"cut by a byte": {bits: bits[:len(bits)-1], props: props.Format(0), want: []string{"BASE.graph: ", "byte"}},
		"empty":         {bits: []byte{}, props: props.Format(0), want: []string{"BASE.graph: ", "byte 0"}},
		"a byte more":   {bits: append(bytes.Clone(bits), 0), props: props.Format(0), want: []string{"BASE.graph: ", fmt.Sprintf("byte %d", len(bits)+1)}},
		"no graph":      {props: props.Format(0), want: []string{"BASE.graph", "no such file"}},
		"no properties": {bits: bits, want: []string{"BASE.properties", "no such file"}},
		"no key":        {bits: bits, props: []byte("#\nxyz\n"), want: []string{"BASE.properties: line 2"}},
		"other codes":   {bits: bits, props: flags, want: []string{"BASE.properties: compression flag RESIDUALS_GOLOMB"}},
		"huge":          {bits: bits, props: huge.Format(0), want: []string{"BASE.properties: 4294967295 pages need"}},
		"few URLs":      {bits: bits, props: props.Format(0), change: func(o *ImportOptions) { o.URLs = urls }, want: []string{urls + " has 2 lines", "BASE.properties says 5000 nodes"}},
		"with nodes":    {bits: bits, props: props.Format(0), change: func(o *ImportOptions) { o.Nodes = urls }, want: []string{"WebGraph file"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "bad")
			for ext, b := range map[string][]byte{".graph": c.bits, ".properties": c.props} {
				if b != nil {
					if err := os.WriteFile(base+ext, b, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			if c.change == nil {
				c.change = func(*ImportOptions) {}
			}
			_, err := importBV(base, c.change)
			if err == nil {
				t.Fatal("imported")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), strings.ReplaceAll(want, "BASE", base)) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
			if left := leftovers(t, filepath.Dir(base), "bad.graph", "bad.properties"); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestWebGraphNames: URLs and sites go with a WebGraph file too.
func TestWebGraphNames(t *testing.T) {
	base := exported(t)
	urls := filepath.Join(t.TempDir(), "urls")
	if err := os.WriteFile(urls, []byte(strings.Repeat("http://a/\nhttp://b/\n", 2500)), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := importBV(base, func(o *ImportOptions) { o.URLs = urls })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.Sites() != 2 || g.Card().RepeatedURLs != 4998 || g.URL(4999) != "http://b/" || g.Card().Source != "web urls" {
		t.Errorf("%d sites, card %+v", g.Sites(), g.Card())
	}
}

// TestMapPadded has files that end anywhere in a page of memory.
func TestMapPadded(t *testing.T) {
	page := os.Getpagesize()
	for _, size := range []int{0, 1, page - bv.Padding - 1, page - bv.Padding, page - bv.Padding + 1, page - 1, page, page + 1, 3 * page} {
		want := bytes.Repeat([]byte{0xa5}, size)
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
		b, done, err := mapPadded(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, append(want, make([]byte, bv.Padding)...)) {
			t.Errorf("%d bytes: read %d, or others", size, len(b))
		}
		done()
	}
	if _, _, err := mapPadded(t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}

// TestExportFails leaves no file of an export that failed, and those of an earlier
// one alone.
func TestExportFails(t *testing.T) {
	src := sourceOf(webLike(rand.New(rand.NewPCG(7, 7)), 9000, 3))
	for p := range src.Pages {
		src.IDs = append(src.IDs, uint32(2*p))
	}
	g, err := store(t.TempDir(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ours := errors.New("enough")
	stop := func(at int64) func(done, total int64) error {
		return func(done, total int64) error {
			if done >= at {
				return ours
			}
			return nil
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, export := range map[string]func(base string) error{
		"at once":    func(base string) error { return g.ExportBV(context.Background(), base, bv.Default, stop(0)) },
		"later":      func(base string) error { return g.ExportBV(context.Background(), base, bv.Default, stop(8000)) },
		"cancelled":  func(base string) error { return g.ExportBV(ctx, base, bv.Default, nil) },
		"parameters": func(base string) error { return g.ExportBV(context.Background(), base, bv.Params{ZetaK: 99}, nil) },
		"nowhere":    func(base string) error { return g.ExportBV(context.Background(), base+"/x/y", bv.Default, nil) },
	} {
		dir := t.TempDir()
		older := []string{"g.graph", "g.offsets", "g.ids", "g.properties"}
		for _, f := range older {
			if err := os.WriteFile(filepath.Join(dir, f), []byte("older"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := export(filepath.Join(dir, "g")); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left := leftovers(t, dir, older...); left != nil {
			t.Errorf("%s: left behind: %v", name, left)
		}
		for _, f := range older {
			if b, err := os.ReadFile(filepath.Join(dir, f)); string(b) != "older" {
				t.Errorf("%s: the older %s has changed: %v", name, f, err)
			}
		}
	}
	for _, ext := range []string{".graph", ".offsets", ".ids", ".properties"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "g"+ext), 0o777); err != nil {
			t.Fatal(err)
		}
		err := g.ExportBV(context.Background(), filepath.Join(dir, "g"), bv.Default, nil)
		if err == nil || !strings.Contains(err.Error(), "g"+ext) {
			t.Errorf("a directory at %s: %v", ext, err)
		}
		if left := leftovers(t, dir, "g"+ext); left != nil {
			t.Errorf("a directory at %s: left behind: %v", ext, left)
		}
	}
	if err := g.ExportEdges(ctx, &bytes.Buffer{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("edges, cancelled: %v", err)
	}
	if err := g.ExportEdges(context.Background(), &bytes.Buffer{}, stop(8000)); !errors.Is(err, ours) {
		t.Errorf("edges, stopped: %v", err)
	}
	if err := g.ExportEdges(context.Background(), &fullDisk{n: 1000}, nil); err == nil {
		t.Error("edges to a full disk: no error")
	}
}

// TestExportIDs: the original ids are one of the files of an export; those of an
// earlier one do not stay beside a graph that has none.
func TestExportIDs(t *testing.T) {
	dense, sparse := sourceOf([][]Page{{1}, {2}, {0, 1}}), sourceOf([][]Page{{1}, {2}, {0, 1}})
	sparse.IDs = []uint32{3, 70, 4_000_000_000}
	dir := t.TempDir()
	files := []string{"g.graph", "g.offsets", "g.properties"}
	for _, c := range []struct {
		src Source
		ids string
	}{{sparse, "3\n70\n4000000000\n"}, {dense, ""}} {
		g, err := store(t.TempDir(), c.src)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if err := g.ExportBV(context.Background(), filepath.Join(dir, "g"), bv.Default, nil); err != nil {
			t.Fatal(err)
		}
		ids, err := os.ReadFile(filepath.Join(dir, "g.ids"))
		if string(ids) != c.ids || (err == nil) != (c.ids != "") {
			t.Errorf("ids %q, %v; want %q", ids, err, c.ids)
		}
		if left := leftovers(t, dir, append(files, "g.ids")...); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
}

// TestTwoExports to the same name: the second is refused and removes nothing of the
// first. What a killed process left is in nobody's way.
func TestTwoExports(t *testing.T) {
	g, err := store(t.TempDir(), sourceOf([][]Page{{1}, {2}, {0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	dir := t.TempDir()
	base := filepath.Join(dir, "g")
	stale := filepath.Join(dir, ".g.properties.partial")
	if err := os.WriteFile(stale, bytes.Repeat([]byte("stale=1\n"), 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	asked := false
	err = g.ExportBV(context.Background(), base, bv.Default, func(int64, int64) error {
		asked = true
		err := g.ExportBV(context.Background(), base, bv.Default, nil)
		if err == nil || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), base+".graph") {
			t.Errorf("the second export: %v", err)
		}
		return nil
	})
	if err != nil || !asked {
		t.Fatal(asked, err)
	}
	if left := leftovers(t, dir, "g.graph", "g.offsets", "g.properties"); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if props, err := os.ReadFile(base + ".properties"); err != nil || bytes.Contains(props, []byte("stale")) {
		t.Errorf("properties %q, %v", props, err)
	}
}

// TestPublishFails: a file that cannot get its name takes the others along.
func TestPublishFails(t *testing.T) {
	dir := t.TempDir()
	s := &fileSet{base: filepath.Join(dir, "g")}
	for _, ext := range []string{".a", ".b", ".c"} {
		if err := s.create(ext, func(w io.Writer) error { _, err := io.WriteString(w, ext); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(s.base+".b", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.publish(".a", ".b"); err == nil {
		t.Error("a file has replaced a directory")
	}
	s.close()
	if left := leftovers(t, dir, "g.b"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
