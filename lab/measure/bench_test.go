package measure

import (
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// benchPages is the size of cnr-2000.
const benchPages = 325_557

// benchWorld is a random web with importance of a heavy tail.
func benchWorld(b *testing.B) (*Tree, []float64) {
	r := rand.New(rand.NewPCG(90, 1))
	value := make([]float64, benchPages)
	for p := range value {
		value[p] = float64(int(1 / (1e-4 + r.Float64())))
	}
	return Reach(webOf(b, randomLinks(r, benchPages, 8)), []graph.Page{0}), value
}

func BenchmarkHorn(b *testing.B) {
	tree, value := benchWorld(b)
	for b.Loop() {
		Horn(tree, value)
	}
	b.ReportMetric(float64(len(tree.Order)), "pages")
}

func BenchmarkMeasures(b *testing.B) {
	tree, value := benchWorld(b)
	trial := trialOf(b, value, tree.Order, tree.Order, JudgeOptions{})
	for b.Loop() {
		trial.Measures()
	}
	b.ReportMetric(float64(len(tree.Order)), "pages")
}
