package live

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A report keeps within its memory: it leaves simulations out, or says what it needs.
func TestReportMemory(t *testing.T) {
	_, dir, _ := crawled(t, troubled(), 0)
	read := func(most int64) (*Report, error) {
		return ReadReport(t.Context(), dir, ReportOptions{Policies: []string{"random"}, Progress: &show.Stages{Context: t.Context()}, MaxMemory: most,
			Limit: func(all, outside int64) {
				if all != most || outside <= 0 || outside > most {
					t.Errorf("%d of %d bytes outside the heap", outside, all)
				}
			}})
	}
	_, err := read(1 << 20)
	var hinted *hint.Error
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Text, "needs about 65 MiB") || hinted.Hint != "try: winnow report "+dir+" --max-memory 65MiB" {
		t.Fatalf("%+v", err)
	}
	c := mustRead(t, dir, NoPolicy).w.Crawl
	b, err := (&ReportOptions{MaxMemory: 1 << 30}).budget(c)
	if err != nil || b.pages == 0 || b.links == 0 {
		t.Fatal(b, err)
	}
	b.most = b.need(0)
	for most, simulated := range map[int64]bool{b.need(0): false, b.need(1): true} {
		r, err := read(most)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Runs) > 0 != simulated || (r.Failed != nil) == simulated || r.Real == nil {
			t.Errorf("%d bytes: %d simulations, %v", most, len(r.Runs), r.Failed)
		}
		r.Close()
	}
	if n := b.simulations(4); n != 0 {
		t.Errorf("%d simulations", n)
	}
	if b.most = b.need(3); b.simulations(4) != 3 || b.simulations(2) != 2 {
		t.Error("not as many simulations as there is room for")
	}
}
