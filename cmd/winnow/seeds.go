package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// Names of seed sets that are not files.
const (
	seedsHomes  = "homes"
	seedsBest   = "best"
	seedsRandom = "random:" // and how many
)

// chooseStart is like chooseSeeds, but also accepts random:N: pages drawn at random.
func chooseStart(ctx context.Context, u *ui, g *graph.Graph, value string, random uint64) ([]graph.Page, string, error) {
	if number, ok := strings.CutPrefix(value, seedsRandom); ok {
		n := show.Number(0)
		if err := n.Set(number); err != nil {
			return nil, "", withHint(usagef("--seeds random:N: %w", err), "try: %s", u.withFlag("--seeds", seedsRandom+strconv.Itoa(min(10, g.Pages()))))
		}
		if int64(n) > int64(g.Pages()) {
			return nil, "", withHint(fmt.Errorf("--seeds %s: %s has only %s", value, g.Path(), show.Counted(int64(g.Pages()), "page")),
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
	var hinted *hint.Error
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
		seeds, err = lab.Homes(ctx, g)
	case seedsBest:
		seeds, err = lab.Best(ctx, g)
	default:
		seeds, err = readSeeds(g, value)
	}
	return seeds, value, err
}

// readSeeds reads URLs or ids, one per line; empty lines and those that begin with #
// are skipped, and a page counts once, where it is named first.
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

// pageOf returns the page that a line of a list names by its URL or its id.
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
