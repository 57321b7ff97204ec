package graphs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/pagelist"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// Names of seed sets that are not files.
const (
	SeedsHomes  = "homes"
	SeedsBest   = "best"
	SeedsRandom = "random:" // and how many
)

// ChooseStart does what ChooseSeeds does, but also accepts random:N: pages drawn at random.
func ChooseStart(ctx context.Context, u *console.UI, g *graph.Graph, value string, random uint64) ([]graph.Page, string, error) {
	if number, ok := strings.CutPrefix(value, SeedsRandom); ok {
		n := show.Number(0)
		if err := n.Set(number); err != nil {
			return nil, "", console.WithHint(console.Usagef("--seeds random:N: %w", err), "try: %s", u.WithFlag("--seeds", SeedsRandom+strconv.Itoa(min(10, g.FetchedPages()))))
		}
		if most := g.FetchedPages(); int64(n) > int64(most) {
			return nil, "", console.WithHint(fmt.Errorf("--seeds %s: %s has only %s", value, g.Path(), show.Counted(int64(most), "page")),
				"try: %s", u.WithFlag("--seeds", SeedsRandom+strconv.Itoa(most)))
		}
		return lab.FetchedSeeds(g, int(n), random, 0), value, nil
	}
	seeds, name, err := ChooseSeeds(ctx, u, g, value)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", console.WithHint(err, "--seeds takes homes, best, random:N or a file with URLs or ids")
	}
	if file := !slices.Contains([]string{"", SeedsHomes, SeedsBest}, value); file && err != nil {
		err = hintSeeds(u, g, fmt.Errorf("--seeds: %w", err))
	}
	return seeds, name, err
}

// hintSeeds proposes seeds that every graph has for a file that does not fit it.
func hintSeeds(u *console.UI, g *graph.Graph, err error) error {
	var hinted *hint.Error
	if errors.As(err, &hinted) {
		return err
	}
	instead := SeedsBest
	if g.HasURLs() {
		instead = SeedsHomes
	}
	return console.WithHint(err, "seeds are pages of the graph, one URL or id a line; to do without the file try: %s", u.WithFlag("--seeds", instead))
}

// ChooseSeeds finds the pages that a value of --seeds means: homes, best, or a file
// of URLs or ids; "" is homes where there are URLs, else best. It returns the name
// of what was chosen too.
func ChooseSeeds(ctx context.Context, u *console.UI, g *graph.Graph, value string) (seeds []graph.Page, name string, err error) {
	if value == "" {
		value = SeedsBest
		if g.HasURLs() {
			value = SeedsHomes
		}
	}
	switch value {
	case SeedsHomes:
		if !g.HasURLs() {
			return nil, "", console.WithHint(fmt.Errorf("--seeds homes: the URLs of %s are not known", g.Path()), "try: %s", u.WithFlag("--seeds", SeedsBest))
		}
		seeds, err = lab.Homes(ctx, g)
	case SeedsBest:
		seeds, err = lab.Best(ctx, g)
	default:
		seeds, err = pagelist.Seeds(g, value)
	}
	return seeds, value, err
}
