package explain

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/journal"
)

// A shower is a Source that can tell about requisites. AboutRequisite calls fn for the records that
// tell about one, and maybe for others, in order.
type shower interface {
	AboutRequisite(n graph.Page, fn func(*journal.Record) error) error
}

// explainRequisite tells about the first of some URLs that is a requisite.
func (x *explainer) explainRequisite(forms []string) (err error) {
	c, ok := x.c.(shower)
	if !ok {
		return nil
	}
	for _, url := range forms {
		if x.Requisite, err = history.Requisite(x.s, url, c.AboutRequisite); err != nil {
			return err
		}
		if r := x.Requisite; r != nil {
			x.URL, x.State, x.Why = url, r.State, r.Why
			x.Sentence = x.requisiteSentence(r)
			return nil
		}
	}
	return nil
}

// requisiteSentence tells what a requisite is, who needs it, and what happened to it.
func (x *explainer) requisiteSentence(r *history.RequisiteInfo) string {
	text := fmt.Sprintf("It is no page, but something that pages need to be shown (--requisites): %s was the first that needs it", r.Page)
	if r.Step > 1 {
		text += fmt.Sprintf(", %s away, such as by a style that names it", show.Counted(r.Step, "answer"))
	}
	switch r.State {
	case Fetched:
		text += fmt.Sprintf(". It was fetched (%d, %s, %s) and is stored.", r.Status, r.Media, show.Bytes(r.Bytes))
	case Failed:
		text += fmt.Sprintf(". It could not be fetched: %s.", r.Why)
	case Refused:
		text += fmt.Sprintf(". It was skipped: %s.", refusals(r.Why))
	default:
		text += ". It was not fetched yet. It goes before the next page of its site, on the clock of the site"
		if !x.conf.Requisites {
			text += "; but the crawl goes on without --requisites now"
		}
		if !x.running() && x.Reason != "" {
			text += "; the crawl does not run: " + x.Reason
		}
		text += "."
	}
	return text
}

// refusals explains why a requisite is not fetched.
func refusals(why string) string {
	if why == "crowded" {
		return "too many wait at its site"
	}
	for b := range event.Bar(event.Bars()) {
		if b.String() == why && b.Meaning() != "" {
			return b.Meaning()
		}
	}
	return why
}
