package partition

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// A condition to stop counts over all partitions.
func TestStopWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1600, Seed: 7}, answer.Options{})
		c := &w.o.Config
		c.Partitions, c.Policy, c.MaxMemory, c.StopWhen = 4, "opic", 1<<30, "pages >= 40 and known > 50"
		if sum := w.run(t); sum.Why != "stop-when" || sum.Fetched < 40 || sum.Fetched > 80 {
			t.Errorf("%d pages, because of %s", sum.Fetched, sum.Why)
		}
	})
}

// The pages that are kept are as many as with one partition.
func TestKeepPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1600, Seed: 7}, answer.Options{})}
		c := &w.o.Config
		c.Partitions, c.Policy, c.MaxMemory, c.KeepPages = 4, "opic", 1<<30, 42
		if sum := w.run(t); sum.Kept != 42 || sum.Fetched != 200 {
			t.Errorf("%d of %d pages are kept", sum.Kept, sum.Fetched)
		}
		w.verify(t, 4)
	})
}

// Pages of an earlier crawl are made known by their partitions, once.
func TestHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1600, Seed: 7}, answer.Options{})}
		list := ""
		for i := range 200 {
			list += fmt.Sprintf("%s\t%d\n", w.server.URL(graph.Page(i)), 1+i)
		}
		c := &w.o.Config
		c.History = filepath.Join(t.TempDir(), "values.tsv")
		if err := os.WriteFile(c.History, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Partitions, c.Policy, c.MaxMemory, c.Pages = 4, "historical-pagerank", 1<<30, 60
		sum := w.run(t)
		if sum.Fetched != 60 || sum.Known != 200 {
			t.Errorf("%d pages of %d", sum.Fetched, sum.Known)
		}
		w.verify(t, 4)
	})
}

// Pages get another chance in all partitions.
func TestRetry(t *testing.T) {
	retried := map[int]int{}
	for _, n := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			w := newFaultWeb(t, 0)
			w.o.Config.Partitions = n
			failed := w.run(t).Failed
			w.o.Chance = &crawl.Chance{}
			sum := w.run(t)
			if retried[n] = sum.Retried; int64(sum.Retried) != failed || sum.Failed != 0 || sum.Why != "retry" {
				t.Errorf("%d of %d pages get another chance, because of %s", sum.Retried, failed, sum.Why)
			}
		})
	}
	if retried[1] != retried[4] || retried[1] == 0 {
		t.Errorf("pages that get another chance, by number of partitions: %v", retried)
	}
}
