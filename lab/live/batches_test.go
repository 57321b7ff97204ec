package live

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// TestByBatch has a crawl in batches: what they bring sums up to everything, the graph of the crawl
// says how it was gathered and how large pages are, and its age is told.
func TestByBatch(t *testing.T) {
	spec := fakeweb.Spec{Pages: 150, Sites: 8, Links: 1200, Seed: 7}
	_, dir, sum := crawledAs(t, spec, spec.Sites, answer.Options{}, func(c *config.Config) {
		c.Commit, c.Batch, c.BatchMode, c.Policy = config.Seconds(60), 40, "thesis", "larger-sites-first"
	})
	r := mustRead(t, dir)
	s, ok := r.byBatch()
	if !ok || len(s.Table.Rows) != (int(sum.Fetched)+39)/40 {
		t.Fatalf("%d batches of %d pages", len(s.Table.Rows), sum.Fetched)
	}
	importance, pages, last := 0.0, 0.0, s.Table.Rows[len(s.Table.Rows)-1]
	for _, row := range s.Table.Rows {
		pages += row[1].Value()
		importance += row[4].Value()
	}
	if pages != float64(sum.Fetched) || math.Abs(importance-100) > 0.5 || last[3].Value() != 100 || math.Abs(last[5].Value()-100) > 0.1 {
		t.Errorf("batches of %v pages have %v %% of the importance, and the last row is %v", pages, importance, last)
	}
	depths, err := r.bySiteDepth()
	if err != nil || depths[0].Table.Rows[0][1].Value() != 8 {
		t.Errorf("%v; pages at depth 0: %v", err, depths[0].Table.Rows[0])
	}
	testOrigin(t, r)
}

func testOrigin(t *testing.T, r *Report) {
	origin := r.w.Graph.Card().Origin
	for _, want := range []string{"crawled by winnow", "policy larger-sites-first", "seeds http", "pages fetched"} {
		if !strings.Contains(origin, want) {
			t.Errorf("the origin %q does not have %q", origin, want)
		}
	}
	bytes := int64(0)
	for _, v := range r.w.Trail.Visits {
		p, _ := r.w.page(v.Page)
		if got := r.w.Graph.Size(p); got != v.Bytes {
			t.Fatalf("page %d has %d bytes in the graph and %d in the crawl", p, got, v.Bytes)
		}
		bytes += v.Bytes
	}
	if bytes == 0 {
		t.Error("no page has a size")
	}
}

// TestKnowledge has a crawl whose last record is an hour old.
func TestKnowledge(t *testing.T) {
	_, dir, sum := crawled(t, answer.Options{}, 50)
	r := mustRead(t, dir)
	k, err := r.w.Knowledge(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	k, err = r.w.Knowledge(k.AsOf.Add(time.Hour))
	if err != nil || k.Age != 3600 || k.Running || k.Fetched != int(sum.Fetched) || k.Known != int(sum.Known) {
		t.Errorf("%+v, %v", k, err)
	}
	if text := k.String(); !strings.Contains(text, "1h") || !strings.Contains(text, "50 fetched pages") {
		t.Error(text)
	}
}
