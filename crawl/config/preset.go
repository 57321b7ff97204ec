package config

import "slices"

// A Preset is the settings of a crawl that a paper describes.
type Preset struct {
	Name  string
	What  string // one line for help
	apply func(*Config)
}

// Presets returns all presets.
func Presets() []Preset {
	return []Preset{
		{"wire2002", "Baeza-Yates and Castillo 2002: 30 s between two requests to a site, 500 fetchers", wire2002},
		{"thesis-exp1", "Castillo 2004, experiment 1: 15 s, 1,000 fetchers, batches of 100,000, larger sites first", thesisExp1},
		{"thesis-exp2", "Castillo 2004, experiment 2: 5 s, 15 s for sites below 100 pages, batches of 200,000", thesisExp2},
	}
}

// Apply sets the keys of the preset and leaves all others.
func (p Preset) Apply(c *Config) { p.apply(c) }

// FindPreset finds a preset by its name.
func FindPreset(name string) (Preset, bool) {
	all := Presets()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

// fixedDelay is what all three have in common: /cgi-bin/ is left out, and politeness is
// one time for every site, whatever a download took, and none for addresses, of which
// nobody spoke.
func fixedDelay(c *Config, delay float64) {
	c.Delay, c.SmallDelay, c.SmallSite = Seconds(delay), Duration{}, 0
	c.DelayFactor, c.IPDelay, c.IPCap = 0, Duration{}, 0
	c.PerConnection = 1
	c.MaxDepth, c.MaxDepthDynamic = 15, 5
	leaveOutPrograms(c)
}

// programs is a pattern of URLs that WIRE did not crawl (Baeza-Yates and Castillo 2002,
// section 5.1): behind them are endless pages, and things that happen when they are asked
// for, such as a vote.
const programs = "/cgi-bin/"

// leaveOutPrograms adds the pattern to those that a configuration has.
func leaveOutPrograms(c *Config) {
	if !slices.Contains(c.Exclude, programs) {
		c.Exclude = append(slices.Clone(c.Exclude), programs)
	}
}

// wire2002: "waits by default 30 seconds between accesses", "up to 500 threads".
func wire2002(c *Config) {
	fixedDelay(c, 30)
	c.Fetchers = 500
}

// thesisExp1: section 4.5.1, K = 100,000, r = 1000, w = 15, c = 1.
func thesisExp1(c *Config) {
	fixedDelay(c, 15)
	c.Policy, c.SitePolicy = "larger-sites-first", ""
	c.Batch, c.Fetchers, c.SitePages = 100_000, 1_000, 25_000
}

// thesisExp2: section 4.5.2, K = 200,000, r = 1000, w = 5, and w = 15 for sites with
// less than 100 pages.
func thesisExp2(c *Config) {
	thesisExp1(c)
	c.Delay, c.SmallDelay, c.SmallSite = Seconds(5), Seconds(15), 100
	c.Batch = 200_000
}
