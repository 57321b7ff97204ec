// Package sim crawls a known graph in virtual time: the world is a graph with a model
// of time, the frontier and the policies are those of the live crawler, and the clock
// jumps from one event to the next.
//
// # The loop
//
// As long as a fetcher is idle, Next of the frontier is called for a task at the present
// instant. A task takes the time that the world gives to each of its phases: finding
// the address, connecting, the first byte, the body, closing. Bodies share the
// crawler's own line max-min fairly when it has a limit. Then the clock goes to the
// earliest end of a task, or to the instant at which the frontier wants to be called
// again. Ends at the same instant are applied in the order of site and page before Next
// is called; a connection that is kept gets its next page at its own end. Nothing is
// handed out in advance, nothing waits for a group of ends, and parsing takes no time:
// a crawler that does the same with goroutines and a real clock hands out the same
// pages at the same instants.
//
// # Ids
//
// The world has its own page ids. The crawl numbers pages and sites as it discovers
// them, as the live crawler does, so that a policy sees nothing of the world in an id.
// The links of a page are seen in ascending id of the world.
package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Times describes how long everything takes in a world and how large its pages are.
// Each number is a hash of (Seed, what, site or page, attempt) put through the
// quantile function of a distribution. So nothing is stored per page, and a page takes
// as long whichever policy requests it, and whenever: all policies meet the same
// conditions. Sites and pages are ids of the world, not numbers of discovery.
//
// A fetch over a new connection, the name resolved before, takes
//
//	connect     Handshake x latency(site) x noise
//	first byte  (Request x latency(site) + think(site)) x noise
//	body        size(page) / min(speed(site), its share of the crawler's own line)
//	close       Farewell x latency(site) x noise
//
// and a request over an open connection has no connect and no close. Each noise is a
// draw of its own. Durations are continuous down to the nanosecond, so two events
// practically never share an instant.
//
// Times made by Recorded take their numbers from what a crawl measured instead; a closed
// connection then lets its fetcher go at once, since the end of an answer was measured
// after it. Servers that closed their connections in that crawl do so here.
type Times struct {
	Seed  uint64 // worlds with different seeds have no number in common
	Model Model

	recorded *measures // nil: the model counts
}

// Model holds the parameters of Times. Lost packets, slow start and the load that a
// crawler puts on a server are not modelled apart: they belong to the spread.
type Model struct {
	Name string // for headers

	Latency Dist // per site, seconds: the level of what the network makes a fetcher wait
	Think   Dist // per site, seconds: what the server needs for a page beyond Latency
	Noise   Dist // per connection and per request, a factor of median 1; zero value: no noise
	Lookup  Dist // per site, seconds: DNS, times noise
	Speed   Dist // per site, bytes per second: the most that it sends us
	Size    Dist // per page, bytes as they cross the line (compressed, where they are)
	Robots  Dist // per site, bytes of its robots.txt as they cross the line

	Handshake float64 // latencies for a new connection, TLS included
	Request   float64 // latencies from the request to the first byte
	Farewell  float64 // latencies until a closed connection lets its fetcher go
}

// What a number is drawn for: draws of different kinds are independent.
const (
	drawLatency = iota + 1
	drawThink
	drawLookup
	drawLookupNoise
	drawConnectNoise
	drawRequestNoise
	drawCloseNoise
	drawSpeed
	drawSize
	drawRobots
	drawKept
)

// Resolve returns the time that DNS takes for the name of a site.
func (t *Times) Resolve(s graph.Site, attempt uint32) time.Duration {
	if t.recorded != nil {
		return duration(t.measured(LookupSeconds, drawLookup, s, 0, attempt))
	}
	level := t.Model.Lookup.At(t.draw(drawLookup, uint32(s), 0, 0))
	return duration(level * t.noise(drawLookupNoise, uint32(s), 0, attempt))
}

// Connect returns the time that connection n to a site takes to open, TLS included.
func (t *Times) Connect(s graph.Site, n uint32) time.Duration {
	if t.recorded != nil {
		return duration(t.measured(ConnectSeconds, drawConnectNoise, s, 0, n))
	}
	return duration(t.Model.Handshake * t.latency(s) * t.noise(drawConnectNoise, uint32(s), 0, n))
}

// FirstByte returns the time from request to first byte at attempt n to get a page.
// graph.NoPage means robots.txt.
func (t *Times) FirstByte(s graph.Site, p graph.Page, n uint32) time.Duration {
	if t.recorded != nil {
		return duration(t.measured(FirstByteSeconds, drawRequestNoise, s, uint32(p), n))
	}
	level := float64(t.Model.Request * t.latency(s))
	if !t.Model.Think.none() {
		level += t.Model.Think.At(t.draw(drawThink, uint32(s), 0, 0))
	}
	return duration(level * t.noise(drawRequestNoise, uint32(s), uint32(p), n))
}

// Size returns the number of bytes of a page, at least 1.
func (t *Times) Size(p graph.Page) int64 {
	if t.recorded != nil {
		return t.recordedSize(p)
	}
	return count(t.Model.Size.At(t.draw(drawSize, uint32(p), 0, 0)))
}

// RobotsSize returns the number of bytes of the robots.txt of a site, at least 1.
func (t *Times) RobotsSize(s graph.Site) int64 {
	if t.recorded != nil {
		return count(t.measured(RobotsBytes, drawRobots, s, 0, 0))
	}
	return count(t.Model.Robots.At(t.draw(drawRobots, uint32(s), 0, 0)))
}

// Speed returns the most that a site sends us, in bytes per second: B_i^MAX of the
// thesis, the cap of its transfers on a [Line].
func (t *Times) Speed(s graph.Site) float64 {
	if t.recorded != nil {
		return t.recordedSpeed(s)
	}
	return t.Model.Speed.At(t.draw(drawSpeed, uint32(s), 0, 0))
}

// Close returns the time from closing connection n to a site until its fetcher is free.
func (t *Times) Close(s graph.Site, n uint32) time.Duration {
	if t.Model.Farewell == 0 {
		return 0
	}
	return duration(t.Model.Farewell * t.latency(s) * t.noise(drawCloseNoise, uint32(s), 0, n))
}

// Sequential returns the time of a fetch over a new connection to a site whose name is
// resolved, with nothing else on the line: what the thesis measured for its Figure 4.2.
func (t *Times) Sequential(s graph.Site, p graph.Page, n uint32) time.Duration {
	return t.Connect(s, n) + t.FirstByte(s, p, n) + TransferTime(float64(t.Size(p)), t.Speed(s))
}

// TransferTime returns the time that a number of bytes takes at a rate in bytes per second,
// rounded up to the nanosecond. A transfer that a [Line] never holds back takes exactly
// as long.
func TransferTime(bytes, rate float64) time.Duration {
	return nanoseconds(bytes / rate * 1e9)
}

func (t *Times) latency(s graph.Site) float64 {
	return t.Model.Latency.At(t.draw(drawLatency, uint32(s), 0, 0))
}

func (t *Times) noise(kind uint64, a, b, n uint32) float64 {
	if t.Model.Noise.none() {
		return 1
	}
	return t.Model.Noise.At(t.draw(kind, a, b, n))
}

// draw returns a uniform number in (0, 1) that depends on all its arguments and on nothing
// else: 53 bits of a hash and half a bit, so that neither end is ever drawn.
func (t *Times) draw(kind uint64, a, b, n uint32) float64 {
	h := mix(t.Seed + kind*golden)
	h = mix(h ^ (uint64(a)<<32 | uint64(b)))
	h = mix(h + uint64(n)*golden)
	return (float64(h>>11) + 0.5) * (1.0 / (1 << 53))
}

const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio, odd

// mix computes the output function of splitmix64 (Steele, Lea and Flood 2014): a bijection
// in which every bit of the input moves about half of the output.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// longest bounds every duration: sums of two stay far from overflow.
const longest = time.Duration(1) << 61

// duration rounds seconds up to the nanosecond.
func duration(seconds float64) time.Duration { return nanoseconds(seconds * 1e9) }

func nanoseconds(ns float64) time.Duration {
	if ns >= float64(longest) {
		return longest
	}
	return time.Duration(math.Ceil(ns))
}

// count rounds a size to whole bytes, at least one.
func count(bytes float64) int64 { return max(1, int64(bytes)) }

// Dist is a distribution of positive numbers, given by its quantile function: either a
// table of quantiles, or a log-normal body that may end in a Pareto tail:
//
//	x(u) = Median e^(Sigma z(u))              for u <= 1 - Tail, z the normal quantile
//	x(u) = x(1 - Tail) (Tail / (1-u))^(1/Alpha)   above
//
// The zero value is the number 0.
type Dist struct {
	Median float64 `json:"median,omitempty"` // in the unit of what is drawn
	Sigma  float64 `json:"sigma,omitempty"`  // standard deviation of the logarithm; 0: always Median
	Tail   float64 `json:"tail,omitempty"`   // share of the draws in the Pareto tail; 0: none
	Alpha  float64 `json:"alpha,omitempty"`  // exponent of the tail
	Cut    float64 `json:"cut,omitempty"`    // share cut off at the top: the largest number is x(1 - Cut)

	// Table wins over all of the above: straight lines between its points. U ascends
	// from 0 to 1, X never falls.
	Table []Quantile `json:"table,omitempty"`
}

// Quantile states that a share U of all numbers is at most X.
type Quantile struct{ U, X float64 }

// At returns the quantile of u, which is in (0, 1).
func (d *Dist) At(u float64) float64 {
	if len(d.Table) > 0 {
		return d.interpolate(u)
	}
	u *= 1 - d.Cut
	if d.Tail > 0 && u > 1-d.Tail {
		return d.body(1-d.Tail) * math.Pow(d.Tail/(1-u), 1/d.Alpha)
	}
	return d.body(u)
}

// body returns a quantile of the log-normal. The normal quantile is sqrt 2 times
// the inverse error function at 2u-1, in math by the rational approximations of Wichura
// (1988, AS 241).
func (d *Dist) body(u float64) float64 {
	if d.Sigma == 0 {
		return d.Median
	}
	return d.Median * math.Exp(d.Sigma*math.Sqrt2*math.Erfinv(2*u-1))
}

func (d *Dist) interpolate(u float64) float64 {
	t := d.Table
	i := sort.Search(len(t), func(i int) bool { return t[i].U >= u })
	if i == 0 {
		return t[0].X
	}
	if i == len(t) {
		return t[i-1].X
	}
	a, b := t[i-1], t[i]
	return a.X + float64((b.X-a.X)*((u-a.U)/(b.U-a.U)))
}

// none reports whether the distribution was left out.
func (d *Dist) none() bool { return d.Median == 0 && len(d.Table) == 0 }

// String returns the parameters, or for a table its size and some of its quantiles.
func (d Dist) String() string {
	if len(d.Table) > 0 {
		return fmt.Sprintf("table of %d, quartiles %.4g %.4g %.4g", len(d.Table), d.At(0.25), d.At(0.5), d.At(0.75))
	}
	s := fmt.Sprintf("%.6g", d.Median)
	if d.Sigma > 0 {
		s += fmt.Sprintf(" sigma %.6g", d.Sigma)
	}
	if d.Tail > 0 {
		s += fmt.Sprintf(" tail %.6g alpha %.6g", d.Tail, d.Alpha)
	}
	if d.Cut > 0 {
		s += fmt.Sprintf(" cut %.6g", d.Cut)
	}
	return s
}

// maxTable bounds the table that Sample makes: a simulated share is then off by
// at most 1/4096.
const maxTable = 4097

// Sample returns the distribution of observed numbers: a table of their order statistics,
// thinned evenly to at most 4,097 points.
func Sample(observed []float64) (Dist, error) {
	if len(observed) == 0 {
		return Dist{}, errors.New("sample: no numbers")
	}
	x := slices.Clone(observed)
	slices.SortFunc(x, cmp.Compare[float64])
	if !(x[0] >= 0) || math.IsInf(x[len(x)-1], 1) { // what is not a number comes first
		return Dist{}, errors.New("sample: a number is negative or not finite")
	}
	n := min(max(len(x), 2), maxTable)
	d := Dist{Table: make([]Quantile, n)}
	for i := range d.Table {
		d.Table[i] = Quantile{U: float64(i) / float64(n-1), X: x[i*(len(x)-1)/(n-1)]}
	}
	return d, nil
}
