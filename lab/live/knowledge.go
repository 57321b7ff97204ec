package live

import (
	"context"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/internal/show"
)

// Knowledge says of what a crawl knows how much it is and how old. Ranks of it are the IR' of
// Cho, Garcia-Molina and Page 1998, section 2.3: PageRank of the pages so far.
type Knowledge struct {
	Known   int       `json:"known"`
	Fetched int       `json:"fetched"`
	AsOf    time.Time `json:"as_of"` // of the last record on disk
	Age     float64   `json:"age_seconds"`
	Running bool      `json:"running"`
}

// OpenKnown does what OpenWorld does, and returns how much the crawl knows at an instant.
func OpenKnown(ctx context.Context, path string, o WorldOptions, now time.Time) (*World, *Knowledge, error) {
	w, err := OpenWorld(ctx, path, o)
	if err != nil {
		return nil, nil, err
	}
	k, err := w.Knowledge(now)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, k, nil
}

// Knowledge returns how much the crawl of a world knows, and how old that is at an instant.
func (w *World) Knowledge(now time.Time) (*Knowledge, error) {
	sessions, err := w.Crawl.Sessions()
	if err != nil {
		return nil, err
	}
	last := sessions[len(sessions)-1]
	at := last.Wall.Add(w.Trail.Duration - last.At)
	return &Knowledge{
		Known: w.Graph.Pages(), Fetched: w.Graph.FetchedPages(), AsOf: at,
		Age: max(0, now.Sub(at).Seconds()), Running: w.Crawl.Running,
	}, nil
}

// String returns a sentence for users.
func (k *Knowledge) String() string {
	state := "the crawl does not run"
	if k.Running {
		state = "the crawl is running"
	}
	return fmt.Sprintf("of %s and %s that are only known, as of %s, %s ago; %s", show.Counted(k.Fetched, "fetched page"), show.Grouped(int64(k.Known-k.Fetched)),
		k.AsOf.UTC().Format(time.RFC3339), show.Duration(time.Duration(k.Age*float64(time.Second))), state)
}
