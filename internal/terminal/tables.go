package terminal

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// PrintSites writes sites as a table. If the crawl does not run, a site with pages is requested
// when it is resumed.
func PrintSites(w io.Writer, list []history.SiteInfo, running bool) error {
	t := show.NewList("site", "waiting", "fetched", "failed", "skipped", "delay", "by", "next request", "robots.txt", "last error")
	for i := range list {
		x := &list[i]
		t.Add(x.Site, show.Grouped(x.Waiting), show.Grouped(x.Fetched), show.Grouped(x.Failed), show.Grouped(x.Skipped),
			show.Duration(time.Duration(x.Delay*1e9)), x.By, nextRequest(x, running), x.Robots, show.Line(siteError(x)))
	}
	return t.Print(w)
}

// nextRequest says when a site is requested next.
func nextRequest(x *history.SiteInfo, running bool) string {
	switch {
	case x.Next != nil:
		return clockTime(*x.Next)
	case x.Waiting == 0:
		return "-"
	case !running:
		return "when resumed"
	}
	return "now"
}

// siteError returns the last error of a site and its time.
func siteError(x *history.SiteInfo) string {
	if x.ErrorAt == nil {
		return "-"
	}
	text := x.LastError + ", " + clockTime(*x.ErrorAt)
	if x.Down != "" {
		return "unreachable: " + text
	}
	return text
}

// PrintHandouts writes the next pages as a table.
func PrintHandouts(w io.Writer, list []explain.Handout) error {
	t := show.NewList("place", "wait", "why", "value", "url")
	for i := range list {
		x := &list[i]
		t.Add(x.Place, show.Duration(time.Duration(x.Wait*1e9)), wording.HandoutReason(x), plot.Number(x.Value), show.Line(x.URL))
	}
	return t.Print(w)
}

// LogHeader names the fields of LogLine.
const LogHeader = "time\tkind\tstatus\tclass\tseconds\tbytes\turl\tnote\n"

// LogLine returns a request as a line.
func LogLine(x *history.Request) string {
	return fields(x.At.Local().Format("2006-01-02T15:04:05.000"), x.Kind, number(x.Status), x.Class, strconv.FormatFloat(x.Took, 'f', 3, 64),
		strconv.FormatInt(x.Bytes, 10), cmp.Or(x.URL, x.Site), cmp.Or(x.Note, "-"))
}

// PageHeader names the fields of PageLine.
func PageHeader(topical bool) string {
	names := []string{"state", "why", "status", "class", "seconds", "depth", "links", "value", "url"}
	if topical {
		names = slices.Insert(names, len(names)-1, "similarity", "hot")
	}
	return strings.Join(names, "\t") + "\n"
}

// PageLine returns a page as a line.
func PageLine(r *history.PageInfo) string {
	seconds := "-"
	if r.Seconds != nil {
		seconds = strconv.FormatFloat(*r.Seconds, 'f', 3, 64)
	}
	cells := []string{r.State, cmp.Or(r.Why, "-"), number(r.Status), cmp.Or(r.Class, "-"), seconds,
		strconv.Itoa(r.Depth), strconv.FormatInt(r.LinksIn, 10), strconv.FormatFloat(r.Value, 'g', 6, 64), r.URL}
	if r.Topical {
		near, hot := "-", "-"
		if r.Similarity != nil {
			near = strconv.FormatFloat(*r.Similarity, 'f', 4, 64)
		}
		if r.Hot {
			hot = "hot"
		}
		cells = slices.Insert(cells, len(cells)-1, near, hot)
	}
	return fields(cells...)
}

// LinkHeader names the fields of LinkLine.
const LinkHeader = "from\tto\tregion\twords\n"

// LinkLine returns a link as a line.
func LinkLine(x *history.LinkInfo) string { return fields(x.From, x.To, x.Region, x.Hashes()) }

// RequisiteHeader names the fields of RequisiteLine.
const RequisiteHeader = "state\twhy\tstatus\tclass\tbytes\tstep\tpage\turl\n"

// RequisiteLine returns what a page needs to be shown as a line.
func RequisiteLine(x *history.RequisiteInfo) string {
	return fields(x.State, cmp.Or(x.Why, "-"), number(x.Status), cmp.Or(x.Class, "-"), fmt.Sprint(x.Bytes), fmt.Sprint(x.Step), x.Page, x.URL)
}

// fields returns a line with tabs between its fields.
func fields(cells ...string) string {
	for i := range cells {
		cells[i] = show.Line(cells[i])
	}
	return strings.Join(cells, "\t") + "\n"
}

// number writes a status, or - for none.
func number(status uint16) string {
	if status == 0 {
		return "-"
	}
	return fmt.Sprint(status)
}
