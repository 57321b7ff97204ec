package terminal

import (
	"fmt"
	"io"
	"time"

	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/show"
)

// PrintVisits writes what visitors of a synthetic web did.
func PrintVisits(w io.Writer, m webcount.Visits) error {
	t := show.NewList()
	t.Add("requests", show.Grouped(m.Requests), show.ByNumber(m.Kinds))
	t.Add("answers", show.Grouped(m.Full), "full, of "+show.Grouped(m.Pages)+" pages")
	if len(m.Statuses) > 0 {
		t.Add("statuses", "", show.ByNumber(m.Statuses))
	}
	t.Add("bytes", show.Bytes(m.Bytes))
	t.Add("sites visited", show.Grouped(int64(m.Sites)))
	t.Add("connections", show.Grouped(m.Connections), fmt.Sprintf("at most %d at once to a site", m.MostOpen))
	if m.MinGap >= 0 {
		t.Add("shortest gap", show.Duration(time.Duration(m.MinGap*1e9)), "between two requests to a site")
	}
	addWaste(t, &m.Summary)
	if m := m.Topic; m != nil {
		t.Add("on topic", fmt.Sprintf("%.1f %%", 100*m.Harvest), fmt.Sprintf("of %s fetched; %s of %s pages of %q found, %.1f %%; on topic are %.1f %% of all",
			show.Counted(m.Answers, "page"), show.Grouped(int64(m.Found)), show.Grouped(int64(m.Pages)), m.Name, 100*m.Recall, 100*m.OnTopic))
	}
	addFreshness(t, m.Freshness)
	t.Add("DNS queries", show.Grouped(m.Queries+m.UnknownNames), show.Grouped(m.UnknownNames)+" for unknown names")
	t.Add("time", show.Duration(time.Duration(m.Seconds*1e9)), "from the first request to the last answer")
	return t.Print(w)
}

// addWaste adds the requests that visitors could have avoided.
func addWaste(t *show.List, m *webcount.Summary) {
	if m.Traps > 0 {
		t.Add("in traps", show.Grouped(m.Traps), fmt.Sprintf("%.1f %% of all requests: %s", 100*m.TrapShare, show.ByNumber(m.TrapKinds)))
	}
	if m.Copies+m.Hidden > 0 {
		t.Add("copies", show.Grouped(m.Copies), show.Grouped(m.Hidden)+" pages that only copies lead to")
	}
	if m.Repeats > 0 {
		t.Add("repeats", show.Grouped(m.Repeats), "full answers for pages that had been answered")
	}
}

// addFreshness prints the freshness; nil prints nothing.
func addFreshness(t *show.List, f *webcount.CopySummary) {
	if f == nil {
		return
	}
	t.Add("fresh copies", fmt.Sprintf("%.1f %%", 100*f.Fresh), fmt.Sprintf("of %s pages, mean over the time; mean age %s",
		show.Grouped(int64(f.Pages)), show.Duration(time.Duration(f.Age*1e9))))
	t.Add("nothing new", show.Grouped(int64(f.Wasted)), "of "+show.Grouped(int64(f.Requests))+" requests for these pages")
}
