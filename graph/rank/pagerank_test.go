package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// conventions are those of the two papers (M8, M16). Their order decides which
// random webs are tested with which.
var conventions = []struct {
	name   string
	follow float64
}{{"follow 0.9", 0.9}, {"jump 1/7", 1 - 1.0/7}}

// The webs and their PageRank by gonum are in testdata/gonum.txt: its packages take longer to
// compile than all tests here take. gonum_test.go has made the file, and checks it in make torture.
func TestPageRankAgreesWithGonum(t *testing.T) {
	for _, w := range readGonum(t) {
		got := solve(t, w.links.web(t), Options{Follow: w.follow, Tolerance: 1e-11})
		mustBeNear(t, fmt.Sprintf("follow %v, %d pages", w.follow, len(w.links)), got.Score, w.want, 1e-9)
	}
}

// A gonumWeb is a web with its PageRank by gonum, of which the sum is 1.
type gonumWeb struct {
	follow float64
	links  outLists
	want   []float64
}

// readGonum reads testdata/gonum.txt: a line "follow F pages N" for each web, then for each page a
// line with its PageRank and its links.
func readGonum(t *testing.T) (all []gonumWeb) {
	t.Helper()
	text, err := os.ReadFile("testdata/gonum.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "follow" {
			all = append(all, gonumWeb{follow: number(t, words[1])})
			continue
		}
		w := &all[len(all)-1]
		w.want = append(w.want, number(t, words[0]))
		var links []graph.Page
		for _, q := range words[1:] {
			links = append(links, graph.Page(number(t, q)))
		}
		w.links = append(w.links, links)
	}
	if len(all) != 8 || len(all[7].links) != 300 {
		t.Fatalf("%d webs in testdata/gonum.txt", len(all))
	}
	return all
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPageRankAgreesWithNaiveLoop(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4000
	}
	links := randomWeb(rand.New(rand.NewPCG(2, 1)), n, 8, 0.25)
	w := links.web(t)
	for _, c := range conventions {
		for _, self := range []bool{false, true} {
			s := evenSurfer(links, c.follow)
			if !self {
				s = evenSurfer(links.withoutSelf(), c.follow)
			}
			want := s.rank()
			for _, method := range []Method{GaussSeidel, Jacobi} {
				got := solve(t, w, Options{Follow: c.follow, Method: method, SelfLinks: self, Tolerance: 1e-10})
				what := fmt.Sprintf("%s, method %d, self-links %v", c.name, method, self)
				mustBeNear(t, what, got.Score, want, 1e-9)
				if d := l1(got.Score, want); d > got.Bound+1e-12 || got.Bound > 1e-10 {
					t.Errorf("%s: error %g, bound %g", what, d, got.Bound)
				}
			}
		}
	}
}

// A graph of real size, beside the checkout or made up.
func TestPageRankOfLargeWeb(t *testing.T) {
	var links outLists
	if testing.Short() { // the naive loop takes seconds
		links = randomWeb(rand.New(rand.NewPCG(15, 1)), 20_000, 10, 0.24).withoutSelf()
	} else {
		links = realWeb(t, "cnr-2000").withoutSelf()
	}
	w := links.web(t)
	for _, c := range conventions {
		got := solve(t, w, Options{Follow: c.follow, Tolerance: 1e-10})
		mustBeNear(t, c.name, got.Score, evenSurfer(links, c.follow).rank(), 1e-9)
	}
}

// Sums are preserved with 30 % dangling pages (M10, M17), and the mean is 1 where
// that is requested (M18).
func TestSumAndMean(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(3, 1)), 10_000, 5, 0.3)
	w := links.web(t)
	for scale, want := range map[Scale]float64{Sum: 1, Mean: 10_000} {
		if s := sum(solve(t, w, Options{Scale: scale}).Score); math.Abs(s/want-1) > 1e-9 {
			t.Errorf("scale %d: sum %v, want %v", scale, s, want)
		}
	}
}

// The random surfer (M12): visit frequencies of a walk agree with the ranks. With
// restarts at every jump the walk is a series of independent runs, but visits within
// a run are correlated; the deviation is therefore measured over 50 walks.
func TestRandomSurfer(t *testing.T) {
	const walks, steps, follow = 50, 20_000, 0.85
	r := rand.New(rand.NewPCG(4, 1))
	links := randomWeb(r, 100, 4, 0.2).withoutSelf()
	rank := solve(t, links.web(t), Options{Follow: follow}).Score
	share := make([][]float64, walks)
	for i := range share {
		share[i] = walk(r, links, follow, steps)
	}
	outside := 0
	for p, want := range rank {
		mean, square := 0.0, 0.0
		for _, s := range share {
			mean += s[p] / walks
			square += s[p] * s[p] / walks
		}
		sigma := math.Sqrt((square - mean*mean) / (walks - 1))
		if math.Abs(mean-want) > 3*sigma {
			outside++
		}
		if math.Abs(mean-want) > 5*sigma {
			t.Errorf("page %d: visited %.5f of the time, rank %.5f, sigma %.5f", p, mean, want, sigma)
		}
	}
	if outside > 2 { // of 100 pages 0.3 are expected outside three sigma
		t.Errorf("%d of 100 pages outside three sigma", outside)
	}
}

func walk(r *rand.Rand, links outLists, follow float64, steps int) []float64 {
	share := make([]float64, len(links))
	p := r.IntN(len(links))
	for range steps {
		share[p] += 1 / float64(steps)
		if k := len(links[p]); k > 0 && r.Float64() < follow {
			p = int(links[p][r.IntN(k)])
		} else {
			p = r.IntN(len(links))
		}
	}
	return share
}

// Two sites, a with pages 0, 1, 2 and b with 3, 4. Remote links: 0 -> 3, 1 -> 3,
// 3 -> 0, 3 -> 1; 2 and 4 have local links only, so they are dangling (M19). By
// hand, for follow f and y of equation (2): y2 = y4 = 1, y0 = y1 = 1 + f y3/2,
// y3 = 1 + f (y0 + y1) = 1 + 2f + f² y3, so y3 = (1 + 2f)/(1 - f²).
func TestRemotePageRankByHand(t *testing.T) {
	links := outLists{{1, 2, 3}, {0, 3}, {0, 1}, {0, 1, 4}, {3}}
	w := links.web(t)
	w.Sites = []graph.Site{0, 0, 0, 1, 1}
	got, err := RemotePageRank(w, Options{Follow: 0.9, Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	y3 := 2.8 / 0.19
	y0 := 1 + 0.45*y3
	want := []float64{y0, y0, 1, y3, 1}
	Normalise(want, Sum, 5)
	mustBeNear(t, "two sites", got.Score, want, 1e-12)
}

func TestWeightedPageRankAgreesWithNaiveLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	links := randomWeb(r, 1500, 6, 0.2).withoutSelf()
	w := links.web(t)
	w.Sites = randomSites(r, len(links))
	for _, value := range []float64{0, 0.25, 0.8, 1} {
		share := func(remote, local float64) (float64, float64) { return value, 1 - value }
		checkWeighted(t, fmt.Sprint("share ", value), w, links, Share(value), share)
	}
	for _, value := range []float64{0.5, 1, 4, 100} {
		factor := func(remote, local float64) (float64, float64) {
			return value * remote / (value*remote + local), local / (value*remote + local)
		}
		checkWeighted(t, fmt.Sprint("factor ", value), w, links, Factor(value), factor)
	}
}

// checkWeighted compares with a loop that weighs every link on its own. groups says
// how much of a page goes to its remote links and how much to its local ones when it
// has both.
func checkWeighted(t *testing.T, what string, w *Web, links outLists, split Split, groups func(remote, local float64) (float64, float64)) {
	s := evenSurfer(links, 0.9)
	parts := make([][2]float64, len(links)) // of each page, what a local and what a remote link gets
	for p, l := range links {
		remote, local := 0.0, 0.0
		for _, q := range l {
			if w.Sites[p] == w.Sites[q] {
				local++
			} else {
				remote++
			}
		}
		r, l := groups(remote, local)
		if remote == 0 || local == 0 {
			r, l = 1, 1
		}
		parts[p] = [2]float64{l / local, r / remote}
	}
	s.weight = func(p, q graph.Page) float64 {
		if w.Sites[p] == w.Sites[q] {
			return parts[p][0]
		}
		return parts[p][1]
	}
	want := s.rank()
	for _, method := range []Method{GaussSeidel, Jacobi} {
		got, err := WeightedPageRank(w, Options{Tolerance: 1e-10, Method: method}, split)
		if err != nil {
			t.Fatal(err)
		}
		mustBeNear(t, fmt.Sprintf("%s, method %d", what, method), got.Score, want, 1e-9)
	}
}

// Self-links must not count among the local links of weighted ranks either, and
// must if they are kept.
func TestWeightedPageRankSelfLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	links := randomWeb(r, 500, 6, 0.2)
	with, without := links.web(t), links.withoutSelf().web(t)
	with.Sites = randomSites(r, len(links))
	without.Sites = with.Sites
	rank := func(w *Web, self bool) []float64 {
		got, err := WeightedPageRank(w, Options{SelfLinks: self, Tolerance: 1e-11}, Share(0.7))
		if err != nil {
			t.Fatal(err)
		}
		return got.Score
	}
	mustBeNear(t, "left out", rank(with, false), rank(without, true), 1e-10)
	if d := l1(rank(with, true), rank(without, true)); d < 1e-3 {
		t.Errorf("keeping self-links changed the ranks by only %g", d)
	}
}

func TestReversePageRank(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(7, 1)), 2000, 5, 0.3).withoutSelf()
	for name, w := range map[string]*Web{"both": links.web(t), "in only": {In: links.reversed().lists(t)}, "out only": {Out: links.lists(t)}} {
		got, err := ReversePageRank(w, Options{Tolerance: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		mustBeNear(t, name, got.Score, evenSurfer(links.reversed(), 0.9).rank(), 1e-9)
	}
}

func TestUncrawled(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	links := randomWeb(r, 2000, 6, 0.1).withoutSelf()
	fetched := func(p graph.Page) bool { return p%3 != 1 }
	w := links.web(t)
	w.Fetched = fetched
	seen := links.keep(func(p, _ graph.Page) bool { return fetched(p) })
	mustBeNear(t, "dangling", solve(t, w, Options{}).Score, evenSurfer(seen, 0.9).rank(), 1e-9)

	// Absent: the same as the smaller web made by hand.
	number := make([]graph.Page, len(links))
	var small outLists
	for p := range links {
		if fetched(graph.Page(p)) {
			number[p] = graph.Page(len(small))
			small = append(small, nil)
		}
	}
	for p, l := range seen {
		for _, q := range l {
			if fetched(q) {
				small[number[p]] = append(small[number[p]], number[q])
			}
		}
	}
	got := solve(t, w, Options{Uncrawled: Absent, Scale: Mean})
	want := evenSurfer(small, 0.9).rank()
	scattered := make([]float64, len(links))
	for p := range scattered {
		if fetched(graph.Page(p)) {
			scattered[p] = want[number[p]] * float64(len(small))
		}
	}
	if got.Pages != len(small) {
		t.Errorf("%d pages take part, want %d", got.Pages, len(small))
	}
	mustBeNear(t, "absent", got.Score, scattered, 1e-9*float64(len(small)))
}

func TestTeleport(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	links := randomWeb(r, 3000, 6, 0.3).withoutSelf()
	w := links.web(t)
	few, all := make([]float64, len(links)), make([]float64, len(links))
	for range 5 {
		few[r.IntN(len(few))] = r.Float64() * 100
	}
	for p := range all {
		all[p] = r.ExpFloat64()
	}
	for name, teleport := range map[string][]float64{"few": few, "all": all} {
		s := evenSurfer(links, 0.9)
		s.jump = slices.Clone(teleport)
		Normalise(s.jump, Sum, 0)
		got := solve(t, w, Options{Teleport: teleport, Tolerance: 1e-10})
		mustBeNear(t, name, got.Score, s.rank(), 1e-9)
		again := solve(t, w, Options{Teleport: teleport, Tolerance: 1e-10, Start: got.Score})
		mustBeNear(t, name+", warm", again.Score, s.rank(), 1e-9)
		if again.Sweeps >= got.Sweeps*3/4 {
			t.Errorf("%s: %d sweeps cold, %d from the solution", name, got.Sweeps, again.Sweeps)
		}
		s.stuck = s.jump
		got = solve(t, w, Options{Teleport: teleport, DanglingToTeleport: true, Tolerance: 1e-10})
		mustBeNear(t, name+", dangling too", got.Score, s.rank(), 1e-9)
	}
}

// A warm start from the vector of a smaller graph needs fewer sweeps and gives the
// same answer.
func TestWarmStart(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(10, 1)), 10_000, 6, 0.2)
	w := links.web(t)
	w.Fetched = func(p graph.Page) bool { return p < 9900 }
	old := solve(t, w, Options{Tolerance: 1e-6})
	w.Fetched = nil
	for _, tolerance := range []float64{1e-4, 1e-8} {
		cold := solve(t, w, Options{Tolerance: tolerance})
		warm := solve(t, w, Options{Tolerance: tolerance, Start: old.Score})
		if warm.Sweeps >= cold.Sweeps {
			t.Errorf("tolerance %g: %d sweeps cold, %d warm", tolerance, cold.Sweeps, warm.Sweeps)
		}
		mustBeNear(t, "warm", warm.Score, cold.Score, 2*tolerance)
	}
}

func TestSameBitsWithAnyThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	links := randomWeb(r, 5000, 8, 0.2)
	w := links.web(t)
	w.Sites = randomSites(r, len(links))
	w.Fetched = func(p graph.Page) bool { return p%7 != 0 }
	ranks := map[string]func(Options) (*Result, error){
		"gauss-seidel": func(o Options) (*Result, error) { return PageRank(w, o) },
		"five blocks":  func(o Options) (*Result, error) { o.Blocks = 5; return PageRank(w, o) },
		"jacobi":       func(o Options) (*Result, error) { o.Method = Jacobi; return PageRank(w, o) },
		"remote":       func(o Options) (*Result, error) { return RemotePageRank(w, o) },
		"weighted":     func(o Options) (*Result, error) { return WeightedPageRank(w, o, Share(0.8)) },
		"reverse":      func(o Options) (*Result, error) { return ReversePageRank(w, o) },
	}
	for name, rank := range ranks {
		one, err := rank(Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{2, 3, 7} {
			many, err := rank(Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(one.Score, many.Score) || one.Sweeps != many.Sweeps || one.Bound != many.Bound {
				t.Errorf("%s: %d threads give other bits than one", name, threads)
			}
		}
	}
}
