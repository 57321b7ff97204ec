package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/graph"
)

// origin says in words how the pages of a crawl were gathered, because a graph is biased by the
// policy that gathered it: the policies of its sessions, its seeds and its dates.
func (c *Crawl) origin(s *state.State) (string, error) {
	sessions, err := c.Sessions()
	if err != nil || len(sessions) == 0 {
		return "", err
	}
	trail, err := c.Trail()
	if err != nil {
		return "", err
	}
	first, last := sessions[0], sessions[len(sessions)-1]
	day := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	return fmt.Sprintf("crawled by %s from %s to %s; policy %s; %s; %d of %d known pages fetched", cmpVersion(first.Version), day(first.Wall), day(last.Wall.Add(trail.Duration-last.At)),
		policiesOf(sessions), c.seedsOf(s, trail.Seeds), len(trail.Visits), c.Known()), nil
}

// cmpVersion returns the program with its version, if that was recorded.
func cmpVersion(version string) string {
	return strings.TrimSpace("winnow " + strings.TrimPrefix(version, "winnow "))
}

// policiesOf lists the policies of the sessions in their order, each once for sessions in a row.
func policiesOf(sessions []Session) string {
	var names []string
	for _, x := range sessions {
		name := x.Policy
		if x.SitePolicy != "" && x.SitePolicy != x.Policy {
			name += " (sites: " + x.SitePolicy + ")"
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", then ")
}

// seedsNamed is the number of seeds that an origin names.
const seedsNamed = 3

// seedsOf names the first seeds, and counts the others.
func (c *Crawl) seedsOf(s *state.State, seeds []graph.Page) string {
	var names []string
	for _, p := range seeds[:min(len(seeds), seedsNamed)] {
		names = append(names, string(s.AppendURL(nil, p)))
	}
	text := "seeds " + strings.Join(names, ", ")
	if more := len(seeds) - seedsNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
