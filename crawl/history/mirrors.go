package history

import (
	"fmt"
	"os"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// Mirrors returns the sites that were found to mirror others, by the number of the record
// after which they were. It calls State. If there are any, it reads the journal and keeps a
// second state meanwhile.
func (c *Crawl) Mirrors() (map[uint64][]graph.Site, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	var left []graph.Site
	for i := range graph.Site(c.Sites()) {
		if s.Frontier.SiteDiscounted(i) {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	found := map[uint64][]graph.Site{}
	err = c.Refold(nil, func(s *state.State, r *journal.Record) {
		if r.Event.Kind != event.Done {
			return
		}
		left = slices.DeleteFunc(left, func(id graph.Site) bool {
			is := s.Frontier.SiteDiscounted(id)
			if is {
				found[r.Seq] = append(found[r.Seq], id)
			}
			return is
		})
	})
	return found, err
}

// Refold makes a state again from the whole journal, and calls functions before and after each
// record; nil means none. The policy is not that of the crawl: it decides nothing on replay.
func (c *Crawl) Refold(before, after func(*state.State, *journal.Record)) error {
	conf, err := c.Config()
	if err != nil {
		return err
	}
	plain := *conf
	plain.Policy, plain.SitePolicy, plain.Score = "breadth-first", "", ""
	set, err := c.setupFor(&plain)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "winnow-read-")
	if err != nil {
		return fmt.Errorf("make a place for the URLs: %w", err)
	}
	defer os.RemoveAll(temp)
	p := c.parts
	p.Urls = disk.OS(temp)
	s, err := state.Empty(&p, set)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.EachGroup(func(r *journal.Record) error {
		if before != nil {
			before(s, r)
		}
		if err := s.Replay(r); err != nil {
			return err
		}
		if after != nil {
			after(s, r)
		}
		return nil
	}, s.Settled)
}
