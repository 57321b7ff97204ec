package stored_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/stored"
)

// While a crawl runs, several readers find every page that is committed, with its body, and
// never anything else. When it has ended, they find all.
func TestRunning(t *testing.T) {
	const pages = 120
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "robots.txt") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
		for i := range pages {
			fmt.Fprintf(w, "<a href=/%d>%d</a>", i, i)
		}
		fmt.Fprint(w, strings.Repeat("words of "+r.URL.Path+" ", 200))
	}))
	defer server.Close()
	dir := t.TempDir()
	c := config.Default()
	c.Contact, c.AllowPrivate = "me@example.org", true
	c.Delay, c.DelayFactor, c.IPDelay = config.Seconds(0.001), 0, config.Seconds(0)
	var mu sync.Mutex
	var known []string
	check := func(a *stored.Archive, url string) bool {
		x, err := a.Find(url, time.Time{})
		var missing *stored.Missing
		if errors.As(err, &missing) {
			return false
		}
		if path := strings.TrimPrefix(url, server.URL); err != nil || !strings.HasPrefix(string(x.Body), "<title>"+path+"</title>") {
			t.Errorf("%s: %v, %+v", url, err, x)
		}
		return true
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	read := func(a *stored.Archive) {
		for {
			mu.Lock()
			list := append([]string(nil), known...)
			mu.Unlock()
			for _, url := range list {
				check(a, url)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}
	var a *stored.Archive
	_, err := crawl.Run(context.Background(), crawl.RunOptions{
		Dir: dir, Config: c, Seeds: []string{server.URL + "/"},
		OnPage: func(p *crawl.Page) error {
			mu.Lock()
			defer mu.Unlock()
			known = append(known, p.URL)
			if a == nil {
				var err error
				if a, err = stored.Open(context.Background(), dir); err != nil {
					return err
				}
				for range 3 {
					readers.Go(func() { read(a) })
				}
			}
			return nil
		},
	})
	close(done)
	readers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if len(known) != pages+1 {
		t.Fatalf("%d pages", len(known))
	}
	for _, reader := range []*stored.Archive{a, mustOpen(t, dir)} {
		for _, url := range known {
			if !check(reader, url) {
				t.Errorf("%s is missing", url)
			}
		}
	}
}

func mustOpen(t *testing.T, dir string) *stored.Archive {
	t.Helper()
	a, err := stored.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
