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

// Layout describes what the columns of a saved state depend on: the policies with their
// parameters, the mode, and whether links are kept, depths are exact and sites have twins.
// It leaves out limits and delays, which may change between Save and Load.
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

// layoutColumn returns a layout as a column, which is saved first.
func layoutColumn(layout string) *graph.Column[uint8] {
	c := graph.NewColumn[uint8]("frontier layout", maxLayout)
	c.Grow(len(layout))
	copy(c.Slice(), layout)
	return c
}

// loadLayout returns an error if the saved layout is another one.
func loadLayout(r io.Reader, layout string) error {
	c := graph.NewColumn[uint8]("frontier layout", maxLayout)
	defer c.Free()
	if err := c.Load(r); err != nil {
		return fmt.Errorf("load frontier: %w", err)
	}
	if saved := string(c.Slice()); saved != layout {
		return fmt.Errorf("load frontier: it was saved as %q, this one is %q", saved, layout)
	}
	return nil
}
