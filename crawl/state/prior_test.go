package state

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// Of several values of a URL the first counts. A URL that the earlier crawl did not have has
// none.
func TestPriorValues(t *testing.T) {
	secret := [16]byte{7}
	n := naming.Names{Key: urltable.NewKey(secret)}
	var set graph.Set
	defer set.Free()
	x := newPrior(&set, &n, secret)
	var packed []byte
	for i, url := range []string{"http://a.example/", "http://a.example/x?y", "http://a.example/", "https://a.example/"} {
		packed = PackPrior(packed, n.Key, []byte(url), float64(i+1))
	}
	ScalePrior(packed, 2)
	x.add(packed)
	for url, want := range map[string]float64{"http://a.example/": 2, "http://a.example/x?y": 4, "https://a.example/": 8, "http://a.example/x": -1} {
		got, ok := x.Value([]byte(url))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%s has %v, want %v", url, got, want)
		}
	}
	if all := x.Policy().All; len(all) != 3 || x.Len() != 3 {
		t.Errorf("%d values, %v", x.Len(), all)
	}
}
