package crawl_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// A logged calls a function when something is logged.
type logged struct {
	text string
	do   func()
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }
func (l *logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logged) WithGroup(string) slog.Handler            { return l }

func (l *logged) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, l.text) {
		l.do()
	}
	return nil
}

// The examples of a topic are fetched before it is known, and are hot once it is: also if the crawl is
// killed before the session that knows it, or in it. Nothing is counted twice.
func TestExamplesAreHot(t *testing.T) {
	const boats = "<p>The harbour has sailing boats, and a wind that fills the sails of boats. "
	other := strings.Repeat("Some other words about nothing at all stand here as well, one after the other. ", 6)
	site := httptest.NewServer(pages{
		"/":      `<title>Home</title> <a href=/a>a</a> <a href=/b>b</a> ` + other,
		"/a":     `<title>A</title> <a href=/b>b</a> ` + other,
		"/b":     `<title>Boats</title>` + boats + `<a href=/c>sailing boats</a> ` + other,
		"/c":     `<title>Sails</title>` + boats + other,
		"/weird": `<title>?</title> Boats. ` + other + other, // an example that has little of it
	})
	defer site.Close()
	dir, copies := t.TempDir(), t.TempDir()
	c := config.Default()
	c.Contact, c.AllowPrivate, c.Delay.Duration, c.IPDelay.Duration = "me@example.org", true, 0, 0
	c.Examples = []string{site.URL + "/b", site.URL + "/weird"}
	run := func(dir string, c config.Config, log slog.Handler, onPage func(*crawl.Page) error) {
		t.Helper()
		o := crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{site.URL + "/"}, OnPage: onPage}
		if log != nil {
			o.Log = slog.New(log)
		}
		if _, err := crawl.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	save := func(name string) {
		if err := os.CopyFS(filepath.Join(copies, name), os.DirFS(dir)); err != nil {
			t.Error(err)
		}
	}
	run(dir, c.Clone(), &logged{"looking for pages", func() { save("between") }}, func(p *crawl.Page) error {
		if p.URL == site.URL+"/a" {
			save("within")
		}
		return nil
	})
	checkHot(t, dir, site.URL)
	between, within := filepath.Join(copies, "between"), filepath.Join(copies, "within")
	run(between, c.Clone(), nil, nil)
	checkHot(t, between, site.URL)
	v, err := history.Open(t.Context(), within)
	if err != nil {
		t.Fatal(err)
	}
	known, err := v.Config() // as in the file that the next command reads
	if v.Close(); err != nil || known.Topic == "" {
		t.Fatalf("topic %q, %v", known.Topic, err)
	}
	run(within, *known, nil, nil)
	checkHot(t, within, site.URL)
}

// checkHot checks that a crawl of five pages knows which are hot, and that its record is sound.
func checkHot(t *testing.T, dir, site string) {
	t.Helper()
	s, err := history.ReadStatus(t.Context(), dir)
	if err != nil || s.Topic == nil || s.Topic.Read != 5 || s.Topic.Hot != 2 {
		t.Errorf("status: %+v, %v, want 2 hot pages of 5", s.Topic, err)
	}
	v, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var hot []string
	err = v.Pages(&history.PageFilter{}, func(p *history.PageInfo) error {
		if p.Hot {
			hot = append(hot, strings.TrimPrefix(p.URL, site))
		}
		return nil
	})
	if slices.Sort(hot); err != nil || !slices.Equal(hot, []string{"/b", "/weird"}) {
		t.Errorf("hot pages are %v, %v", hot, err)
	}
	judged := 0
	if err := v.Each(func(r *journal.Record) error {
		if e := &r.Event; e.Kind == event.Judged {
			judged++
		}
		return nil
	}); err != nil || judged != 2 {
		t.Errorf("%d examples were judged, %v", judged, err)
	}
	if f, err := v.Verify(history.VerifyOptions{}); err != nil || f.Count() > 0 || f.Differs > 0 {
		t.Errorf("verify: %+v, %v", f, err)
	}
}
