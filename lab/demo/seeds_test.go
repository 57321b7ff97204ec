package demo

import (
	"slices"
	"testing"
)

// TestDemoSeeds begins the thesis' crawls at the home page of every site, and others at one page.
func TestDemoSeeds(t *testing.T) {
	for preset, want := range map[string]int{"": 1, "wire2002": 1, "thesis-exp1": 20, "thesis-exp2": 20} {
		o := &Options{Pages: 200, Preset: preset, Faster: 100, Seed: 1}
		server, net, err := o.Serve()
		if err != nil {
			t.Fatal(err)
		}
		seeds := o.Seeds(server)
		net.Close()
		if len(seeds) != want || seeds[0] != server.URL(0) || len(slices.Compact(slices.Sorted(slices.Values(seeds)))) != want {
			t.Errorf("preset %q begins with %v", preset, seeds)
		}
		if c := o.Config(); o.thesis() && c.Batch != 200/thesisBatches {
			t.Errorf("preset %q has batches of %d pages", preset, c.Batch)
		}
	}
}
