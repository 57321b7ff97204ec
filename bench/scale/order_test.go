//go:build linux

package scale

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/bv"
	"github.com/winnow-crawler/winnow/internal/data"
)

// TestOrder measures what links take if the store keeps pages in another order than that of
// their ids, in both forms of a file, with and without the map between the two (decisions 0025
// and 0028).
func TestOrder(t *testing.T) {
	wanted(t)
	for _, o := range []graph.ImportOptions{
		{Edges: "hollins/hollins.edges.gz", URLs: "hollins/hollins.urls.gz"},
		{Edges: "cnr-2000/cnr-2000.edges.zst"},
		{Edges: "apache-sites/apache-sites.edges.zst", URLs: "apache-sites/apache-sites.urls.gz"},
	} {
		t.Run(filepath.Dir(o.Edges), func(t *testing.T) { measureOrders(t, o) })
	}
}

func measureOrders(t *testing.T, o graph.ImportOptions) {
	for _, name := range []*string{&o.Edges, &o.URLs} {
		if path, ok := data.File(filepath.FromSlash(*name)); ok && *name != "" {
			*name = path
		} else if *name != "" {
			t.Skip("the graph is not there")
		}
	}
	o.Path = filepath.Join(t.TempDir(), "g.wg")
	if _, err := graph.Import(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	raw := g.Forward().Raw(2)
	defer raw.Free()
	out := make([][]uint32, g.Pages())
	for p := range out {
		for _, q := range raw.List(graph.Page(p)) {
			out[p] = append(out[p], uint32(q))
		}
	}
	as := make([]uint32, len(out))
	for p := range as {
		as[p] = uint32(p)
	}
	links := float64(g.Links())
	mapped := 2 * float64(len(out)*bits.Len(uint(len(out)))) / 8 / links
	report := func(name string, order []uint32, mapped float64) {
		placed := reordered(out, order)
		for form, bytes := range map[string]func([][]uint32) float64{"plain": listBytes, "compact": compactBytes} {
			forward, backward := bytes(placed)/links, bytes(transposed(placed))/links
			t.Logf("%-9s %-7s forward %.3f, backward %.3f, both %.3f, with the map %.3f bytes a link", name, form, forward, backward, forward+backward, forward+backward+mapped)
		}
	}
	report("by id", as, 0)
	began := ownTime()
	order := byLabels(neighbours(out), as)
	t.Logf("ordered by labels in %v of CPU", (ownTime() - began).Round(time.Second))
	report("by labels", order, mapped)
	scan, back := scanTime(g), mapTime(reordered(out, order), order)
	t.Logf("in sequence %.1f ns of CPU a link, and %.1f more to turn places into ascending ids", float64(scan)/links, float64(back)/links)
}

// scanTime returns the processor time of reading all lists in sequence.
func scanTime(g *graph.Graph) time.Duration {
	began := ownTime()
	for c := g.Forward().Scan(0, graph.Page(g.Pages())); c.Next(); {
		c.List()
	}
	return ownTime() - began
}

// mapTime returns the processor time of turning lists of places into lists of ids. It changes
// the lists.
func mapTime(lists [][]uint32, order []uint32) time.Duration {
	began := ownTime()
	for _, list := range lists {
		for i, place := range list {
			list[i] = order[place]
		}
		slices.Sort(list)
	}
	return ownTime() - began
}

// listBytes returns what lists take with their index.
func listBytes(lists [][]uint32) float64 {
	j := bv.NewJoiner(len(lists))
	encode(bv.NewEncoder(bv.Store, 0), lists, j.Add)
	return bytesOf(j, 1)
}

// compactBytes returns what lists take in a compact file.
func compactBytes(lists [][]uint32) float64 {
	count := bv.NewFittedEncoder(bv.Compact, nil, 0)
	encode(count, lists, func(*bv.Chunk) {})
	j, book := bv.NewJoiner(len(lists)), count.Tally().Fit()
	encode(bv.NewFittedEncoder(bv.Compact, book, 0), lists, j.Add)
	return bytesOf(j, 4) + float64(len(book.Bytes()))
}

// encode encodes lists in batches as package graph has them.
func encode(e interface {
	Reset(first uint32)
	Add(list []uint32)
	Chunk() *bv.Chunk
}, lists [][]uint32, add func(*bv.Chunk)) {
	first, links := 0, 0
	for p, list := range lists {
		if p-first == 16384 || links >= 1<<18 {
			add(e.Chunk())
			e.Reset(uint32(p))
			first, links = p, 0
		}
		e.Add(list)
		links += len(list)
	}
	add(e.Chunk())
}

// bytesOf returns the size of lists with an index of every step-th one.
func bytesOf(j *bv.Joiner, step int) float64 {
	index, err := bv.BuildIndex(bv.Every(step, j.Starts()))
	if err != nil {
		panic(err) // starts ascend
	}
	return float64(j.Bits()/8) + 8*float64(len(index))
}

// reordered returns the lists of the pages in an order, by places in it.
func reordered(lists [][]uint32, order []uint32) [][]uint32 {
	place, to := make([]uint32, len(order)), make([][]uint32, len(order))
	for i, p := range order {
		place[p] = uint32(i)
	}
	for i, p := range order {
		for _, q := range lists[p] {
			to[i] = append(to[i], place[q])
		}
		slices.Sort(to[i])
	}
	return to
}

func transposed(lists [][]uint32) [][]uint32 {
	to := make([][]uint32, len(lists))
	for p, list := range lists {
		for _, q := range list {
			to[q] = append(to[q], uint32(p))
		}
	}
	return to
}

// neighbours returns the pages that link to a page or that it links to, without itself.
func neighbours(out [][]uint32) [][]uint32 {
	all := transposed(out)
	for p := range all {
		all[p] = append(all[p], out[p]...)
		slices.Sort(all[p])
		all[p] = slices.DeleteFunc(slices.Compact(all[p]), func(q uint32) bool { return q == uint32(p) })
	}
	return all
}

// byLabels orders pages by layered label propagation (Boldi, Rosa, Santini and Vigna 2011):
// by clusters of falling density, each of which stays together, the order within it being
// that of the finer clusters before.
func byLabels(near [][]uint32, order []uint32) []uint32 {
	order = slices.Clone(order)
	l := labels{
		near: near, of: make([]uint32, len(near)), size: make([]int, len(near)), count: make([]int, len(near)),
		visit: slices.Clone(order), random: rand.New(rand.NewPCG(1, 2)),
	}
	for density := 1.0; density > 1e-3; density /= 2 {
		l.propagate(density)
		order = l.sort(order)
	}
	l.propagate(0)
	return l.sort(order)
}

// labels gives every page the label that most of its neighbours have.
type labels struct {
	near   [][]uint32
	of     []uint32 // by page
	size   []int    // by label: pages that have it
	count  []int    // by label, while a page is looked at: neighbours that have it
	found  []uint32 // labels with a count
	visit  []uint32
	random *rand.Rand
}

func (l *labels) propagate(density float64) {
	for p := range l.of {
		l.of[p], l.size[p] = uint32(p), 1
	}
	for range 30 {
		l.random.Shuffle(len(l.visit), func(i, j int) { l.visit[i], l.visit[j] = l.visit[j], l.visit[i] })
		changed := 0
		for _, p := range l.visit {
			if l.choose(p, density) {
				changed++
			}
		}
		if 300*changed < len(l.of) {
			return
		}
	}
}

// choose gives a page the label with the most neighbours, less density times the pages with
// that label that are none. It reports whether that is another one.
func (l *labels) choose(p uint32, density float64) bool {
	before, found := l.of[p], l.found[:0]
	l.size[before]--
	for _, q := range l.near[p] {
		if l.count[l.of[q]]++; l.count[l.of[q]] == 1 {
			found = append(found, l.of[q])
		}
	}
	best, most := before, 0.0
	for i, c := range found {
		v := float64(l.count[c]) - density*float64(l.size[c]-l.count[c])
		if i == 0 || v > most || v == most && c == before {
			best, most = c, v
		}
	}
	for _, c := range found {
		l.count[c] = 0
	}
	l.of[p], l.found = best, found
	l.size[best]++
	return best != before
}

// sort returns an order in which pages of a label stand together, labels in the order of
// their first pages.
func (l *labels) sort(order []uint32) []uint32 {
	first := make([]int, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		first[l.of[order[i]]] = i
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(first[l.of[a]], first[l.of[b]]) })
	return order
}
