package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/metrics"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/lab/live"
)

// momentary sets what the journal does not have: what a process measures of itself, and which
// sites have come to their turn since the last record.
func momentary(s history.Status) history.Status {
	s.State, s.Why, s.Seconds, s.Worked, s.Rate, s.Active, s.Fetchers = "", "", 0, 0, 0, 0, 0
	s.Memory, s.Columns, s.OffHeap, s.MemoryMax, s.Left, s.Ran = 0, nil, 0, 0, 0, 0
	s.Fetching, s.LastFailure, s.Commits, s.Archive, s.Journal, s.Committed, s.Measured = nil, nil, 0, 0, 0, time.Time{}, time.Time{}
	s.Waits, s.Delays, s.Counts.Polite, s.Counts.Held = nil, nil, 0, 0
	s.DNS = history.Status{}.DNS
	return s
}

// numbersOf returns the numbers of status --json that others show, too.
func numbersOf(t *testing.T, s *history.Status) map[string]float64 {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for key, v := range all {
		switch v := v.(type) {
		case float64:
			out[key] = v
		case map[string]any:
			for name, n := range v {
				if f, ok := n.(float64); ok {
					out[key+"/"+name] = f
				}
			}
		}
	}
	return out
}

// metricNames are the metrics of the numbers of status --json. Those of maps end in a slash.
var metricNames = map[string]string{
	"fetched": `winnow_pages{state="fetched"}`, "failed": `winnow_pages{state="failed"}`, "refused": `winnow_pages{state="refused"}`,
	"failed_by/": `winnow_failed_pages{class=`, "refused_by/": `winnow_refused_pages{reason=`, "outcomes/": `winnow_attempts_total{class=`,
	"delays/": `winnow_delayed_sites{by=`, "sites": "winnow_sites", "unreachable_sites": "winnow_unreachable_sites", "redirects": "winnow_redirects", "withheld": "winnow_withheld_pages",
	"links": "winnow_links", "record": "winnow_record", "requests": "winnow_requests_total", "bytes": "winnow_received_bytes_total",
	"gathered": "winnow_importance_gathered_ratio", "active_fetchers": `winnow_fetchers{state="active"}`, "memory_total": "winnow_memory_bytes",
	"seconds": "winnow_crawl_seconds",
}

// checkMetrics compares all numbers of status --json with the metrics.
func checkMetrics(t *testing.T, s *history.Status, want map[string]float64) {
	t.Helper()
	w := httptest.NewRecorder()
	metrics.Handler(func() (history.Status, bool) { return *s, true }, nil).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	got := map[string]float64{}
	for _, m := range regexp.MustCompile(`(?m)^(winnow_\S+) (\S+)$`).FindAllStringSubmatch(w.Body.String(), -1) {
		got[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	if n := got[`winnow_pages{state="known"}`] + got[`winnow_pages{state="acquired"}`]; n != want["waiting"] {
		t.Errorf("metrics: %v pages wait, want %v", n, want["waiting"])
	}
	compared := 0
	for key, n := range want {
		name, ok := metricNames[key]
		if of, label, isMap := strings.Cut(key, "/"); isMap && metricNames[of+"/"] != "" {
			name, ok = metricNames[of+"/"]+strconv.Quote(label)+"}", true
		}
		if !ok {
			continue
		}
		compared++
		if v, found := got[name]; !found || v != n {
			t.Errorf("metrics: %s is %v (%v), want %v as in status --json", name, v, found, n)
		}
	}
	if compared < 14 {
		t.Errorf("only %d numbers were compared", compared)
	}
}

// checkText fails if a text does not have all numbers that it is to have.
func checkText(t *testing.T, where, text string, want ...string) {
	t.Helper()
	words := strings.Join(strings.Fields(text), " ")
	for _, w := range want {
		if !strings.Contains(words, w) {
			t.Errorf("%s: no %q in\n%s", where, w, text)
		}
	}
}

// checkShown compares the live view, the plain lines and both texts of winnow status with the
// numbers of status --json.
func checkShown(t *testing.T, s *history.Status, n map[string]float64) {
	t.Helper()
	grouped := func(key string) string { return show.Grouped(int64(n[key])) }
	c := config.Default()
	view := strings.Join((&terminal.View{Dir: "a.crawl", Config: &c}).Lines(s, 2000, 100), "\n")
	checkText(t, "live view", view, "fetched "+grouped("fetched")+" ", "waiting "+grouped("waiting")+" ", grouped("known")+" pages known", grouped("sites")+" sites")
	plain, now := terminal.Plain{Config: &c}, time.Now()
	log := plain.Lines(s, now)
	changed := *s
	changed.Known++ // something happened in this minute
	log = append(log, plain.Lines(&changed, now.Add(1e11))...)
	checkText(t, "log", strings.Join(log, "\n"), grouped("fetched")+" fetched", grouped("waiting")+" waiting")
	var short, long bytes.Buffer
	for where, err := range map[string]error{"status": terminal.PrintStatus(&short, "a.crawl", s, &c), "status -v": terminal.PrintDetails(&long, "a.crawl", s, &c)} {
		if err != nil {
			t.Fatal(where, err)
		}
	}
	for where, text := range map[string]string{"status": short.String(), "status -v": long.String()} {
		checkText(t, where, text, "known "+grouped("known")+" pages on "+grouped("sites")+" sites", "waiting "+grouped("waiting")+" ", "fetched "+grouped("fetched")+" ",
			"failed "+grouped("failed")+" ", "requests "+grouped("requests")+" ", show.Bytes(int64(n["bytes"]))+" received")
	}
	for key, v := range n {
		of, name, _ := strings.Cut(key, "/")
		if item := fmt.Sprintf("%s %s", name, show.Grouped(int64(v))); of == "failed_by" || of == "refused_by" {
			checkText(t, "live view", view, item)
			checkText(t, "log", strings.Join(log, "\n"), item)
			checkText(t, "status -v", long.String(), item)
		}
	}
}

// statusAt returns the status according to the records of the journal before one.
func statusAt(t *testing.T, dir string, conf *config.Config, record uint64) *history.Status {
	t.Helper()
	p, err := layout.Open(func(name string) (disk.Dir, error) { return disk.OS(filepath.Join(dir, filepath.FromSlash(name))), nil })
	if err != nil {
		t.Fatal(err)
	}
	p.Urls = disk.NewMemory()
	id, err := layout.ReadIdentity(p.Journal)
	if err != nil {
		t.Fatal(err)
	}
	set, err := state.NewSetup(conf, id, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	s, err := state.Empty(&p, set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := journal.Reader{Dir: p.Journal, Commit: func(c *journal.Commit) error { s.Committed(c); return nil }, Record: func(r *journal.Record) error {
		if r.Seq >= record {
			return layout.ErrEnough
		}
		return s.Replay(r)
	}}
	if _, err := r.Run(); err != nil && !errors.Is(err, layout.ErrEnough) {
		t.Fatal(err)
	}
	x := new(history.Status)
	x.Fill(s, s.Now)
	return x
}

// TestAgree: at one record of the journal the live view, the plain lines, winnow status, the
// metrics, the same read from the journal alone, and the report have the same numbers.
func TestAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 12, answer.Mixed())
		dir := w.inDir(t)
		var seen []history.Status
		w.o.Progress = func(s *history.Status) { seen = append(seen, *s) }
		end := w.run(t, 0)
		if len(seen) < 8 {
			t.Fatalf("%d reports", len(seen))
		}
		some := []history.Status{seen[len(seen)/8], seen[len(seen)/4], seen[len(seen)/2], end.Status}
		for i := range some {
			s := &some[i]
			read := statusAt(t, dir, &w.o.Config, s.Record)
			live, again := momentary(*s), momentary(*read)
			for _, x := range []*history.Status{&live, &again} { // what takes longer, and is not in every report
				x.Largest, x.Traps, x.Held, x.Mirrors, x.Mirrored, x.Unreachable, x.Caps = nil, nil, 0, nil, 0, nil, nil
			}
			if !reflect.DeepEqual(live, again) {
				t.Errorf("record %d: the journal says\n%+v\nthe crawl said\n%+v", s.Record, again, live)
			}
			sum := 0
			for _, n := range s.Delays {
				sum += n
			}
			if sum != s.Waits["politeness"] {
				t.Errorf("record %d: %d sites are delayed, %d wait for politeness", s.Record, sum, s.Waits["politeness"])
			}
			for _, x := range []*history.Status{s, read} {
				n := numbersOf(t, x)
				checkMetrics(t, x, n)
				checkShown(t, x, n)
			}
		}
		checkReport(t, dir, &end.Status)
	})
}

// checkOnce fails if several partitions list the same page, if one is not the page that a URL finds, or
// if none was skipped by a partition that would not fetch it.
func checkOnce(t *testing.T, all *history.All) {
	t.Helper()
	listed, skipped := map[string]int{}, 0
	for i, c := range all.Crawls {
		err := c.Pages(&history.PageFilter{}, func(x *history.PageInfo) error {
			if j, ok := listed[x.URL]; ok {
				t.Errorf("partitions %d and %d list %s, %s by %s", j, i, x.URL, x.State, x.Why)
			}
			listed[x.URL] = i
			if part, p, known, err := all.Find(x.URL); err != nil || !known || part != i || p != x.ID {
				t.Errorf("page %d of partition %d is found as page %d of partition %d (%v, %v)", x.ID, i, p, part, known, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s, _ := c.State()
		for p := range s.Frontier.Pages() {
			if s.IsForeign(s.Frontier.Site(graph.Page(p))) && s.Frontier.Bar(graph.Page(p)) != event.BarForeign {
				skipped++
			}
		}
	}
	if skipped == 0 {
		t.Error("no partition skips a page of another one")
	}
}

// TestPagesOnce: a page that other partitions know by links alone that are not to be followed is listed
// once, by the partition that fetches it.
func TestPagesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 120, 12, answer.Options{NoFollow: 0.4})
		dir := w.inDir(t)
		w.o.Config.Partitions, w.o.Config.Pages = 3, 60
		if _, err := partition.Run(t.Context(), w.o); err != nil {
			t.Fatal(err)
		}
		all, err := history.OpenAll(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer all.Close()
		checkOnce(t, all)
	})
}

// TestAgreePartitions: with several partitions, the status that the crawl left, the sum of what the
// states of its partitions say, and the report have the same numbers.
func TestAgreePartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 150, 12, answer.Mixed())
		dir := w.inDir(t)
		w.o.Config.Partitions, w.o.Config.Pages = 3, 80
		end, err := partition.Run(t.Context(), w.o)
		if err != nil {
			t.Fatal(err)
		}
		left, err := history.ReadStatus(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := history.OpenAll(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer all.Close()
		list, err := all.Statuses()
		if err != nil {
			t.Fatal(err)
		}
		sum := history.Merge(list)
		for _, s := range []*history.Status{&end.Status, left, sum} {
			checkReport(t, dir, s)
			if s.Waiting != end.Waiting || s.Requests != end.Requests || s.Links != end.Links {
				t.Errorf("%+v, want %+v", s, end.Status)
			}
		}
		one, err := recut.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		one.Partitions = nil // by its own state
		x, err := one.Status()
		if err != nil {
			t.Fatal(err)
		}
		checkReport(t, dir, x)
		if x.Waiting != sum.Waiting || x.Requests != sum.Requests || x.Links != sum.Links || !reflect.DeepEqual(x.Outcomes, sum.Outcomes) || !reflect.DeepEqual(x.FailedBy, sum.FailedBy) {
			t.Errorf("joined %+v, want %+v", x, sum)
		}
	})
}

// checkReport compares the report of a crawl with its status.
func checkReport(t *testing.T, dir string, s *history.Status) {
	t.Helper()
	r, err := live.ReadReport(t.Context(), dir, live.ReportOptions{Policies: []string{live.NoPolicy}, Progress: &show.Stages{Context: t.Context()}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := r.Summary()
	if x.Known != s.Known || x.Fetched != s.Fetched || x.Failed != s.Failed || x.Refused != s.Refused || int64(x.Sites) != s.Sites || x.Bytes != s.Bytes {
		t.Errorf("report: %+v, want %+v", x, s)
	}
}
