package policytest

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// TestLoadedBetweenSlices: foresight works in slices, in several stages. A crawl that is
// saved and loaded again and again, in the middle of every stage, has the order and the state
// of one that is not.
func TestLoadedBetweenSlices(t *testing.T) {
	rough := Settings()[2]
	rough.Options.Slice = 2500
	for name, urls := range map[string]bool{"with URLs": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(3, 800)
			if !urls {
				w.URL = nil
			}
			whole := start(t, w, rough, "foresight", "").Run()
			c, met := reloaded(t, whole, 13)
			defer c.Free()
			if !slices.Equal(c.Visits, whole.Visits) || digest(t, c) != digest(t, whole) {
				t.Error("order or state differ after loading")
			}
			for stage := range uint64(stages) {
				if met[stage] == 0 {
					t.Errorf("it was never saved in stage %d", stage)
				}
			}
		})
	}
}

// reloaded repeats a crawl under foresight, and after every so many steps continues with what
// was saved and loaded. It counts how often that was in each stage.
func reloaded(t *testing.T, whole *Crawl, every int) (c *Crawl, met map[uint64]int) {
	t.Helper()
	c, err := NewCrawl(whole.World, whole.Setting, "foresight", "")
	met = map[uint64]int{}
	for i := 0; err == nil && c.Step(); i++ {
		if i%every != 0 {
			continue
		}
		met[stageOf(t, c)]++
		was := c
		c, err = was.Copy()
		was.Free()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, met
}

// stages is the number of stages of a checkpoint of foresight, with that of none under way.
const stages = 7

// stageOf returns the stage of the checkpoint under way.
func stageOf(t *testing.T, c *Crawl) (stage uint64) {
	t.Helper()
	found := false
	c.Page.Columns(func(col graph.AnyColumn) {
		if numbers, ok := col.(*graph.Column[uint64]); ok && col.Name() == "foresight numbers" {
			stage, found = numbers.At(3), true
		}
	})
	if !found {
		t.Fatal("foresight has no numbers")
	}
	return stage
}
