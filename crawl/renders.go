package crawl

import (
	"context"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/render/browser"
	"github.com/winnow-crawler/winnow/crawl/render/offline"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// renders lets a browser show the pages that need their scripts, one pass at a time, in a goroutine
// of its own. The browser has no network. What it asks for and is not stored becomes requisites,
// and when they have come, the page is shown again: see package render. A pass that is under way
// when a session ends is repeated in the next one.
type renders struct {
	*session
	outcomes *outcomes
	in       chan *offline.Job // nil: no page is to be shown
	out      chan *offline.Job
	cancel   context.CancelFunc
	busy     bool // a pass is under way
	warned   bool // the browser does not work
	studio   *offline.Studio
}

// checkBrowser reports that there is no browser, before anything is created.
func (o *RunOptions) checkBrowser() error {
	if !o.Config.Renders() || o.Machine.Browser != nil || browser.Find() != "" {
		return nil
	}
	return &hint.Error{Text: "there is no browser for --render " + o.Config.Render, Hint: "install chromium (Debian: apt install chromium), or leave out --render"}
}

// newRenders starts the goroutine, if pages are shown in this session, or wait from one before. In
// a session without --render those have the links of their HTML.
func newRenders(s *session, o *outcomes, g *gather.Options) renders {
	r := renders{session: s, outcomes: o, cancel: func() {}}
	if !s.config.Renders() && s.state.Renders.Waiting == 0 {
		return r
	}
	sites := config.NewOverrides(s.config) // those of the session are for its own goroutine
	studio := &offline.Studio{
		Journal: journal.NewFinder(s.dir.Journal, journal.Header{Crawl: s.id.Crawl, Partitions: 1}), Archive: remote.Dir(context.Background(), s.dir.Archive, s3.Dial),
		Gather: g, MaxBody: sites.LargestBody(),
		Secret: func(site []byte) bool {
			for name := range sites.Headers.Of(site) {
				if sites.Headers.Withheld(name) {
					return true
				}
			}
			return false
		},
	}
	switch {
	case !s.config.Renders():
	case s.options.Machine.Browser != nil:
		studio.Browser = s.options.Machine.Browser()
	default:
		studio.Browser = browser.New(browser.Options{})
	}
	r.in, r.out, r.studio = make(chan *offline.Job, 1), make(chan *offline.Job, 1), studio
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.out)
		defer studio.Close()
		for j := range r.in {
			studio.Do(ctx, j)
			r.out <- j
		}
	}()
	return r
}

// close ends the goroutine and waits for it.
func (r *renders) close() {
	r.cancel()
	if r.in == nil {
		return
	}
	close(r.in)
	for range r.out {
	}
}

// ready reports whether a pass could begin.
func (r *renders) ready() bool {
	return r.in != nil && !r.busy && !r.outcomes.limits.stopped() && r.state.Renders.Next(r.onDisk) != nil
}

// look begins the next pass, or ends the one under way if the crawl stops.
func (r *renders) look() {
	if r.busy && r.outcomes.limits.stopped() {
		r.cancel()
	}
	if !r.ready() {
		return
	}
	w := r.state.Renders.Next(r.onDisk)
	j := &offline.Job{Page: w.Page, URL: string(r.state.AppendURL(nil, w.Page)), Answer: w.Answer, Room: render.MaxParts - len(w.Parts)}
	for _, n := range w.Parts {
		if m := r.state.Renders.Mark(n); m > render.None {
			j.Parts = append(j.Parts, offline.Part{Number: n, Mark: m})
		}
	}
	r.busy = true
	r.in <- j
}

// take records what a pass has shown.
func (r *renders) take(now time.Duration, j *offline.Job) {
	r.busy = false
	w := r.state.Renders.Of(j.Page)
	if j.Void || w == nil || w.Answer != j.Answer || r.outcomes.limits.bursts(&task{work: event.Task{Kind: event.Fetch}, found: j.Found}) {
		return // as if it had not been: it is shown again, or was fetched again meanwhile
	}
	if r.studio.Broken() && !r.warned {
		r.warned = true
		r.log.Error("the browser does not work: pages are not rendered any more, and have the links of their HTML", "why", j.Note)
	}
	pass := w.Pass + 1
	if j.Note == "" && pass < render.MaxPasses && j.Asked.Len() > 0 {
		r.outcomes.need(now, j.Asked, r.state.Frontier.Site(j.Page), j.Page, min(pass, requisite.MaxSteps))
		if parts := r.state.Asked(j.Asked, w.Parts); len(parts) > 0 {
			rec := r.begin(event.Rendered, now)
			rec.Event.Page, rec.Event.Again, rec.Event.Fresh = j.Page, true, w.Fresh
			rec.Facts.Step, rec.Facts.Parts = pass, parts
			r.record()
			return
		}
	}
	r.end(now, j, w.Fresh, pass)
}

// end records what a page shows after its last pass.
func (r *renders) end(now time.Duration, j *offline.Job, fresh bool, pass uint8) {
	rec, f := r.begin(event.Rendered, now), &j.Found
	rec.Event.Page, rec.Event.Class, rec.Event.Fresh = j.Page, event.OK, fresh
	rec.Facts.Step, rec.Facts.Note, rec.Facts.Size = pass, j.Note, f.Size
	r.outcomes.discover(rec, f)
	r.record()
	r.outcomes.need(now, &f.Needs, r.state.Frontier.Site(j.Page), j.Page, 1)
	r.outcomes.admission.admitNearer(now)
	for _, url := range f.Feeds {
		r.outcomes.admission.nameFeed(now, url)
	}
}

// shows reports whether a browser shows a page that was fetched and stored. A page that has not
// changed was shown before.
func (o *outcomes) shows(t *task) bool {
	f := &t.found
	if f.Class != event.OK || f.Revisit || len(f.Records.Bytes) == 0 {
		return false
	}
	switch o.config.Render {
	case config.RenderAuto:
		return f.Script == gather.Likely
	case config.RenderAlways:
		return f.Script != gather.Unneeded
	}
	return false
}
