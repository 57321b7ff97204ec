package config

import (
	"testing"

	"github.com/winnow-crawler/winnow/freshness"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		text, policy string
		want         Balance
		order        string
	}{
		{"", "opic", Balance{}, "opic"},
		{"volume=60,quality=25,freshness=15", "opic", Balance{Volume: 0.6, Quality: 0.25, Freshness: 0.15}, "mix:breadth-first*0.6+opic*0.25"},
		{"quality=3, freshness=1", "opic", Balance{Volume: 0, Quality: 0.75, Freshness: 0.25}, "opic"},
		{"auto", "opic", Balance{Quality: 1, Compete: true}, "opic"},
		{"volume=2", "opic", Balance{Volume: 1, Quality: 0, Freshness: 0}, "breadth-first"},
		{"quality=100,freshness=0", "opic", Balance{Quality: 1}, "opic"},
		{"volume=0,quality=3,freshness=1", "opic", Balance{Quality: 0.75, Freshness: 0.25}, "opic"},
		{"volume=3,quality=0,freshness=1", "opic", Balance{Volume: 0.75, Freshness: 0.25}, "breadth-first"},
		{"volume=1,quality=1", "mix:breadth-first*0.5+opic*0.5", Balance{Volume: 0.5, Quality: 0.5, Freshness: 0}, "mix:breadth-first*0.5+opic*0.5"},
	} {
		x := Default()
		x.Balance, x.Policy, x.Recrawl = c.text, c.policy, Seconds(60)
		got, err := x.Shares()
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.text, got, err, c.want)
		}
		if err := x.Check(); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		for range 2 { // a configuration is resolved again when a crawl is resumed
			x.ChoosePolicy()
		}
		if x.Policy != c.order || x.Revisit != freshness.DefaultAllocation {
			t.Errorf("%s: policy %s, revisit %q", c.text, x.Policy, x.Revisit)
		}
	}
	for _, text := range []string{"speed=1", "volume", "volume=x", "volume=-1", "volume=1,volume=2", "freshness=5", "volume=NaN", "volume=0,quality=0,freshness=1",
		"volume=0", "freshness=0", "volume=0,quality=0,freshness=0", "volume=1,", "=1", "auto,volume=1"} {
		x := Default()
		x.Balance, x.Recrawl = text, Seconds(60)
		if err := x.Check(); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	x := Default()
	if x.Balance = "quality=1,freshness=1"; x.Check() == nil {
		t.Error("freshness without recrawl is accepted")
	}
	x.Balance, x.Policy = "volume=1,quality=1", "mix:opic+xim"
	if x.Check() == nil {
		t.Error("volume beside a mix is accepted")
	}
	x = Default()
	if x.Revisit = "uniform"; x.Check() == nil {
		t.Error("revisit without recrawl is accepted")
	}
	if x.Revisit = "each"; x.Check() != nil || x.Planned() {
		t.Error("each means something without recrawl")
	}
	x.Recrawl = Seconds(60)
	if b, err := x.Shares(); err != nil || b.Compete || x.Planned() {
		t.Error("each page has its time, and visits compete")
	}
	if x.Revisit, x.Balance = "each", "quality=1,freshness=1"; x.Check() == nil {
		t.Error("a share of freshness is accepted where each page has its time")
	}
	if x.Balance = "quality=1,freshness=0"; x.Check() == nil {
		t.Error("a share of freshness of 0 is accepted where each page has its time")
	}
	if x.Balance = "volume=1,quality=1"; x.Check() != nil {
		t.Error("volume and quality cannot be divided where each page has its time")
	}
	x.Balance = ""
	if x.Revisit = "nutch"; x.Check() == nil {
		t.Error("an unknown allocation is accepted")
	}
}

// Shares divide the hand-outs, a share of 0 included. Without shares there is no division, unless
// pages compete.
func TestDivision(t *testing.T) {
	for text, want := range map[string]freshness.Division{
		"":                        {},
		"auto":                    {Compete: true},
		"quality=100,freshness=0": {Shared: true},
		"volume=1":                {Shared: true},
		"quality=3,freshness=1":   {Shared: true, Share: 0.25},
	} {
		x := Default()
		x.Balance, x.Recrawl = text, Seconds(60)
		if b, err := x.Shares(); err != nil || b.Division() != want {
			t.Errorf("%q: %+v, %v; want %+v", text, b.Division(), err, want)
		}
	}
}
