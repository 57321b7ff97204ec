package crawl

import (
	"context"

	"github.com/winnow-crawler/winnow/crawl/focus"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// MakeTopic makes the topic of a crawl that has none yet, and sets the key of the configuration:
// from then on the crawl needs no file. Examples that are URLs are fetched first: run does a session
// with the options that it is given, and nothing of it is to be seen by OnPage.
func MakeTopic(ctx context.Context, o *RunOptions, run func(context.Context, RunOptions) (*Summary, error)) error {
	c := &o.Config
	if c.Topic != "" || !c.Focused() || o.keep != nil {
		return nil
	}
	if urls := c.ExampleURLs(); len(urls) > 0 {
		if err := fetchExamples(ctx, o, urls, run); err != nil {
			return err
		}
	}
	made, err := focus.Make(ctx, c, o.Dir)
	if err != nil {
		return err
	}
	for _, text := range made.Notes {
		note(o.Log, text)
	}
	c.Topic = made.Text()
	note(o.Log, "looking for pages with words that begin with "+focus.FirstWords(made.Terms()))
	return nil
}

// fetchExamples does a session that fetches the examples, and nothing else.
func fetchExamples(ctx context.Context, o *RunOptions, urls []string, run func(context.Context, RunOptions) (*Summary, error)) error {
	sub := *o
	sub.Config, sub.Seeds, sub.AddSeeds, sub.Chance, sub.Control, sub.OnPage = o.Config.Clone(), nil, true, nil, nil, nil
	for _, u := range urls {
		seed, err := page.ParseSeed(u)
		if err != nil {
			return &hint.Error{Text: "--examples", Hint: "an example is a URL such as https://example.org/docs/, or a file", Err: err}
		}
		sub.Seeds = append(sub.Seeds, seed)
	}
	c := &sub.Config
	c.List, c.SitemapOnly, c.Seeds = true, false, sub.Seeds
	c.Pages, c.Bytes = 0, 0
	c.Score, c.ScoreFile, c.ImportValues, c.LocationRules = "", "", "", ""
	sub.keep = &o.Config
	note(o.Log, "fetching the examples of the topic", "pages", len(urls))
	sum, err := run(ctx, sub)
	if err != nil {
		return err
	}
	o.AddSeeds = true
	if ctx.Err() != nil || sum.Why == whyStopped {
		return &hint.Error{Text: "stopped before the examples of the topic were fetched", Hint: "the same command line goes on"}
	}
	return nil
}

// judgeExamples records what the examples of the topic have to do with it. The session before fetched
// them, when the topic was not known yet.
func (a *admission) judgeExamples() error {
	if a.state.Setup.Frontier.Topic == nil || a.was == nil || a.was.Topic != "" {
		return nil
	}
	list, err := focus.Judge(a.state, a.config, a.options.Dir)
	for i := range list {
		r := a.begin(event.Judged, a.base)
		r.Event.Page, r.Event.Links, r.Event.Read = list[i].Page, list[i].Links, list[i].Read
		a.record()
	}
	return err
}
