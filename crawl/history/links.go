package history

import (
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// EachLink reads the journal and calls fn for each link of each visit of a page, in order,
// until fn returns an error. The anchor is zero where none was recorded.
func (c *Crawl) EachLink(fn func(from, to graph.Page, a event.Anchor) error) error {
	return c.Each(func(r *journal.Record) error {
		e := &r.Event
		for i, to := range e.Links {
			var a event.Anchor
			if len(e.Anchors) > 0 {
				a = e.Anchors[i]
			}
			if err := fn(e.Page, to, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// A LinkInfo describes a link. winnow pages --links prints its JSON form.
type LinkInfo struct {
	From   string   `json:"from"`   // URL of the page that has it
	To     string   `json:"to"`     // URL of the page that it leads to
	Region string   `json:"region"` // content, navigation, footer or other
	Words  []uint16 `json:"words"`  // hashes of the first words of its anchor
}

// Hashes returns the words as hexadecimal numbers, "-" if there are none.
func (x *LinkInfo) Hashes() string {
	if len(x.Words) == 0 {
		return "-"
	}
	return strings.Trim(fmt.Sprintf("%04x", x.Words), "[]")
}

// Links calls fn for the links of the selected pages, in the order in which they were found,
// until fn returns an error. The state that a filter selects is that of the target, the limit
// is one of links. It calls State and reads the journal.
func (c *Crawl) Links(f *PageFilter, fn func(*LinkInfo) error) error {
	s, err := c.State()
	if err != nil {
		return err
	}
	sites, err := c.sitesOf(s, f.Site)
	if err != nil {
		return err
	}
	each := upTo(f.Limit)
	err = c.EachLink(func(from, to graph.Page, a event.Anchor) error {
		if f.State != "" && f.State != stateName(s.Frontier.State(to)) || sites != nil && !sites[s.Frontier.Site(from)] {
			return nil
		}
		x := &LinkInfo{string(s.AppendURL(nil, from)), string(s.AppendURL(nil, to)), a.Region.String(), a.Words[:a.Words.Len()]}
		if s.Err != nil {
			return explain(c.Path, s.Err)
		}
		return each(fn(x))
	})
	return unlessEnough(err)
}
