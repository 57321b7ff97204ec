package focus

import (
	"cmp"
	"context"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/topic"
)

// A Ranked is the similarity of a page.
type Ranked struct {
	URL   string  `json:"url"`
	Value float64 `json:"value"`
}

// Rank returns how similar the pages in the WARC files of a crawl are to the topic of a
// configuration: the IS of Cho, Garcia-Molina and Page over the whole collection, in the order of
// the files. Of a page that was fetched several times, the last version counts. With several
// queries the nearest counts.
func Rank(ctx context.Context, dir string, c *config.Config) ([]Ranked, error) {
	files, err := warcFiles(dir)
	if err != nil {
		return nil, err
	}
	if !layout.IsCrawl(dir) || len(files) == 0 {
		return nil, &hint.Error{Text: dir + " is not the directory of a crawl with WARC files", Hint: "similarity needs the texts of pages: name the directory of a crawl"}
	}
	about, err := c.About()
	if about == nil && err == nil {
		var made *Made
		if made, err = Make(ctx, c, dir); err == nil {
			about = made.Topic
		}
	}
	if err != nil {
		return nil, err
	}
	corpus, urls := topic.NewCorpus(about.Rule), []string(nil)
	err = history.EachText(ctx, files, func(url string, title, text []byte) error {
		urls = append(urls, url)
		corpus.Add(title, text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return nearest(corpus, about, urls), nil
}

// nearest returns the similarity of each document to the query that is nearest.
func nearest(corpus *topic.Corpus, about *topic.Topic, urls []string) []Ranked {
	best := make([]float64, len(urls))
	for i := range about.Queries {
		for j, v := range corpus.Similarities(&about.Queries[i]) {
			best[j] = max(best[j], v)
		}
	}
	last := map[string]int{}
	for i, url := range urls {
		last[url] = i
	}
	list := make([]Ranked, 0, len(last))
	for i, url := range urls {
		if last[url] == i {
			list = append(list, Ranked{url, best[i]})
		}
	}
	return list
}

// Highest returns the n pages with the highest values, of equal ones the first.
func Highest(list []Ranked, n int) []Ranked {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Ranked) int { return cmp.Compare(b.Value, a.Value) })
	return list[:min(n, len(list))]
}
