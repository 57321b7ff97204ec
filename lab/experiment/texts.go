package experiment

import (
	"cmp"
	"fmt"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/topical"
)

// The synthetic webs with topics: their number and their sizes.
const (
	TextWorlds   = 2
	textPages    = 20_000
	PagesPerText = 100 // of a site
	LinksPerText = 10  // of a page
)

func (b *Bench) TextSize() int { return cmp.Or(b.TextPages, textPages) }

// TextWorld makes a synthetic web with topics, of which some numbers are given, and reads it for
// one of them. Crawls begin at page 0.
func (b *Bench) TextWorld(spec fakeweb.Spec, number int) (*Place, *topical.World, error) {
	spec.Sites, spec.Links = spec.Pages/PagesPerText, LinksPerText*int64(spec.Pages)
	b.Say(0, 0, "text world %d: reading pages", spec.Seed)
	w, err := topical.Searched(fmt.Sprintf("text world %d", spec.Seed), spec, answer.Options{MinSize: 2000, MaxSize: 20_000}, number, b.Workers())
	if err != nil {
		return nil, nil, err
	}
	return &Place{World: w.World, Seeds: []graph.Page{0}, SeedsName: "page 0"}, w, nil
}
