package policytest

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/score"
)

// TestScoreIsPolicy compares the policy score with policies that order by a single term: it must
// fetch the same pages in the same order (M23, O22).
func TestScoreIsPolicy(t *testing.T) {
	for expression, name := range map[string]string{
		"backlinks": "backlink-count", "3*backlinks + 1": "backlink-count",
		"cash": "opic", "location": "location", "0": "breadth-first", "1/0": "breadth-first",
		"parent_similarity + anchor_similarity + url_similarity":                  "best-first",
		"0 + (anchor_similarity + url_similarity > 0 or (hot_distance ?? 9) < 3)": "two-queue",
		"0 + (anchor_similarity + url_similarity > 0)":                            "two-queue/near=0",
	} {
		f, err := score.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			w := NewWorld(200+seed, 100)
			w.Score = f
			got, want := crawl(t, w, Settings()[0], "score", ""), crawl(t, w, Settings()[0], name, "")
			if !slices.Equal(got.Visits, want.Visits) {
				t.Errorf("world %d: score %s differs from %s", seed, expression, name)
			}
		}
	}
}

// TestScoreMixed mixes the policy score with another.
func TestScoreMixed(t *testing.T) {
	w := NewWorld(7, 100)
	w.Score, _ = score.Compile("backlinks")
	got, want := crawl(t, w, Settings()[0], "mix:score+opic", ""), crawl(t, w, Settings()[0], "mix:backlink-count+opic", "")
	if !slices.Equal(got.Visits, want.Visits) {
		t.Error("mix:score+opic by backlinks differs from mix:backlink-count+opic")
	}
	checkSaved(t, crawl(t, w, Settings()[2], "mix:score+opic", ""))
}
