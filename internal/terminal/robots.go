package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/internal/show"
)

// PrintVerdict writes what robots.txt says about a page.
func PrintVerdict(w io.Writer, v gather.RobotsVerdict) error {
	t := show.NewList()
	t.Add("url", v.URL)
	t.Add("agent", v.Agent)
	t.Add("allowed", map[bool]string{true: "yes", false: "no"}[v.Allowed])
	t.Add("rule", v.RuleText())
	t.Add("delay", delayText(&v))
	t.Add("robots.txt", sourceText(&v))
	for _, s := range v.Sitemaps {
		t.Add("sitemap", s)
	}
	return t.Print(w)
}

func delayText(v *gather.RobotsVerdict) string {
	delay := show.Duration(time.Duration(v.Delay * 1e9))
	if v.Crawl > 0 && v.Crawl >= v.Delay {
		return delay + ", by Crawl-delay"
	}
	return delay + ", by --delay; the site requests no longer one"
}

func sourceText(v *gather.RobotsVerdict) string {
	text := v.From
	if v.Status > 0 {
		text += fmt.Sprintf(", status %d", v.Status)
	}
	if v.Hops > 0 {
		text += ", after " + show.Counted(int64(v.Hops), "redirect")
	}
	if v.Class == robots.Found.String() {
		text += ", " + show.Counted(int64(v.Bytes), "byte")
	}
	if v.Note != "" {
		text += ": " + v.Note
	}
	return text
}
