package sim

import (
	"fmt"
	"strings"
)

// preset is a model of time that has a name on the command line (--time).
type preset struct {
	name  string
	model func() Model
}

func presets() []preset {
	return []preset{
		{"thesis2004", thesis2004},
		{"modern", modern},
	}
}

// PresetNames lists the presets in the order in which they are shown.
func PresetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
	}
	return names
}

// Preset returns the times of a world by the name of their model.
func Preset(name string, seed uint64) (*Times, error) {
	for _, p := range presets() {
		if p.name == name {
			m := p.model()
			m.Name = name
			return &Times{Seed: seed, Model: m}, nil
		}
	}
	return nil, fmt.Errorf("unknown times %q: there are %s", name, strings.Join(PresetNames(), ", "))
}

// thesis2004 returns the Web that Castillo's thesis, chapter 4, was simulated on, as far as
// the chapter describes it. Measured there:
//
//   - 90 % of the pages were fetched within 1.5 s and 95 % within 3 s, one after the other
//     (4.2.1, Figure 4.2)
//   - latency is usually larger than the transfer (4.2.1), and most of it belongs to
//     the connection (4.4)
//   - 57 GB for 3 M pages (4.5.1): 19 kB a page
//
// Latency.Median and Latency.Sigma were solved for the first, given the others; a test
// holds them to it. The rest is assumed: the shapes, the speeds (so that latency wins
// in about 73 % of the fetches), the split of the spread between sites and fetches, and
// DNS. With these, 98.8 % of the fetches end within 10 s, where Liu (1998) has "almost
// always".
//
// The two points belong to fetches from sites drawn evenly. A crawl in which a few
// sites have most of the pages follows the latencies of those few.
func thesis2004() Model {
	return Model{
		Latency:   Dist{Median: 0.078, Sigma: 1.805, Cut: 0.001}, // at most 21 s, before noise
		Noise:     Dist{Median: 1, Sigma: 1.2, Cut: 0.0001},
		Lookup:    Dist{Median: 0.05, Sigma: 1, Cut: 0.001},
		Speed:     Dist{Median: 400e3, Sigma: 1, Cut: 0.0001},
		Size:      Dist{Median: 8450, Sigma: 1.1, Tail: 0.05, Alpha: 1.3, Cut: 0.0002}, // at most 3.6 MB
		Robots:    Dist{Median: 200, Sigma: 1, Cut: 0.001},
		Handshake: 0.7,
		Request:   0.3,
		Farewell:  0, // the fetcher closes and does not wait
	}
}

// modern returns a present-day Web seen from a data centre. ITS NUMBERS ARE ASSUMPTIONS, not
// measurements; only the page size leans on one. It is there to see which findings of
// the papers outlive fast lines, TLS and larger pages, not to predict hours.
//
//   - Latency is a round trip, 40 ms in the middle. A connection takes two (TCP, then
//     TLS 1.3), a request one, and the server thinks for 80 ms on top.
//   - A page is HTML alone, compressed: 48 kB on average, if the 242 kB of HTML that
//     Chan (2025) met per page shrink to a fifth.
//   - A site sends 2 MB/s in the middle, and one in forty less than 0.3 MB/s.
func modern() Model {
	return Model{
		Latency:   Dist{Median: 0.04, Sigma: 0.8, Cut: 0.001},
		Think:     Dist{Median: 0.08, Sigma: 1, Cut: 0.001},
		Noise:     Dist{Median: 1, Sigma: 0.5, Cut: 0.0001},
		Lookup:    Dist{Median: 0.02, Sigma: 1, Cut: 0.001},
		Speed:     Dist{Median: 2e6, Sigma: 1, Cut: 0.0001},
		Size:      Dist{Median: 21500, Sigma: 1.1, Tail: 0.05, Alpha: 1.3, Cut: 0.0002},
		Robots:    Dist{Median: 500, Sigma: 1.2, Cut: 0.001},
		Handshake: 2,
		Request:   1,
		Farewell:  0,
	}
}

// Part is one distribution of a model with its name and unit: what a header prints and
// what a recorded table may replace.
type Part struct {
	Name string
	Unit string
	Dist *Dist
}

// Parts lists the distributions of a model, always in this order.
func (m *Model) Parts() []Part {
	return []Part{
		{"latency", "s", &m.Latency},
		{"think", "s", &m.Think},
		{"noise", "", &m.Noise},
		{"lookup", "s", &m.Lookup},
		{"speed", "B/s", &m.Speed},
		{"size", "B", &m.Size},
		{"robots", "B", &m.Robots},
	}
}

// String returns one line with every parameter, for the header of a report.
func (t *Times) String() string {
	if t.recorded != nil {
		return fmt.Sprintf("%s; seed %d", t.recorded.describe(), t.Seed)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d", t.Model.Name, t.Seed)
	for _, p := range t.Model.Parts() {
		if p.Dist.none() {
			continue
		}
		fmt.Fprintf(&b, "; %s %v", p.Name, *p.Dist)
		if p.Unit != "" {
			fmt.Fprintf(&b, " (%s)", p.Unit)
		}
	}
	m := &t.Model
	fmt.Fprintf(&b, "; handshake %g, request %g, farewell %g latencies", m.Handshake, m.Request, m.Farewell)
	return b.String()
}
