package live

import (
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/show"
)

// itself returns the sections about the crawl as a whole.
func (r *Report) itself() []show.Section {
	list := []show.Section{r.figures(), r.sites(), r.sessions()}
	if len(r.w.Crawl.Partitions) > 0 {
		list = append(list, r.partitions())
	}
	return list
}

// partitions returns a table of the partitions, whose columns sum up to the figures of the crawl.
func (r *Report) partitions() show.Section {
	t := &show.Table{Columns: []show.Column{
		{Name: "partition"}, {Name: "known"}, {Name: "fetched"}, {Name: "waiting"}, {Name: "failed"}, {Name: "skipped"}, {Name: "sites"},
		{Name: "requests"}, {Name: "foreign"},
	}}
	for i, s := range r.w.Crawl.Partitions {
		t.Rows = append(t.Rows, []show.Cell{
			show.Words(layout.PartitionName(i)), show.Count(s.Known), show.Count(s.Fetched), show.Count(s.Waiting), show.Count(s.Failed), show.Count(s.Refused),
			show.Count(s.Sites), show.Count(s.Requests), show.Count(s.Foreign),
		})
	}
	return show.Section{Title: "Partitions", Table: t, Text: partitionsText}
}

// partitionsText says what is local to a partition.
const partitionsText = "Each partition ordered the pages of its own sites; the figures of this report are the sums. foreign: pages of other partitions to which its pages link, which are not among the known. " +
	"The pages, links and times of the whole crawl are put together by URL, and simulations crawl them in one piece, so they differ from the crawl also by what its partitions told each other late. " +
	"Local to a partition: a page that a scope or nofollow keeps out is counted by each partition that found it; near duplicates, mirrors and traps were judged by what one partition had seen; " +
	"the time by which half of the pages came is the mean of those of the partitions."
