package main

import (
	"fmt"

	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// A demoObject is the JSON output for one crawl.
type demoObject struct {
	Dir        string           `json:"dir"`
	Settings   string           `json:"settings,omitempty"` // of a preset
	Violations int              `json:"violations"`         // by the server's count
	Server     webcount.Summary `json:"server"`
	Crawl      live.Summary     `json:"crawl"`
	Real       *live.Course     `json:"real"`
	Simulated  []*live.Course   `json:"simulated"` // the policies of all crawls in the world that this one recorded
}

// A demosObject is the JSON output for several crawls.
type demosObject struct {
	Dir    string       `json:"dir"`
	Crawls []demoObject `json:"crawls"`
}

func (d *demoCrawl) object(o *demoOptions, all []*demoCrawl) demoObject {
	x := demoObject{
		Settings: o.Settings(&d.config),
		Dir:      d.dir, Violations: len(d.found), Server: d.server.Counter().Summary(),
		Crawl: d.report.Summary(), Real: d.report.Course(),
	}
	x.Crawl.Report = d.reportFile()
	for _, c := range all {
		if s := d.report.Simulated(c.config.Policy); s != nil {
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
	if err := u.report(d.report.Brief(textOptions(u).Charts)); err != nil {
		return err
	}
	m := d.server.Counter().Summary()
	u.printf("\n")
	if o.Preset != "" {
		u.printf("settings    %s\n", o.Settings(&d.config))
	}
	t := show.NewList()
	t.Add("server", show.Grouped(m.Requests)+" requests", fmt.Sprintf("at most %d connection at once to a site, %s full answers of %s pages", m.MostOpen, show.Grouped(m.Full), show.Grouped(m.Pages)))
	t.Add("violations", show.Grouped(int64(len(d.found))), "of robots.txt, delays and connections, by the server's count")
	t.Add("crawl", d.dir)
	t.Add("report", d.reportFile())
	return t.Print(u.stdout)
}

// printSeveral compares the crawls with each other, and each with its simulation.
func (o *demoOptions) printSeveral(u *ui, crawls []*demoCrawl) error {
	var reports []*live.Report
	var violations []int
	for _, c := range crawls {
		reports, violations = append(reports, c.report), append(violations, len(c.found))
	}
	rep := &show.Report{Title: "crawls of the same web", Sections: []show.Section{live.Compare(reports, violations)}}
	if o.Preset != "" {
		rep.Header = []show.Field{{Name: "settings", Value: o.Settings(&crawls[0].config)}}
	}
	if err := u.report(rep); err != nil {
		return err
	}
	t := show.NewList()
	for _, c := range crawls {
		t.Add("report", c.reportFile())
	}
	u.printf("\n")
	return t.Print(u.stdout)
}
