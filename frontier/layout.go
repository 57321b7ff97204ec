package frontier

import (
	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// layoutVersion is the format of what Save writes.
//
//	1: the frontier of the laboratory
//	2: hops, twins, sitemaps, bars, revisits, rates
//	3: discounts; of sites only values of their own, of places only whether there is one
//	4: how pages failed, what sites have taught of their pace
//	5: depths of 16 bits
const layoutVersion = 6

// maxLayout is the most bytes that a layout may have.
const maxLayout = 1 << 12

// Layout says on what the columns of a saved state depend: the policies with their
// parameters, the mode, whether links are kept, depths are exact and sites have twins. Limits and delays
// are not among it, so they may change between a Save and the Load of it.
func (f *Frontier) Layout() string { return f.layout }

func layoutOf(o *Options, links bool, choices []*policy.Choice) string {
	parts := []string{fmt.Sprintf("frontier %d", layoutVersion), o.Mode.String()}
	for _, c := range choices {
		name := c.Spec.Name
		for _, p := range c.Spec.Params {
			if v, ok := c.Params[p.Name]; ok {
				name += "/" + p.Name + "=" + v
			}
		}
		parts = append(parts, name)
	}
	if links {
		parts = append(parts, "links")
	}
	if o.Depths {
		parts = append(parts, "depths")
	}
	if o.Twin != nil {
		parts = append(parts, "twins")
	}
	return strings.Join(parts, ", ")
}

// layoutColumn is the layout as a column, which comes first.
func (f *Frontier) layoutColumn() *graph.Column[uint8] {
	c := graph.NewColumn[uint8]("frontier layout", maxLayout)
	c.Grow(len(f.layout))
	copy(c.Slice(), f.layout)
	return c
}

// loadLayout refuses what was saved with another layout.
func (f *Frontier) loadLayout(r io.Reader) error {
	c := graph.NewColumn[uint8]("frontier layout", maxLayout)
	defer c.Free()
	if err := c.Load(r); err != nil {
		return fmt.Errorf("load frontier: %w", err)
	}
	if saved := string(c.Slice()); saved != f.layout {
		return fmt.Errorf("load frontier: it was saved as %q, this one is %q", saved, f.layout)
	}
	return nil
}
