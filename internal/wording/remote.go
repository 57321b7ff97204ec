package wording

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/internal/show"
)

// Remote says in a few words how many WARC files are in a store, how many wait, and why. The first
// one has their number only.
func Remote(s *remote.Status) []string {
	parts := []string{show.Grouped(s.Files), "WARC files in " + s.Place + ", " + show.Bytes(s.Bytes)}
	if s.Place == "" { // of a crawl that sends no more
		parts[1] = "WARC files in a store, " + show.Bytes(s.Bytes)
	}
	if s.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("%s here, %s", show.Grouped(s.Waiting)+" waiting", show.Bytes(s.Size)))
	}
	if s.Error != "" {
		parts = append(parts, "sending fails: "+s.Error)
	}
	return parts
}
