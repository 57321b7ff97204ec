//go:build gonum

package rank

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"
)

var updateGonum = flag.Bool("update", false, "write testdata/gonum.txt")

// TestGonum: gonum computes what testdata/gonum.txt says.
func TestGonum(t *testing.T) {
	if *updateGonum {
		writeGonum(t)
	}
	for _, w := range readGonum(t) {
		for p, x := range gonumRank(w.links, w.follow) {
			if d := math.Abs(x - w.want[p]); d > 1e-12 {
				t.Errorf("follow %v, %d pages: page %d has %v, the file says %v", w.follow, len(w.links), p, x, w.want[p])
			}
		}
	}
}

// gonumRank returns the PageRank of pages by gonum. It starts at a random vector whose sum is 1 but
// for rounding.
func gonumRank(links outLists, follow float64) []float64 {
	g := simple.NewDirectedGraph()
	for p := range links {
		g.AddNode(simple.Node(p))
	}
	for p, l := range links {
		for _, q := range l {
			g.SetEdge(simple.Edge{F: simple.Node(p), T: simple.Node(q)})
		}
	}
	score := make([]float64, len(links))
	for p, x := range network.PageRankSparse(g, follow, 1e-14) {
		score[p] = x
	}
	Normalise(score, Sum, len(score))
	return score
}

// writeGonum writes random webs of several sizes, without self-links.
func writeGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for _, c := range conventions {
		for _, n := range []int{1, 2, 10, 300} {
			links := randomWeb(r, n, 4, 0.2).withoutSelf()
			fmt.Fprintf(&b, "follow %v pages %d\n", c.follow, n)
			for p, x := range gonumRank(links, c.follow) {
				b.WriteString(strings.TrimSpace(fmt.Sprint(x, " ", strings.Trim(fmt.Sprint(links[p]), "[]"))) + "\n")
			}
		}
	}
	if err := os.WriteFile("testdata/gonum.txt", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
