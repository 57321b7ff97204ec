package graph

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// lists are the files of an import by the name of their option: "edges", "urls",
// "nodes", "sites", "fetched".
type lists map[string]string

// importIn writes the lists into dir, imports them to dir/g.wg and opens that.
func importIn(dir string, in lists, change ...func(*ImportOptions)) (*Graph, ImportReport, error) {
	o, err := in.options(dir)
	if err != nil {
		return nil, ImportReport{}, err
	}
	for _, c := range change {
		c(&o)
	}
	report, err := Import(context.Background(), o)
	if err != nil {
		return nil, report, err
	}
	g, err := Open(o.Path)
	return g, report, err
}

func (in lists) options(dir string) (ImportOptions, error) {
	o := ImportOptions{WriteOptions: WriteOptions{Path: filepath.Join(dir, "g.wg")}}
	to := map[string]*string{"edges": &o.Edges, "urls": &o.URLs, "nodes": &o.Nodes, "sites": &o.Sites, "fetched": &o.Fetched}
	for name, text := range in {
		*to[name] = filepath.Join(dir, name)
		os.Remove(*to[name]) // to write over it would wait for the disk on some file systems
		if err := os.WriteFile(*to[name], []byte(text), 0o666); err != nil {
			return o, err
		}
	}
	return o, nil
}

// mustImport is importIn for lists that are good.
func mustImport(t testing.TB, in lists, change ...func(*ImportOptions)) (*Graph, ImportReport) {
	t.Helper()
	g, report, err := importIn(t.TempDir(), in, change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g, report
}

// edgesOf is what an export gives.
func edgesOf(t testing.TB, g *Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.ExportEdges(context.Background(), &b, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sourceOf is lists in memory as a Source.
func sourceOf(links [][]Page) Source {
	return Source{Pages: len(links), Lists: func(emit func(Page, []Page) error) error {
		for p, list := range links {
			if err := emit(Page(p), list); err != nil {
				return err
			}
		}
		return nil
	}}
}

// store writes a source and opens the file.
func store(dir string, src Source) (*Graph, error) {
	path := filepath.Join(dir, "g.wg")
	if err := Write(context.Background(), src, WriteOptions{Path: path}); err != nil {
		return nil, err
	}
	return Open(path)
}

// fileBytes writes a source and returns the file.
func fileBytes(t testing.TB, src Source, o WriteOptions) []byte {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "g.wg")
	if err := Write(context.Background(), src, o); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// webLike makes lists with self-links, runs, near and far links and lists like the
// one before.
func webLike(r *rand.Rand, pages, degree int) [][]Page {
	links := make([][]Page, pages)
	for p := range links {
		var l []Page
		if p > 0 && r.IntN(2) == 0 {
			l = append(l, links[p-1]...)
		}
		for range r.IntN(degree + 1) {
			q := r.IntN(pages)
			if r.IntN(3) > 0 {
				q = (p + r.IntN(20)) % pages
			}
			l = append(l, Page(q))
		}
		if r.IntN(4) == 0 {
			for q := p; q < min(p+r.IntN(9), pages); q++ {
				l = append(l, Page(q))
			}
		}
		slices.Sort(l)
		l = slices.Compact(l)
		links[p] = l[:min(len(l), 4*degree)]
	}
	return links
}

// transpose is the naive one.
func transpose(links [][]Page) [][]Page {
	back := make([][]Page, len(links))
	for p, l := range links {
		for _, q := range l {
			back[q] = append(back[q], Page(p))
		}
	}
	return back
}

func count(links [][]Page) (n int64) {
	for _, l := range links {
		n += int64(len(l))
	}
	return n
}

// each gives texts to a Source.
func each(texts []string) func(emit func([]byte) error) error {
	return func(emit func([]byte) error) error {
		for _, s := range texts {
			if err := emit([]byte(s)); err != nil {
				return err
			}
		}
		return nil
	}
}

// leftovers are the files of a directory apart from those named.
func leftovers(t testing.TB, dir string, but ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !slices.Contains(but, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// SitePages is the pages of a site, ascending. It must not be changed.
func (g *Graph) SitePages(s Site) []Page {
	if g.siteOf == nil {
		return []Page{Page(s)}
	}
	return g.bySite[g.starts[s]:g.starts[s+1]]
}

// Links returns the number of links.
func (l *Links) Links() int64 { return l.links }
