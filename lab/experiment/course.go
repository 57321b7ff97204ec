package experiment

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
)

// A Course is the crawls of a place from one start set.
type Course struct {
	*lab.Comparison
	Place *Place
	Runs  []*lab.Run // in the order of the policies
}

// Prepare makes a setting ready, unless the context has ended: short crawls do not check it.
func (b *Bench) Prepare(p *Place, s lab.Setting) (*Course, error) {
	if err := b.Context.Err(); err != nil {
		return nil, err
	}
	c, err := s.Prepare()
	if err != nil {
		return nil, err
	}
	return &Course{Comparison: c, Place: p}, nil
}

// Crawl crawls under several policies.
func (b *Bench) Crawl(c *Course, policies []string) (err error) {
	c.Runs, err = c.All(policies, b.Workers(), b.Stop)
	return err
}

// Courses crawls a place under several policies from its own seeds, which come first,
// and from the further start sets.
func (b *Bench) Courses(p *Place, truth TruthOf, policies ...string) ([]*Course, error) {
	return b.CoursesIn(p, truth, func(*lab.Setting) error { return nil }, policies...)
}

// CoursesIn returns Courses in a setting that change makes of the pure ordering experiment.
func (b *Bench) CoursesIn(p *Place, truth TruthOf, change func(*lab.Setting) error, policies ...string) ([]*Course, error) {
	sets := append([][]graph.Page{p.Seeds}, b.FurtherStarts(p)...)
	all := make([]*Course, len(sets))
	for i, seeds := range sets {
		b.Say(i, len(sets), "%s: %d policies", p.World.Name, len(policies))
		t, err := truth(b, p, seeds)
		if err != nil {
			return nil, err
		}
		s := b.Setting(p, t)
		s.Seeds = seeds
		if err := change(&s); err != nil {
			return nil, err
		}
		if all[i], err = b.Prepare(p, s); err != nil {
			return nil, err
		}
		if err = b.Crawl(all[i], policies); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Once returns a bench without further start sets.
func (b *Bench) Once() *Bench {
	one := *b
	one.Starts = 0
	return &one
}

// Course crawls a place from its own seeds only.
func (b *Bench) Course(p *Place, truth TruthOf, policies ...string) (*Course, error) {
	c, err := b.Once().Courses(p, truth, policies...)
	if err != nil {
		return nil, err
	}
	return c[0], nil
}

// Under returns the crawl of a policy, nil if it did not run.
func (c *Course) Under(policy string) *lab.Run {
	for _, r := range c.Runs {
		if r.Policy == policy {
			return r
		}
	}
	return nil
}

// Draws is the number of times that a start set that reaches too little is drawn again.
const Draws = 64

// FurtherStarts returns b.Starts sets of as many pages as the place has seeds. A set that
// reaches less than half of what the seeds of the place reach is drawn again: crawls of a
// few pages mean nothing. After 64 draws the set is left out. When the context ends the
// rest is missing; callers check the context.
func (b *Bench) FurtherStarts(p *Place) [][]graph.Page {
	if b.Starts == 0 {
		return nil
	}
	least := p.Reach(p.Seeds) / 2
	var sets [][]graph.Page
	for start := range b.Starts {
		b.Say(start, b.Starts, "%s, drawing start sets", p.World.Name)
		for draw := range Draws {
			if b.Context.Err() != nil {
				return sets
			}
			seeds := lab.RandomSeeds(p.World.Pages(), len(p.Seeds), b.Random, uint64(start*Draws+draw))
			if p.Reach(seeds) >= least {
				sets = append(sets, seeds)
				break
			}
		}
	}
	return sets
}
