package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/lab/demo"
	"github.com/winnow-crawler/winnow/policy"
)

// Experiment 2 of the thesis in the small: without --policy its preset crawls the same web
// under both policies, each into a directory of its own, and holds them against each other
// and against their simulations (X35).
func TestDemoSeveral(t *testing.T) {
	if testing.Short() {
		t.Skip("several demos; TestDemo runs one")
	}
	dir := filepath.Join(t.TempDir(), "exp2")
	out, _ := winnow(t, 0, "demo", "--pages", "100", "--preset", "thesis-exp2", "--faster", "1000", "--fetchers", "4", "--dir", dir, "--json")
	all := object[demosObject](t, out)
	if len(all.Crawls) != 2 {
		t.Fatalf("%d crawls", len(all.Crawls))
	}
	for i, name := range []string{"breadth-first", "larger-sites-first"} {
		c := &all.Crawls[i]
		if c.Dir != filepath.Join(dir, name+".crawl") || c.Violations != 0 || c.Crawl.Fetched < 60 {
			t.Errorf("%s: %d violations, %d pages", c.Dir, c.Violations, c.Crawl.Fetched)
		}
		if !inOrder(c.Settings, " 1000: 5ms (15ms ", " 100 pages)") || !strings.Contains(c.Settings, " 4 fetchers") {
			t.Error(c.Settings)
		}
		if _, err := os.Stat(c.Crawl.Report); err != nil {
			t.Error(err)
		}
		if len(c.Simulated) != 2 || c.Real.Policy != name || c.Simulated[0].Policy != "breadth-first" || c.Simulated[1].Policy != "larger-sites-first" {
			t.Errorf("%s: %+v", name, c.Simulated)
		}
		for _, x := range append(c.Simulated, c.Real) {
			if x.HalfRank == nil || *x.HalfRank <= 0.5 || !(0 < *x.For50 && *x.For50 < *x.For90 && *x.For90 <= x.Seconds) {
				t.Errorf("%s: %+v", name, x)
			}
		}
	}
	if a, b := all.Crawls[0].Crawl.Fetched, all.Crawls[1].Crawl.Fetched; a != b {
		t.Errorf("%d and %d pages of the same web", a, b)
	}
}

// A preset keeps its policy and its fetchers, and the limits that it has for an endless
// Web are gone; its delays are divided.
func TestDemoPreset(t *testing.T) {
	u := console.New(nil, t.Output(), t.Output())
	crawls, err := (&demoOptions{Options: demo.Options{Preset: "thesis-exp1", Faster: 100}}).plan(u)
	if err != nil || len(crawls) != 1 {
		t.Fatal(crawls, err)
	}
	c := &crawls[0].config
	if c.Policy != "larger-sites-first" || c.Delay.Duration != 150*time.Millisecond || c.Fetchers != 1000 || c.Batch != 3 || c.SitePages != 0 || c.MaxDepth != config.NoDepth {
		t.Errorf("%+v", c)
	}
	crawls, err = (&demoOptions{Options: demo.Options{Preset: "wire2002", Faster: 300, Fetchers: 7}}).plan(u)
	if err != nil || len(crawls) != 1 {
		t.Fatal(crawls, err)
	}
	if c = &crawls[0].config; c.Policy != policy.Default || c.Delay.Duration != 100*time.Millisecond || c.Fetchers != 7 {
		t.Errorf("%+v", c)
	}
}
