package gather

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/topic"
)

// benchAnswers are answers with the pages of crawl/page/testdata, or with all .html files
// under the directory named by WINNOW_PAGES: documentation packages are good ones to
// measure with. They come as most pages of the Web do, in gzip.
func benchAnswers(b *testing.B) (answers []*fetch.Answer, total int64) {
	dir := os.Getenv("WINNOW_PAGES")
	if dir == "" {
		dir = "../page/testdata"
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		body, err := os.ReadFile(name)
		total += int64(len(body))
		answers = append(answers, answered(200, pressed(string(body)), "Content-Type", "text/html; charset=utf-8",
			"Content-Encoding", "gzip", "ETag", `"x"`, "Last-Modified", "Sat, 14 Mar 2026 11:00:00 GMT"))
		return err
	})
	if err != nil || len(answers) == 0 {
		b.Fatalf("no pages in %s: %v", dir, err)
	}
	return answers, total
}

// eachAnswer measures a gatherer; one operation is one pass over all pages.
func eachAnswer(b *testing.B, o *Options) {
	answers, total := benchAnswers(b)
	g, f := New(o), new(Found)
	links := 0
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		links = 0
		for _, a := range answers {
			g.Page(home, a, noon, f)
			links += f.Links.Len()
		}
	}
	pages := float64(len(answers))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pages, "ns/page")
	b.ReportMetric(pages, "pages")
	b.ReportMetric(float64(links)/pages, "links/page")
}

// BenchmarkPage is the whole step.
func BenchmarkPage(b *testing.B) { eachAnswer(b, options()) }

// BenchmarkPageLinks is the step without WARC records.
func BenchmarkPageLinks(b *testing.B) {
	o := options()
	o.Builder = nil
	eachAnswer(b, o)
}

// BenchmarkAnchors shows what regions and words of links cost, without WARC records.
func BenchmarkAnchors(b *testing.B) {
	sideBySide(b, func(o *Options, with bool) { o.Builder, o.Anchors = nil, with })
}

// BenchmarkTopic shows what reading pages for a topic costs, by the rules of topics, with all that
// is done for a page. WINNOW_QUERY is another query, such as one in the language of the pages.
func BenchmarkTopic(b *testing.B) {
	for _, rule := range []topic.Rule{{}, {Stem: "english"}, {Measure: topic.Cosine}, {Measure: topic.Cosine, Stem: "english"}} {
		b.Run(fmt.Sprintf("%v%s", rule.Measure, rule.Stem), func(b *testing.B) {
			q, err := topic.Parse("q", cmp.Or(os.Getenv("WINNOW_QUERY"), "configuration network interfaces wireless drivers"), rule)
			if err != nil {
				b.Fatal(err)
			}
			t, err := topic.New([]topic.Query{q}, rule, topic.Hot{})
			if err != nil {
				b.Fatal(err)
			}
			sideBySide(b, func(o *Options, with bool) {
				if o.Anchors = true; with {
					o.Topic = t
				}
			})
		})
	}
}

// sideBySide reads each page without and with something in turn. The shortest of all times of a
// page counts.
func sideBySide(b *testing.B, set func(o *Options, with bool)) {
	answers, _ := benchAnswers(b)
	least, f, links := make([][2]time.Duration, len(answers)), new(Found), 0
	var gatherers [2]*Gatherer
	for i := range gatherers {
		o := options()
		set(o, i == 1)
		gatherers[i] = New(o)
	}
	for turn := 0; b.Loop(); turn++ {
		links = 0
		for n, a := range answers {
			for k := range gatherers {
				i := (k + turn) % len(gatherers) // the first one finds caches cold
				begin := time.Now()
				gatherers[i].Page(home, a, noon, f)
				if t := time.Since(begin); t < least[n][i] || least[n][i] == 0 {
					least[n][i] = t
				}
			}
			links += f.Links.Len()
		}
	}
	var sum [2]float64
	for _, t := range least {
		sum[0], sum[1] = sum[0]+float64(t[0]), sum[1]+float64(t[1])
	}
	pages := float64(len(answers))
	b.ReportMetric(sum[0]/pages, "ns/page-without")
	b.ReportMetric(sum[1]/pages, "ns/page-with")
	b.ReportMetric(100*(sum[1]/sum[0]-1), "%more")
	b.ReportMetric(float64(links)/pages, "links/page")
}
