package papers

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// What the experiments of the two papers without a model of time share: what was found
// at each place and the sentence about all of them, the start sets, and curves on a
// grid of percents, so that crawls of webs of different size can be laid over each
// other.

// A finding is whether what a paper found holds at one place, with the numbers that
// say so.
type finding struct {
	place   string
	holds   bool
	numbers string
	lacks   string // why the question cannot be asked there; then nothing else counts
}

// verdict is the sentence on a claim over all places.
func verdict(claim string, all []finding) string {
	var yes, no, lack []string
	for _, f := range all {
		switch {
		case f.lacks != "":
			lack = append(lack, f.place+" ("+f.lacks+")")
		case f.holds:
			yes = append(yes, f.place+" ("+f.numbers+")")
		default:
			no = append(no, f.place+" ("+f.numbers+")")
		}
	}
	s := tell(claim, yes, no)
	if len(lack) > 0 {
		s += "; not asked on " + strings.Join(lack, ", ")
	}
	return s + "."
}

// tell is the part of a verdict about places where the question can be asked.
func tell(claim string, yes, no []string) string {
	asked := len(yes) + len(no)
	switch {
	case asked == 0:
		return "Could not be asked here: " + claim
	case len(no) == 0 && asked == 1:
		return fmt.Sprintf("Holds: %s: %s", claim, yes[0])
	case len(no) == 0:
		return fmt.Sprintf("Holds on %s: %s: %s", allWorlds(asked), claim, strings.Join(yes, ", "))
	case len(yes) == 0 && asked == 1:
		return fmt.Sprintf("Does not hold: %s: against it %s", claim, no[0])
	case len(yes) == 0:
		return fmt.Sprintf("Holds on none of %d worlds: %s: against it %s", asked, claim, strings.Join(no, ", "))
	}
	return fmt.Sprintf("Holds on %d of %d worlds: %s: %s; but not on %s", len(yes), asked, claim, strings.Join(yes, ", "), strings.Join(no, ", "))
}

func allWorlds(n int) string {
	if n == 2 {
		return "both worlds"
	}
	return fmt.Sprintf("all %d worlds", n)
}

// verdicts joins the sentences on several claims into one.
func verdicts(first string, further ...string) string {
	s := strings.TrimSuffix(first, ".")
	for _, f := range further {
		s += "; further: " + strings.ToLower(f[:1]) + strings.TrimSuffix(f[1:], ".")
	}
	return s + "."
}

// paperHeader is what a run is a function of.
func (b *Bench) paperHeader(policies []string, options ...string) []show.Field {
	var worlds, seeds []string
	for _, p := range b.Places {
		worlds = append(worlds, p.describe())
		seeds = append(seeds, fmt.Sprintf("%s: %s (%d)", p.World.Name, p.SeedsName, len(p.Seeds)))
	}
	f := []show.Field{{Name: "worlds", Value: strings.Join(worlds, "; ")}, {Name: "seeds", Value: strings.Join(seeds, "; ")}}
	if len(policies) > 0 {
		f = append(f, show.Field{Name: "policies", Value: strings.Join(policies, ", ")})
	}
	options = append([]string{"one fetcher, no time model"}, options...)
	if b.Starts > 0 {
		options = append(options, fmt.Sprintf("%d further start sets at random", b.Starts))
	}
	return append(f, show.Field{Name: "options", Value: strings.Join(options, ", ")}, show.Field{Name: "random seed", Value: fmt.Sprint(b.Random)})
}

func (p *Place) describe() string {
	s := fmt.Sprintf("%s, %s, %s", p.World.Name, show.Counted(p.World.Pages(), "page"), show.Counted(int(p.World.Sim.Out.Links()), "link"))
	if p.World.Sim.SiteOf != nil {
		s += ", " + show.Counted(p.World.Sites(), "site")
	}
	return s
}

func (b *Bench) threads() int {
	if b.Threads > 0 {
		return b.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// A course is the crawls from one start set.
type course struct {
	*lab.Comparison
	runs []*lab.Run // in the order of the policies asked for
}

// courses crawls a place under several policies from its own seeds, which come first,
// and from the further start sets.
func (b *Bench) courses(p *Place, t *measure.Truth, policies []string) ([]course, error) {
	sets := append([][]graph.Page{p.Seeds}, b.furtherStarts(p)...)
	all := make([]course, len(sets))
	for i, seeds := range sets {
		if err := b.Context.Err(); err != nil {
			return nil, err
		}
		b.say(i, len(sets), "%s: %d policies", p.World.Name, len(policies))
		s := p.Setting(b, t)
		s.Seeds = seeds
		c, err := s.Prepare()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		runs, err := c.All(policies, b.threads(), func(int) error { return b.Context.Err() })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.World.Name, err)
		}
		all[i] = course{c, runs}
	}
	return all, nil
}

// draws is how often a start set is drawn anew that reaches too little.
const draws = 64

// furtherStarts is b.Starts sets of as many pages as the place has seeds. A set that
// reaches less than half of what the seeds of the place reach is drawn again: crawls
// of a few pages say nothing. After 64 draws the set is left out. When the context ends
// the rest is missing; whoever crawls from them sees that.
func (b *Bench) furtherStarts(p *Place) [][]graph.Page {
	if b.Starts == 0 {
		return nil
	}
	least := len(measure.Reach(p.World.Sim.Out, p.Seeds).Order) / 2
	var sets [][]graph.Page
	for start := range b.Starts {
		b.say(start, b.Starts, "%s, drawing start sets", p.World.Name)
		for draw := range draws {
			if b.Context.Err() != nil {
				return sets
			}
			seeds := lab.RandomSeeds(p.World.Pages(), len(p.Seeds), b.Random, uint64(start*draws+draw))
			if len(measure.Reach(p.World.Sim.Out, seeds).Order) >= least {
				sets = append(sets, seeds)
				break
			}
		}
	}
	return sets
}

// percents is a curve after 1, 2... 100 % of E.
func percents(c measure.Curve) []float64 {
	y := make([]float64, 100)
	for i := range y {
		y[i], _ = c.At(float64(i+1) / 100)
	}
	return y
}

// percentSeries is a line for a chart over percents crawled, its values times scale,
// from the curves of one policy on one or several start sets: their mean and, of more
// than one, its 95 % interval. A first value is put at 0 % crawled.
func (b *Bench) percentSeries(name string, curves []measure.Curve, at0, scale float64) plot.Series {
	s := plot.Series{Name: name, X: []float64{0}, Y: []float64{at0 * scale}}
	on := make([][]float64, len(curves))
	for i, c := range curves {
		on[i] = percents(c)
	}
	if len(curves) > 1 {
		s.Low, s.High = []float64{at0 * scale}, []float64{at0 * scale}
	}
	x := make([]float64, len(curves))
	for k := range 100 {
		for i := range on {
			x[i] = on[i][k] * scale
		}
		in := b.summarise(x)
		s.X, s.Y = append(s.X, float64(k+1)), append(s.Y, in.Mean)
		if len(curves) > 1 {
			s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
		}
	}
	return s
}

// summarise is Summarise with the seed of the bench. When the context has ended it is
// empty, because nobody will read it.
func (b *Bench) summarise(x []float64) measure.Interval {
	if b.Context != nil && b.Context.Err() != nil {
		return measure.Interval{}
	}
	return measure.Summarise(x, b.Random)
}

// diagonal is what a random crawler has: k/T of all (P6).
func diagonal(scale float64) plot.Series {
	return plot.Series{Name: "random", X: []float64{0, 100}, Y: []float64{0, scale}, Baseline: true}
}

// bandText explains lines and bands.
func bandText(sets int) string {
	if sets < 2 {
		return ""
	}
	return fmt.Sprintf("\n\nLines are means over %d start sets, the seeds of the place and as many pages drawn at random, bands the 95 %% bootstrap intervals of the means.", sets)
}
