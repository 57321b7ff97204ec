package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// PrintDetails writes everything that is known: the numbers without abbreviations, traps,
// mirrors and memory.
func PrintDetails(w io.Writer, dir string, s *history.Status, c *config.Config) error {
	t := show.NewList()
	addState(t, dir, s, c)
	addCounts(t, s, 0)
	addTime(t, s, 0)
	addDown(t, s, downShown)
	addCaps(t, s.Caps)
	addLeft(t, s)
	addLargest(t, s)
	t.Add("record", show.Grouped(int64(s.Record)), "is the next of the journal")
	if err := t.Print(w); err != nil {
		return err
	}
	if err := printReasons(w, s); err != nil {
		return err
	}
	if err := printTraps(w, s); err != nil {
		return err
	}
	return printMemory(w, s)
}

// addLeft adds held pages and mirrors.
func addLeft(t *show.List, s *history.Status) {
	if s.Held > 0 {
		t.Add("held", show.Grouped(s.Held), "skipped pages that are admitted if there is evidence that they are wanted")
	}
	if s.Mirrored > 0 {
		t.Add("mirrors", show.Grouped(s.Mirrored), "sites that are nearly the same as another; their pages are fetched later")
	}
	addSample(t, s)
}

// addLargest adds the site with most known pages and its verdict.
func addLargest(t *show.List, s *history.Status) {
	x := s.Largest
	if x == nil || s.Sites == 1 {
		return
	}
	t.Add("largest site", show.Grouped(x.Pages), fmt.Sprintf("%.1f %% of the known pages are on %s: %s", 100*x.Share, x.Site, verdictText(x)))
	t.Add("", "", fmt.Sprintf("(Cho et al. 1998, section 5.2: %s of %s known URLs, %.1f %%, on one server)",
		show.Grouped(wording.ChoServer), show.Grouped(wording.ChoKnown), 100*float64(wording.ChoServer)/wording.ChoKnown))
}

// printReasons lists why pages were skipped.
func printReasons(w io.Writer, s *history.Status) error {
	if s.Refused == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := show.NewList("skipped", "pages", "why")
	for b := range event.Bar(event.Bars()) {
		if n := s.RefusedBy[b.String()]; n > 0 {
			t.Add(b, show.Grouped(n), b.Meaning())
		}
	}
	return t.Print(w)
}

// trapsShown is the number of places listed for a reason.
const trapsShown = 5

// printTraps lists the places that were skipped as traps, and the mirrors.
func printTraps(w io.Writer, s *history.Status) error {
	if list := wording.Skipped(s); len(list) > 0 {
		fmt.Fprintln(w)
		t := show.NewList("trap", "pages", "why, and where most")
		for _, x := range list {
			t.Add(x.Bar, show.Grouped(x.Pages), x.Bar.Meaning())
			for _, p := range x.Places[:min(len(x.Places), trapsShown)] {
				t.Add("", show.Grouped(p.Pages), "  "+p.Site+p.Pattern)
			}
		}
		if err := t.Print(w); err != nil {
			return err
		}
	}
	if len(s.Mirrors) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := show.NewList("mirror", "of")
	for _, m := range s.Mirrors {
		t.Add(m.Site, m.Of)
	}
	return t.Print(w)
}

// columnsShown is the number of columns listed; --json has all.
const columnsShown = 10

// printMemory lists the largest columns of the state, and what a known page takes in all.
func printMemory(w io.Writer, s *history.Status) error {
	if s.Memory == 0 || s.Known == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := show.NewList("memory", "bytes", "bytes a page")
	t.Add("all columns", show.Bytes(s.Memory), fmt.Sprintf("%.1f", float64(s.Memory)/float64(s.Known)))
	names := show.ByValue(s.Columns)
	for _, name := range names[:min(len(names), columnsShown)] {
		t.Add(name, show.Bytes(s.Columns[name]), fmt.Sprintf("%.1f", float64(s.Columns[name])/float64(s.Known)))
	}
	return t.Print(w)
}

// capText describes what a limit left out, without the number.
func capText(x *state.Cap) string {
	if x.Key == "" {
		return x.What + " beyond what is read of one site"
	}
	text := x.What + " by " + wording.CapName(x)
	if where := wording.CapWhere(x); where != "" {
		text += ": " + where
	}
	return text
}

// addCaps adds what limits left out to the figures of a crawl.
func addCaps(t *show.List, caps []state.Cap) {
	for i := range caps {
		x := &caps[i]
		text := capText(x)
		switch raise := wording.CapRaise(x); {
		case raise != "":
			text += "; raise it with " + raise
		case strings.HasSuffix(x.Key, "_pages"):
			text += "; a larger value includes them"
		}
		t.Add("left out", show.Grouped(x.Left), text)
	}
}
