// Package kernel holds the innermost loops of the rank solvers: sums of a vector over
// lists of pages. They read without bounds checks and add in four partial sums, which
// saves a quarter of the time of a sweep (0.87 against 1.16 ns a link on cnr-2000).
// They are reached only through a [Gather], which has checked every id and every offset
// once.
package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"unsafe"

	"github.com/winnow-crawler/winnow/graph"
)

// A Gather sums vectors over the lists of a graph.Lists. The lists must not change
// while it is in use.
type Gather struct {
	off  []uint64
	to   []graph.Page
	span int // every id in to is below it
	// easy is the first list that ends within slack ids of the end of to. Reading
	// slack ids beyond the end of an earlier list is safe.
	easy int
}

// slack is the number of ids that the loops below may read beyond the end of a list.
const slack = 3

// NewGather returns a Gather over l. It checks every offset and every id, so that the
// loops need not.
func NewGather(l *graph.Lists) (*Gather, error) {
	g := &Gather{off: l.Off.Slice(), to: l.To.Slice()}
	if len(g.off) == 0 {
		return nil, fmt.Errorf("gather over lists: no offsets")
	}
	for p, o := range g.off {
		if p > 0 && o < g.off[p-1] || o > uint64(len(g.to)) {
			return nil, fmt.Errorf("gather over lists: offset %d of page %d is out of order or over %d links", o, p, len(g.to))
		}
	}
	if len(g.to) > 0 {
		g.span = int(highest(g.to)) + 1
	}
	for g.easy = g.Pages(); g.easy > 0 && g.off[g.easy]+slack > uint64(len(g.to)); {
		g.easy--
	}
	return g, nil
}

func highest(ids []graph.Page) graph.Page {
	var a, b graph.Page
	for len(ids) >= 2 {
		a, b = max(a, ids[0]), max(b, ids[1])
		ids = ids[2:]
	}
	if len(ids) == 1 {
		a = max(a, ids[0])
	}
	return max(a, b)
}

// Pages returns the number of lists.
func (g *Gather) Pages() int { return len(g.off) - 1 }

// Span returns one more than the largest id in any list. A vector to gather from must
// be at least that long.
func (g *Gather) Span() int { return g.span }

// Offset returns the number of links in the lists before list p, for callers that
// divide the work.
func (g *Gather) Offset(p int) uint64 { return g.off[p] }

// List returns the list of p. The caller must not change it.
func (g *Gather) List(p graph.Page) []graph.Page { return g.to[g.off[p]:g.off[p+1]] }

// Sum sets sum[i] to the sum of z over list lo+i. If z[q] is the rank that page q passes
// along each of its links, a sum over all pages is one step of the power method.
//
// The order of the additions is that of sumList.
func (g *Gather) Sum(sum, z []float64, lo int) {
	if lo < 0 || lo+len(sum) > g.Pages() || len(z) < g.span {
		panic(fmt.Sprintf("kernel: sum over lists %d to %d of %d, ids below %d, from a vector of %d",
			lo, lo+len(sum), g.Pages(), g.span, len(z)))
	}
	easy := min(max(g.easy-lo, 0), len(sum))
	sumLists(sum[:easy], g.off[lo:], g.to, z)
	for i := easy; i < len(sum); i++ {
		sum[i] = sumList(g.to[g.off[lo+i]:g.off[lo+i+1]], z)
	}
}

// sumList returns the sum of z over a list. It adds in four partial sums, element i to sum
// i mod 4: a single sum would wait three or four cycles for each addition.
func sumList(list []graph.Page, z []float64) float64 {
	var s [4]float64
	for i, q := range list {
		s[i&3] += z[q]
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// sumLists does what sumList does, for consecutive lists. It reads up to slack ids beyond
// the end of each. It needs off[len(sum)] <= len(to) and every id < len(z).
//
// It must not be inlined: the profile (decision 0005) would do so, and the loop would
// lose its registers and a third of its speed.
//
//go:noinline
func sumLists(sum []float64, off []uint64, to []graph.Page, z []float64) {
	if len(sum) == 0 {
		return
	}
	zp := unsafe.Pointer(unsafe.SliceData(z))
	at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(to)), off[0]*4)
	from := off[0]
	off = off[1 : len(sum)+1]
	for i := range sum {
		k := int(off[i] - from)
		from = off[i]
		var a, b, c, d float64
		for ; k >= 4; k -= 4 {
			q, r := twoIDs(at), twoIDs(unsafe.Add(at, 8))
			a += value(zp, uint32(q))
			b += value(zp, uint32(q>>32))
			c += value(zp, uint32(r))
			d += value(zp, uint32(r>>32))
			at = unsafe.Add(at, 16)
		}
		// Add the last k < 4 without a branch, which would be mispredicted for most lists.
		q, r := twoIDs(at), *(*uint32)(unsafe.Add(at, 8))
		a += valueIf(zp, uint32(q), 0-k)
		b += valueIf(zp, uint32(q>>32), 1-k)
		c += valueIf(zp, r, 2-k)
		at = unsafe.Add(at, k*4)
		sum[i] = (a + b) + (c + d)
	}
}

// twoIDs reads two ids in one load.
func twoIDs(at unsafe.Pointer) uint64 { return binary.NativeEndian.Uint64((*[8]byte)(at)[:]) }

// value returns z[q].
func value(z unsafe.Pointer, q uint32) float64 {
	return *(*float64)(unsafe.Add(z, uintptr(q)*8))
}

// valueIf returns z[q] if sign is negative, else 0.
func valueIf(z unsafe.Pointer, q uint32, sign int) float64 {
	return math.Float64frombits(*(*uint64)(unsafe.Add(z, uintptr(q)*8)) & uint64(int64(sign)>>63))
}

// A Relaxation is the system that Relax sweeps over:
//
//	y[p] = base[p] + sum of z over list p
//	z[p] = weight[p] * y[p]
//
// If Weight[1] is set, ids are 2q + kind, and z[2p+kind] = weight[kind][p] * y[p].
type Relaxation struct {
	Y      []float64    // one element a page
	Z      []float64    // one or two elements a page
	Base   []float64    // one element a page, or a single one for all
	Weight [2][]float64 // one element a page; the second may be nil
	// NoSelf excludes what a page passes to itself from its sum: z[p], or z[2p].
	NoSelf bool
}

// Relax does one Gauss-Seidel sweep over the given pages, which must ascend: it solves
// each equation for y[p] with the newest values. It returns the sum of the absolute
// changes of y, and the sum of the new y.
func (g *Gather) Relax(r *Relaxation, pages []graph.Page) (change, sum float64) {
	g.check(r)
	easy := sort.Search(len(pages), func(i int) bool { return int(pages[i]) >= g.easy })
	change, sum = g.relax(r, pages[:easy])
	c, s := g.relaxPlain(r, pages[easy:])
	return change + c, sum + s
}

func (r *Relaxation) step() int {
	if r.Weight[1] != nil {
		return 2
	}
	return 1
}

// check panics unless every vector is long enough for pages below g.Pages() and
// for every id.
func (g *Gather) check(r *Relaxation) {
	n, step := g.Pages(), r.step()
	if len(r.Y) != n || len(r.Z) < max(g.span, n*step) || len(r.Weight[0]) != n ||
		step == 2 && len(r.Weight[1]) != n || len(r.Base) != 1 && len(r.Base) != n {
		panic(fmt.Sprintf("kernel: relaxation of %d pages, ids below %d: y %d, z %d, base %d, weights %d and %d elements",
			n, g.span, len(r.Y), len(r.Z), len(r.Base), len(r.Weight[0]), len(r.Weight[1])))
	}
}

// relax does what Relax does for lists below easy. Like sumLists it must not be inlined.
//
//go:noinline
func (g *Gather) relax(r *Relaxation, pages []graph.Page) (change, sum float64) {
	ys := r.Y[:g.easy]
	ws, base, mask, step := r.Weight[0][:len(ys)], r.Base, r.mask(), uintptr(r.step())
	off, to := unsafe.Pointer(unsafe.SliceData(g.off)), unsafe.Pointer(unsafe.SliceData(g.to))
	zp := unsafe.Pointer(unsafe.SliceData(r.Z))
	for _, p := range pages {
		old := ys[p] // this bounds check, p < easy, makes all unsafe reads below valid
		z := unsafe.Add(zp, uintptr(p)*step*8)
		if r.NoSelf {
			*(*float64)(z) = 0
		}
		o := (*[2]uint64)(unsafe.Add(off, uintptr(p)*8))
		at, k := unsafe.Add(to, o[0]*4), int(o[1]-o[0])
		var a, b, c, d float64
		for ; k >= 4; k -= 4 {
			q, s := twoIDs(at), twoIDs(unsafe.Add(at, 8))
			a += value(zp, uint32(q))
			b += value(zp, uint32(q>>32))
			c += value(zp, uint32(s))
			d += value(zp, uint32(s>>32))
			at = unsafe.Add(at, 16)
		}
		q, s := twoIDs(at), *(*uint32)(unsafe.Add(at, 8))
		a += valueIf(zp, uint32(q), 0-k)
		b += valueIf(zp, uint32(q>>32), 1-k)
		c += valueIf(zp, s, 2-k)
		y := base[p&mask] + ((a + b) + (c + d))
		ys[p] = y
		*(*float64)(z) = ws[p] * y
		if step == 2 {
			*(*float64)(unsafe.Add(z, 8)) = r.Weight[1][p] * y
		}
		change += math.Abs(y - old)
		sum += y
	}
	return change, sum
}

// mask returns a mask such that base[p&mask] is the base of page p.
func (r *Relaxation) mask() graph.Page {
	if len(r.Base) == 1 {
		return 0
	}
	return graph.NoPage
}

// relaxPlain does what Relax does, with bounds checks.
func (g *Gather) relaxPlain(r *Relaxation, pages []graph.Page) (change, sum float64) {
	step, mask := r.step(), r.mask()
	for _, p := range pages {
		if r.NoSelf {
			r.Z[int(p)*step] = 0
		}
		y := r.Base[p&mask] + sumList(g.List(p), r.Z)
		change += math.Abs(y - r.Y[p])
		sum += y
		r.Y[p] = y
		for kind := range step {
			r.Z[int(p)*step+kind] = r.Weight[kind][p] * y
		}
	}
	return change, sum
}

// Spread adds c >= 0 to the magnitude of open[q] for every q in links, and returns how
// many of these elements have their sign bit set. It sets waiting[q/64+1] to 1 if the
// new value is above the threshold, and waiting[0] if not. It is the inner loop of the
// rank of a growing graph, and has no branches. Like sumLists it must not be inlined.
//
//go:noinline
func Spread(open []float64, waiting []uint8, links []graph.Page, c, threshold float64) (negative int) {
	if len(open) > 0 && len(waiting) < (len(open)-1)/64+2 {
		panic(fmt.Sprintf("kernel: spread over %d pages with %d blocks", len(open), len(waiting)))
	}
	add := math.Float64bits(c)
	blocks := unsafe.Pointer(unsafe.SliceData(waiting))
	signs := uint64(0)
	for _, q := range links {
		old := math.Float64bits(open[q])
		sign := old >> 63
		signs += sign
		v := math.Float64frombits(old) + math.Float64frombits(add|sign<<63)
		open[q] = v
		above := uintptr(0)
		if v > threshold {
			above = 1
		}
		*(*uint8)(unsafe.Add(blocks, (uintptr(q>>6)+1)&-above)) = 1
	}
	return int(signs)
}
