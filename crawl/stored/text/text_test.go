package text

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/stored"
)

// testCrawl crawls a site of so many pages, some of them duplicates, in German, plain text, empty
// or gone, and returns its archive.
func testCrawl(t *testing.T, pages int) *stored.Archive {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &n); err != nil && r.URL.Path != "/" || n%10 == 7 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch n % 10 {
		case 1:
			fmt.Fprint(w, `<html lang=de-AT><title>Grüße</title><nav><a href=/>Anfang</a></nav><p>Immer derselbe Text hier.`)
		case 2:
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "plain words of %d", n)
		case 3:
			fmt.Fprintf(w, "<title>%d</title>", n)
		default:
			fmt.Fprintf(w, "<html lang=en><title>Page %d</title><nav>", n)
			for i := range pages {
				fmt.Fprintf(w, "<a href=/p%d>link</a> ", i)
			}
			fmt.Fprintf(w, "</nav><h1>Page %d¶</h1><p>%s", n, strings.Repeat(fmt.Sprintf("words of %d ", n), 20))
		}
	}))
	t.Cleanup(server.Close)
	c := config.Default()
	c.Contact, c.AllowPrivate, c.Types = "me@example.org", true, config.TypesAll
	c.Delay, c.DelayFactor, c.IPDelay, c.Traps = config.Seconds(0.001), 0, config.Seconds(0), false
	dir := t.TempDir()
	if _, err := crawl.Run(context.Background(), crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{server.URL + "/"}}); err != nil {
		t.Fatal(err)
	}
	a, err := stored.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// An export has every page once, in one order, in every format, and counts what it leaves out.
func TestExport(t *testing.T) {
	a := testCrawl(t, 50)
	export := func(o Options, name string) (Sum, []byte) {
		t.Helper()
		var b bytes.Buffer
		w, err := NewWriter(&b, name, "v1", "abc")
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Each(context.Background(), a, o, w.Add)
		if err := errors.Join(err, w.Close(), sum.First); err != nil {
			t.Fatal(err)
		}
		return sum, b.Bytes()
	}
	sum, lines := export(Options{MinWords: 1}, "")
	// 51 pages: of every ten one is gone and one empty, the German ones are the same, and so are / and /p0.
	if want := (Sum{Rows: 51 - 5 - 5 - 5, Words: sum.Words, Duplicates: 5, Short: 5, NoPages: 5 + 1}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	var rows []Row
	for line := range bytes.Lines(lines) {
		var r Row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if !slices.IsSortedFunc(rows, func(x, y Row) int { return strings.Compare(x.URL, y.URL) }) {
		t.Error("the rows are not in order")
	}
	for _, r := range rows {
		var n int
		fmt.Sscanf(r.URL[strings.LastIndexByte(r.URL, '/'):], "/p%d", &n)
		want := Row{Title: fmt.Sprintf("Page %d", n), Language: "en", Text: fmt.Sprintf("Page %d\n", n) + strings.TrimSpace(strings.Repeat(fmt.Sprintf("words of %d ", n), 20))}
		switch n % 10 {
		case 1:
			want = Row{Title: "Grüße", Language: "de", Text: "Immer derselbe Text hier."}
		case 2:
			want = Row{Text: fmt.Sprintf("plain words of %d", n)}
		}
		if r.Title != want.Title || r.Language != want.Language || r.Text != want.Text || r.Date.IsZero() {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	for range 3 {
		if _, again := export(Options{MinWords: 1}, "x.jsonl"); !bytes.Equal(again, lines) {
			t.Error("another export has other bytes")
		}
	}
	_, packed := export(Options{MinWords: 1}, "x.jsonl.gz")
	if z, err := gzip.NewReader(bytes.NewReader(packed)); err != nil || !bytes.Equal(all(t, z), lines) {
		t.Error("gzip", err)
	}
	_, packed = export(Options{MinWords: 1}, "x.jsonl.zst")
	if z, err := zstd.NewReader(bytes.NewReader(packed)); err != nil || !bytes.Equal(all(t, z), lines) {
		t.Error("zstd", err)
	}
	_, packed = export(Options{MinWords: 1}, "x.parquet")
	table, err := parquet.Read[Row](bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(table) != len(rows) {
		t.Fatal(len(table), err)
	}
	for i := range table {
		if table[i].Date = table[i].Date.UTC(); table[i] != rows[i] {
			t.Errorf("row %d: %+v, not %+v", i, table[i], rows[i])
		}
	}
	if sum, _ := export(Options{Duplicates: true}, ""); sum.Rows != 46 || sum.Duplicates != 5 {
		t.Errorf("with duplicates: %+v", sum)
	}
	if sum, _ := export(Options{Language: "de", MinWords: 1}, ""); sum.Rows != 1 || sum.Others != 36 {
		t.Errorf("in German: %+v", sum)
	}
	if sum, _ := export(Options{Site: "elsewhere.example"}, ""); sum != (Sum{}) {
		t.Errorf("of another site: %+v", sum)
	}
	if full, _ := export(Options{Full: true, MinWords: 1}, ""); full.Words <= sum.Words || full.Rows != sum.Rows {
		t.Errorf("full: %+v, main: %+v", full, sum)
	}
	if _, err := NewWriter(io.Discard, "x.txt", "", ""); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// An error of the writer and the end of the context end an export.
func TestExportEnds(t *testing.T) {
	a := testCrawl(t, 20)
	full := errors.New("full")
	if _, err := Each(context.Background(), a, Options{}, func(*Row) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Each(ctx, a, Options{}, func(*Row) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func all(t *testing.T, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
