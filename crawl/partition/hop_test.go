package partition

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A robots.txt that moved to a site of another partition which is given up is requested again where
// it was, as in one piece: whether that site has no name, or fails.
func TestRobotsMovedToNowhere(t *testing.T) {
	fails := func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }
	for name, x := range map[string]struct {
		target http.HandlerFunc // of its robots.txt; nil: it has no name
	}{"no name": {}, "fails": {fails}} {
		t.Run(name, func(t *testing.T) {
			ended, asked := map[int]string{}, map[int]int{}
			for _, n := range []int{1, 2} {
				synctest.Test(t, func(t *testing.T) {
					a, to := hostIn(t, 1, 2), "to."+hostIn(t, 0, 2)
					w := newHandWeb(t, map[string]http.HandlerFunc{}, "http://"+a+"/")
					for i := range 2 { // others are there all the time
						host := "live." + hostIn(t, i, 2)
						w.o.Seeds = append(w.o.Seeds, "http://"+host+"/0")
						w.hosts[host] = func(rw http.ResponseWriter, r *http.Request) {
							var k int
							fmt.Sscanf(r.URL.Path, "/%d", &k)
							writePage(rw, r.URL.Path, fmt.Sprintf("/%d", min(k+1, 39)))
						}
					}
					w.hosts[a] = func(rw http.ResponseWriter, r *http.Request) { writePage(rw, a) }
					w.robots = map[string]http.HandlerFunc{a: func(rw http.ResponseWriter, r *http.Request) {
						http.Redirect(rw, r, "http://"+to+"/robots.txt", http.StatusFound)
					}}
					if x.target != nil {
						w.hosts[to], w.robots[to] = http.NotFound, x.target
					}
					c := &w.o.Config
					c.Partitions, c.Policy, c.Duration.Duration, c.Delay.Duration = n, "opic", 130*time.Hour, 10*time.Second
					c.Patience.Duration = 200 * time.Hour
					sum := w.run(t)
					ended[n] = fmt.Sprint(sum.Why, " ", sum.Waiting, sum.Fetched, sum.Failed)
					asked[n] = w.asked["http://"+a+"/robots.txt"]
					if n > 1 {
						w.verify(t, n)
					}
				})
			}
			if t.Log(ended, asked); ended[1] != ended[2] || asked[2] < asked[1]/2 || asked[2] > 2*asked[1] || asked[1] < 3 {
				t.Errorf("it ended by %s with %d requests for its robots.txt, in one piece by %s with %d", ended[2], asked[2], ended[1], asked[1])
			}
		})
	}
}
