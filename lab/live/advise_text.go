package live

import (
	"fmt"
	"io"
	"time"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/internal/show"
)

// Print writes the advice as text.
func (x *Advised) Print(w io.Writer) error {
	t := show.NewList()
	t.Add("directory", "", x.Dir)
	t.Add("state", "", x.State)
	t.Add("fetched", show.Grouped(x.Fetched), fmt.Sprintf("of %s; %s wait", show.Counted(x.Known, "known page"), show.Grouped(x.Waiting)))
	t.Add("importance", fmt.Sprintf("%.1f %%", 100*x.Importance), "of the PageRank of the known pages is fetched")
	t.Add("certain", fmt.Sprintf("%.1f %%", 100*x.Certain), "at least, of PageRank with jumps to the seeds alone")
	if x.Hot != nil {
		t.Add("topic", show.Grouped(*x.Hot), "fetched pages are about it")
	}
	x.addWasted(t)
	t.Add("advice", "", x.Advice)
	if x.Command != "" {
		t.Add("to type", "", x.Command)
	}
	if err := t.Print(w); err != nil || len(x.Next) == 0 {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := x.nextTable().Print(w); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\nAdds: importance, as a share of that of all pages fetched so far, with its 80 % interval.\n"+
		"Importance is PageRank. Pages that no fetched page links to are not counted, nor is what\n"+
		"pages say, or whether they change. In a crawl that has seen little of its web the interval\n"+
		"is too narrow (docs/advise.md).\n")
	if err != nil || x.Hot == nil {
		return err
	}
	if _, err = fmt.Fprintln(w); err != nil {
		return err
	}
	return x.hotTable().Print(w)
}

// hotTable shows how many pages about the topic a tenth more adds.
func (x *Advised) hotTable() *show.List {
	t := show.NewList("a tenth more", "adds pages about the topic", "from", "to", "the last tenth added")
	for _, n := range x.Next {
		t.Add(n.Budget, fmt.Sprintf("%.0f", n.Hot.Pages), show.Grouped(n.Hot.Low), show.Grouped(n.Hot.High), show.Grouped(n.Hot.Last))
	}
	return t
}

func (x *Advised) addWasted(t *show.List) {
	for i, s := range x.Wasted {
		name := ""
		if i == 0 {
			name = "wasted"
		}
		t.Add(name, fmt.Sprintf("%.1f %%", 100*s.Requests), fmt.Sprintf("of the requests went to %s, which has %.1f %% of the importance", show.Line(s.Site), 100*s.Importance))
	}
}

func (x *Advised) nextTable() *show.List {
	t := show.NewList("a tenth more", "is", "adds %", "from", "to", "the last tenth added")
	for _, n := range x.Next {
		more := show.Bytes(int64(n.More))
		switch n.Budget {
		case advise.Pages.String():
			more = show.Grouped(int(n.More))
		case advise.Hours.String():
			more = show.Duration(time.Duration(n.More * float64(time.Hour)))
		}
		g := n.Importance
		t.Add(n.Budget, more, percent(g.Gain), percent(g.Low), percent(g.High), percent(g.Last))
	}
	return t
}
