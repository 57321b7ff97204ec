package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/lab"
)

// Names of seed sets that are not files.
const (
	seedsHomes  = "homes"
	seedsBest   = "best"
	seedsRandom = "random:" // and how many
)

// chooseStart is chooseSeeds for a crawl, which may also start at random:N, pages drawn
// at random.
func chooseStart(ctx context.Context, u *ui, g *graph.Graph, value string, random uint64) ([]graph.Page, string, error) {
	if number, ok := strings.CutPrefix(value, seedsRandom); ok {
		n := count(0)
		if err := n.Set(number); err != nil {
			return nil, "", withHint(usagef("--seeds random:N: %w", err), "try: %s", u.withFlag("--seeds", seedsRandom+strconv.Itoa(min(10, g.Pages()))))
		}
		if int64(n) > int64(g.Pages()) {
			return nil, "", withHint(fmt.Errorf("--seeds %s: %s has only %s", value, g.Path(), counted(int64(g.Pages()), "page")),
				"try: %s", u.withFlag("--seeds", seedsRandom+strconv.Itoa(g.Pages())))
		}
		return lab.RandomSeeds(g.Pages(), int(n), random, 0), value, nil
	}
	seeds, name, err := chooseSeeds(ctx, u, g, value)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", withHint(err, "--seeds takes homes, best, random:N or a file with URLs or ids")
	}
	if file := !slices.Contains([]string{"", seedsHomes, seedsBest}, value); file && err != nil {
		err = hintSeeds(u, g, fmt.Errorf("--seeds: %w", err))
	}
	return seeds, name, err
}

// hintSeeds proposes seeds that every graph has for a file that does not fit it.
func hintSeeds(u *ui, g *graph.Graph, err error) error {
	var hinted *hintedError
	if errors.As(err, &hinted) {
		return err
	}
	instead := seedsBest
	if g.HasURLs() {
		instead = seedsHomes
	}
	return withHint(err, "seeds are pages of the graph, one URL or id a line; to do without the file try: %s", u.withFlag("--seeds", instead))
}

// chooseSeeds finds the pages that a value of --seeds means: homes, best, or a file
// of URLs or ids; "" is homes where there are URLs, else best. It returns the name
// of what was chosen too.
func chooseSeeds(ctx context.Context, u *ui, g *graph.Graph, value string) (seeds []graph.Page, name string, err error) {
	if value == "" {
		value = seedsBest
		if g.HasURLs() {
			value = seedsHomes
		}
	}
	switch value {
	case seedsHomes:
		if !g.HasURLs() {
			return nil, "", withHint(fmt.Errorf("--seeds homes: the URLs of %s are not known", g.Path()), "try: %s", u.withFlag("--seeds", seedsBest))
		}
		seeds, err = homes(ctx, g)
	case seedsBest:
		seeds, err = best(ctx, g)
	default:
		seeds, err = readSeeds(g, value)
	}
	return seeds, value, err
}

// homes is for each site its shortest URL in bytes, the smallest id among equals, in
// ascending id.
func homes(ctx context.Context, g *graph.Graph) ([]graph.Page, error) {
	home := make([]graph.Page, g.Sites())
	length := make([]int, g.Sites())
	for s := range length {
		length[s] = -1
	}
	err := g.EachURL(func(p graph.Page, url []byte) error {
		if s := g.Site(p); length[s] < 0 || len(url) < length[s] {
			home[s], length[s] = p, len(url)
		}
		if p%4096 == 0 {
			return ctx.Err()
		}
		return nil
	})
	slices.Sort(home)
	return home, err
}

// bestOf is the number of pages that best tries: as many as a word has bits.
const bestOf = 64

// best is, among the 64 pages with most out-links, the one that reaches most pages;
// the smallest id among equals, both times. Self-links lead nowhere and do not
// count.
func best(ctx context.Context, g *graph.Graph) ([]graph.Page, error) {
	if g.Pages() == 0 {
		return nil, nil
	}
	sources, err := mostLinks(ctx, g)
	if err != nil {
		return nil, err
	}
	reached, err := reachOfEach(ctx, g, sources)
	if err != nil {
		return nil, err
	}
	at := 0
	for i := range sources {
		if reached[i] > reached[at] || reached[i] == reached[at] && sources[i] < sources[at] {
			at = i
		}
	}
	return sources[at : at+1], nil
}

// mostLinks is the 64 pages with most out-links.
func mostLinks(ctx context.Context, g *graph.Graph) ([]graph.Page, error) {
	type candidate struct {
		page  graph.Page
		links int
	}
	var top []candidate
	order := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.links, a.links), cmp.Compare(a.page, b.page))
	}
	for c := g.Forward().Scan(0, graph.Page(g.Pages())); c.Next(); {
		if c.Page()%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		links := len(c.List())
		if len(top) == bestOf && links <= top[bestOf-1].links {
			continue
		}
		if _, self := slices.BinarySearch(c.List(), c.Page()); self {
			links--
		}
		new := candidate{c.Page(), links}
		at, _ := slices.BinarySearchFunc(top, new, order)
		top = slices.Insert(top, at, new)
		top = top[:min(len(top), bestOf)]
	}
	pages := make([]graph.Page, len(top))
	for i, c := range top {
		pages[i] = c.page
	}
	return pages, nil
}

// reachOfEach is the number of pages that each of at most 64 sources reaches, itself
// included. All are followed at once: a page keeps one bit for each source that
// reaches it and is visited again when bits arrive that it has not handed on yet.
// Most come together, so that this takes a few times the work of one source.
func reachOfEach(ctx context.Context, g *graph.Graph, sources []graph.Page) ([]int64, error) {
	seen := make([]uint64, g.Pages())   // sources known to reach the page
	unsent := make([]uint64, g.Pages()) // those it has yet to hand on
	var queue, next []graph.Page
	for i, p := range sources {
		seen[p] |= 1 << i
		unsent[p] |= 1 << i
		queue = append(queue, p)
	}
	r := g.Forward().Reader()
	for visits := 0; len(queue) > 0; queue, next = next, queue[:0] {
		for _, p := range queue {
			if visits++; visits%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			bits := unsent[p]
			unsent[p] = 0
			for _, q := range r.List(p) {
				fresh := bits &^ seen[q]
				if fresh == 0 {
					continue
				}
				if unsent[q] == 0 {
					next = append(next, q)
				}
				seen[q] |= fresh
				unsent[q] |= fresh
			}
		}
	}
	reached := make([]int64, len(sources))
	for _, mask := range seen {
		for ; mask != 0; mask &= mask - 1 {
			reached[bits.TrailingZeros64(mask)]++
		}
	}
	return reached, nil
}

// readSeeds reads URLs or ids, one per line; empty lines and those that begin with #
// are passed over, and a page counts once, where it is named first.
func readSeeds(g *graph.Graph, name string) ([]graph.Page, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, withHint(err, "--seeds takes homes, best or a file with URLs or ids")
	}
	defer f.Close()
	var seeds []graph.Page
	known := map[graph.Page]bool{}
	err = input.Lines(f, func(_ int, text []byte) error {
		text = bytes.TrimSpace(text)
		if len(text) == 0 || text[0] == '#' {
			return nil
		}
		p, err := pageOf(g, text)
		if err == nil && !known[p] {
			known[p] = true
			seeds = append(seeds, p)
		}
		return err
	})
	if err == nil && len(seeds) == 0 {
		err = withHint(fmt.Errorf("%s: no seed in it", name), "--seeds takes homes, best or a file with URLs or ids")
	}
	return seeds, err
}

// pageOf is the page that a line of a list calls by its URL or its id.
func pageOf(g *graph.Graph, name []byte) (graph.Page, error) {
	if p, ok := g.Lookup(string(name)); ok {
		return p, nil
	}
	id, err := input.ParseID(name)
	if err != nil {
		if g.HasURLs() {
			return 0, fmt.Errorf("no page of %s has the URL %s", g.Path(), input.Quote(name))
		}
		return 0, fmt.Errorf("id %w (the URLs of %s are not known)", err, g.Path())
	}
	if p, ok := g.ByID(id); ok {
		return p, nil
	}
	return 0, fmt.Errorf("no page of %s has the id %d", g.Path(), id)
}
