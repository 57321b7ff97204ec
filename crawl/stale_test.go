package crawl

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
)

// Servers of names that fail for a while do not end a site whose address is known; a name
// that is gone does.
func TestStaleAddress(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					http.NotFound(rw, r)
					return
				}
				if r.URL.Path == "/" {
					linksTo(many(1000, "x")...)(rw, r)
					return
				}
				linksTo()(rw, r)
			},
		}, "http://a.example/")
		asked := 0
		w.o.Machine.Resolve = func(ctx context.Context, host string) (fetch.Names, error) {
			n, err := w.resolve(ctx, host)
			n.TTL = 10 * time.Minute
			switch asked++; {
			case asked > 3:
				return fetch.Names{}, fetch.ErrNoName
			case asked > 1:
				return fetch.Names{}, fetch.ErrTemporary
			}
			return n, err
		}
		sum := w.run(t)                                                       // two seconds a page
		if sum.Fetched != 1001 || sum.Failed != 0 || asked < 4 || asked > 8 { // and a name that is gone is no reason either
			t.Errorf("%d pages came and %d failed, after %d questions", sum.Fetched, sum.Failed, asked)
		}
	})
}
