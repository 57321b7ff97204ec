package measure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// hotCase returns hot pages and links of a random web.
func hotCase(r *rand.Rand) (hot []bool, out, in [][]graph.Page) {
	n := 5 + r.IntN(40)
	hot, out, in = make([]bool, n), randomLinks(r, n, 3), make([][]graph.Page, n)
	for p := range hot {
		hot[p] = r.IntN(3) == 0
		for _, q := range out[p] {
			in[q] = append(in[q], graph.Page(p))
		}
	}
	return hot, out, in
}

// Harvest rate and recall by their definitions; hot pages have the importance 1, others 0.
func TestHarvestBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 1))
	for range 200 {
		hot, _, _ := hotCase(r)
		e := allPages(len(hot))
		order := shuffled(r, e)[:1+r.IntN(len(hot))]
		trial := trialOf(t, HotTruth(hot).Value, e, order, JudgeOptions{})
		h := trial.judge.HotAbove(1)
		found := func(k int) (n int) {
			for _, p := range order[:k] {
				if hot[p] {
					n++
				}
			}
			return n
		}
		all := 0
		for _, is := range hot {
			if is {
				all++
			}
		}
		nearCurve(t, "harvest", trial.Harvest(h), len(order), func(k int) float64 { return float64(found(k)) / float64(k) })
		nearCurve(t, "recall", trial.Found(h), len(order), func(k int) float64 { return Share(found(k), all) })
		nearCurve(t, "ideal", IdealHarvest(all, len(hot), len(hot)), len(hot), func(k int) float64 { return min(1, float64(all)/float64(k)) })
		for _, p := range trial.judge.HotPages(h) {
			if !hot[p] {
				t.Fatalf("page %d is hot", p)
			}
		}
	}
}

// Backlinks are pages that link to a page, without the page itself.
func TestBacklinksOfHotPages(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 1))
	for range 100 {
		hot, _, in := hotCase(r)
		lists := webOf(t, in)
		count := func(p graph.Page) (n int) {
			for _, q := range in[p] {
				if q != p {
					n++
				}
			}
			return n
		}
		for least := range 6 {
			one := 0
			for p, both := range HotAndLinked(hot, lists, least) {
				if n := count(graph.Page(p)); both != (hot[p] && n >= least) {
					t.Fatalf("page %d, hot %v, %d backlinks: %v for at least %d", p, hot[p], n, both, least)
				} else if n == least {
					one++
				}
			}
			near(t, "share", WithBacklinks(allPages(len(hot)), lists, least), Share(one, len(hot)))
		}
	}
}

// The estimates of importance are those of what was fetched so far, counted again at each fetch.
func TestEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 1))
	for range 60 {
		hot, out, _ := hotCase(r)
		lists, n := webOf(t, out), len(hot)
		order := shuffled(r, allPages(n))
		value := fewValues(r, n)
		for name, estimate := range map[string]Estimate{
			"backlinks": KnownBacklinks(lists), "values": KnownValues(value), "both": KnownBoth(hot, lists),
		} {
			now := make([]float64, n)
			for k, p := range order {
				own := estimate(p, func(q graph.Page, v float64) { now[q] = v })
				last := now[p]
				if name == "values" {
					last = value[p]
				}
				if own != last {
					t.Fatalf("%s: page %d has %v, its last update was %v", name, p, own, last)
				}
				for _, q := range order[:k+1] {
					var want float64
					switch name {
					case "values":
						continue
					case "both":
						if !hot[q] {
							continue
						}
						fallthrough
					default:
						want = float64(linksFrom(out, order[:k+1], q))
					}
					near(t, name, now[q], want)
				}
			}
		}
	}
}

// linksFrom counts the fetched pages other than q that link to it.
func linksFrom(out [][]graph.Page, fetched []graph.Page, q graph.Page) (n int) {
	for _, p := range fetched {
		if p != q && slices.Contains(out[p], q) {
			n++
		}
	}
	return n
}
