package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// demoObject is what --json prints of a crawl.
type demoObject struct {
	Dir        string           `json:"dir"`
	Settings   string           `json:"settings,omitempty"` // of a preset
	Violations int              `json:"violations"`         // by the server's count
	Server     webcount.Summary `json:"server"`
	Crawl      reportObject     `json:"crawl"`
	Real       *courseObject    `json:"real"`
	Simulated  []*courseObject  `json:"simulated"` // the policies of all crawls in the world that this one recorded
}

// demosObject is what it prints of several.
type demosObject struct {
	Dir    string       `json:"dir"`
	Crawls []demoObject `json:"crawls"`
}

// courseObject is how soon a crawl had the importance; null where it never had.
type courseObject struct {
	Policy   string   `json:"policy"`
	HalfRank *float64 `json:"importance_of_half"` // share that the first half of the pages has (X31)
	For50    *float64 `json:"seconds_for_50"`
	For90    *float64 `json:"seconds_for_90"`
	Seconds  float64  `json:"seconds"`
}

// courseOf measures a run; the policy is that of the crawl, simulated or not.
func courseOf(run *lab.Run, policy string) *courseObject {
	c := run.Trial.Cumulative()
	o := &courseObject{Policy: policy, Seconds: run.Result.Took.Seconds(), For50: secondsAt(run, c, 0.5), For90: secondsAt(run, c, 0.9)}
	if v, ok := c.At(0.5); ok {
		o.HalfRank = &v
	}
	return o
}

// secondsAt is when a share of the importance was there, or nil.
func secondsAt(run *lab.Run, c measure.Curve, level float64) *float64 {
	i, _ := slices.BinarySearch(c.Y, level)
	if i >= len(run.Result.End) {
		return nil
	}
	s := run.Result.End[i].Seconds()
	return &s
}

func (d *demoCrawl) real() *courseObject { return courseOf(d.report.real, d.config.Policy) }

// simulated is a policy in the world that the crawl recorded, with its times; nil if it
// could not be simulated. Two policies in one such world differ by nothing else, while
// two crawls also differ by what the machine did meanwhile.
func (d *demoCrawl) simulated(policy string) *courseObject {
	name := policy
	if policy == d.config.Policy {
		name += ", simulated" // as the report calls it
	}
	for _, run := range d.report.runs {
		if run.Policy == name {
			return courseOf(run, policy)
		}
	}
	return nil
}

func (d *demoCrawl) object(o *demoOptions, all []*demoCrawl) demoObject {
	x := demoObject{
		Settings: d.settings(o),
		Dir:      d.dir, Violations: len(d.found), Server: d.server.Counter().Summary(),
		Crawl: d.report.object(filepath.Join(d.reportDir(), "report.html"), 0),
		Real:  d.real(),
	}
	for _, c := range all {
		if s := d.simulated(c.config.Policy); s != nil {
			x.Simulated = append(x.Simulated, s)
		}
	}
	return x
}

func printDemo(u *ui, o *demoOptions, crawls []*demoCrawl) error {
	switch {
	case u.asJSON && len(crawls) == 1:
		return u.json(crawls[0].object(o, crawls))
	case u.asJSON:
		return u.json(o.object(crawls))
	case len(crawls) == 1:
		return crawls[0].print(u, o)
	}
	return o.printSeveral(u, crawls)
}

func (o *demoOptions) object(crawls []*demoCrawl) demosObject {
	all := demosObject{Dir: o.dir}
	for _, c := range crawls {
		all.Crawls = append(all.Crawls, c.object(o, crawls))
	}
	return all
}

func (d *demoCrawl) print(u *ui, o *demoOptions) error {
	if _, err := io.WriteString(u.stdout, d.report.text(textOptions(u))); err != nil {
		return err
	}
	m := d.server.Counter().Summary()
	u.printf("\n")
	if o.preset != "" {
		u.printf("settings    %s\n", d.settings(o))
	}
	t := show.NewList()
	t.Add("server", show.Grouped(m.Requests)+" requests", fmt.Sprintf("at most %d connection at once to a site, %s full answers of %s pages", m.MostOpen, show.Grouped(m.Full), show.Grouped(m.Pages)))
	t.Add("violations", show.Grouped(int64(len(d.found))), "of robots.txt, delays and connections, by the server's count")
	t.Add("crawl", d.dir)
	t.Add("report", filepath.Join(d.reportDir(), "report.html"))
	return t.Print(u.stdout)
}

// printSeveral holds the crawls against each other, and each against its simulation (X35).
func (o *demoOptions) printSeveral(u *ui, crawls []*demoCrawl) error {
	rep := &show.Report{Title: "crawls of the same web", Sections: []show.Section{demoComparison(crawls)}}
	if o.preset != "" {
		rep.Header = []show.Field{{Name: "settings", Value: crawls[0].settings(o)}}
	}
	if _, err := io.WriteString(u.stdout, rep.Text(textOptions(u))); err != nil {
		return err
	}
	t := show.NewList()
	for _, c := range crawls {
		t.Add("report", filepath.Join(c.reportDir(), "report.html"))
	}
	u.printf("\n")
	return t.Print(u.stdout)
}

// demoComparison has for each crawl a row of what happened on sockets, and below it the
// policies of all crawls, simulated.
func demoComparison(crawls []*demoCrawl) show.Section {
	t := &show.Table{Columns: []show.Column{
		{Name: "crawl"}, {Name: "at 50 %", Unit: "%", Key: "importance_at_50"},
		{Name: "half of it", Unit: "s", Key: "seconds_for_50"}, {Name: "90 % of it", Unit: "s", Key: "seconds_for_90"},
		{Name: "all", Unit: "s", Key: "seconds"}, {Name: "pages"}, {Name: "violations"},
	}}
	for _, c := range crawls {
		row := courseRow(c.config.Policy, c.real())
		t.Rows = append(t.Rows, append(row, show.Count(len(c.report.real.Result.Order)), show.Count(len(c.found))))
		for _, other := range crawls {
			if s := c.simulated(other.config.Policy); s != nil {
				t.Rows = append(t.Rows, append(courseRow("  simulated: "+s.Policy, s), show.None(), show.None()))
			}
		}
	}
	return show.Section{
		Table: t,
		Text: "Importance is PageRank of the pages that came. at 50 %: importance of the first half of the pages. half of it, 90 % of it: when so much of the importance was there. " +
			"simulated: the policy in the world that the crawl above recorded, with the times that it recorded.",
	}
}

func courseRow(name string, c *courseObject) []show.Cell {
	half := show.None()
	if c.HalfRank != nil {
		half = show.Num(100**c.HalfRank, 1)
	}
	return []show.Cell{show.Words(name), half, secondsCell(c.For50), secondsCell(c.For90), show.Num(c.Seconds, 1)}
}

func secondsCell(s *float64) show.Cell {
	if s == nil {
		return show.None()
	}
	return show.Num(*s, 2)
}
