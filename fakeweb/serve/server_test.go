package serve

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// TestStorms: after so many requests a site answers 429 or 503 for as long as the truth
// says, robots.txt excepted, and never again; where it says how long, it means it.
func TestStorms(t *testing.T) {
	o := answer.Options{Servers: answer.ServerShares{Storm: 0.5, StormAfter: 6, StormFor: 5 * time.Second}}
	bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
		told := map[bool]int{}
		for id := range graph.Site(16) {
			storm := s.SiteTruth(id).Storm
			if storm.After == 0 {
				continue
			}
			told[storm.RetryAfter]++
			robots, home := robotsURL(s, id), s.URL(s.Web().Home(id))
			for n := 1; n < storm.After; n++ {
				if status, _ := load(c, home); status != 200 {
					t.Fatalf("site %d, request %d: %d, want the storm at %d", id, n, status, storm.After)
				}
			}
			for left := storm.For; left > 0; left -= 2 * time.Second {
				status, header := load(c, home)
				after := ""
				if storm.RetryAfter {
					after = strconv.Itoa(int(left / time.Second))
				}
				if status != storm.Status || header.Get("Retry-After") != after {
					t.Errorf("site %d, %v before the end: %d, Retry-After %q, want %q", id, left, status, header.Get("Retry-After"), after)
				}
				if status, _ := load(c, robots); status != 200 {
					t.Errorf("site %d: robots.txt answers %d", id, status)
				}
				time.Sleep(2 * time.Second)
			}
			for n := range 2 * storm.After {
				if status, _ := load(c, home); status != 200 {
					t.Errorf("site %d, %d requests later: %d", id, n, status)
				}
			}
			for _, v := range s.Counter().Check(count.Demands{Repeats: true}) {
				if v.Kind == count.RetryAfter && v.Site == id && !storm.RetryAfter {
					t.Errorf("accused of %v, though nothing was said", v)
				}
			}
		}
		if told[true] < 2 || told[false] < 2 {
			t.Errorf("storms by Retry-After: %v", told)
		}
	})
}

// TestFastErrors: nine of ten pages fail, and without the latency that other sites have.
func TestFastErrors(t *testing.T) {
	o := answer.Options{Servers: answer.ServerShares{Errors: 0.4}, MinLatency: time.Second}
	bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
		failing, all := 0, 0
		for id := range graph.Site(smallWeb.Sites) {
			if !s.SiteTruth(id).FastErrors {
				continue
			}
			for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(min(40, s.Web().Size(id))); p++ {
				start := time.Now()
				status, _ := load(c, s.URL(p))
				if e := s.Truth(p); status != e.Status || time.Since(start) != 0 {
					t.Errorf("page %d: %d after %v, want %+v", p, status, time.Since(start), e)
				}
				site, j := s.Web().Locate(p)
				if _, k := site.Place(j); k > 0 {
					if all++; status == 500 {
						failing++
					}
				}
			}
		}
		if share := float64(failing) / float64(all); all < 100 || share < 0.8 || share > 0.97 {
			t.Errorf("%d of %d pages fail", failing, all)
		}
	})
}

// TestChangingRobots: the rules change some time after their first answer, and who has
// not requested them again is not accused.
func TestChangingRobots(t *testing.T) {
	o := answer.Options{Robots: answer.RobotsShares{Changing: 1, Rules: 0.5, ChangeAfter: time.Hour}}
	bubble(t, o, func(t *testing.T, s *Server, c *http.Client) {
		sites := 0
		for id := range graph.Site(20) {
			p, ok := laterPage(s, id)
			if !ok {
				continue
			}
			sites++
			allows := func(want bool) {
				t.Helper()
				u, _ := url.Parse(s.URL(p))
				f := robots.Parse(ask(s, robotsURL(s, id)).Body.Bytes()).For("winnow")
				if f.Test(u.Path).Allowed != want {
					t.Errorf("site %d: %s allowed %v, want %v", id, u, !want, want)
				}
			}
			if e := s.Truth(p); e.Forbidden || !e.Later || !e.Fetched() {
				t.Fatalf("page %d: %+v", p, e)
			}
			load(c, robotsURL(s, id))
			time.Sleep(time.Minute)
			allows(true)
			load(c, s.URL(p))
			time.Sleep(2 * time.Hour)
			load(c, s.URL(p)) // by the old rules
			if v := dropKind(accusedOf(s, id, count.Demands{}), count.Repeated); len(v) > 0 {
				t.Errorf("site %d: accused of %v before it could know", id, v)
			}
			time.Sleep(time.Minute)
			allows(false)
			time.Sleep(time.Minute)
			load(c, s.URL(p))
			if v := dropKind(accusedOf(s, id, count.Demands{}), count.Repeated); len(v) != 1 || v[0].Kind != count.Forbidden || v[0].Page != p {
				t.Errorf("site %d: accused of %v", id, v)
			}
		}
		w := s.Wanted(answer.Limits{})
		for _, p := range w.Maybe {
			if e := s.Truth(p); !e.Later {
				t.Errorf("page %d is doubtful: %+v", p, e)
			}
		}
		if sites < 5 || len(w.Maybe) == 0 {
			t.Errorf("%d sites change, %d pages are doubtful", sites, len(w.Maybe))
		}
	})
}

// laterPage is a page of a site that robots.txt forbids later on.
func laterPage(s *Server, id graph.Site) (graph.Page, bool) {
	for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(s.Web().Size(id)); p++ {
		if s.Truth(p).Later {
			return p, true
		}
	}
	return 0, false
}

func accusedOf(s *Server, id graph.Site, d count.Demands) (found []count.Violation) {
	for _, v := range s.Counter().Check(d) {
		if v.Site == id {
			found = append(found, v)
		}
	}
	return found
}

// TestEndlessRobots: the rules come first, and who has read 500 KiB knows them.
func TestEndlessRobots(t *testing.T) {
	bubble(t, answer.Options{Robots: answer.RobotsShares{Endless: 1, Rules: 1}}, func(t *testing.T, s *Server, c *http.Client) {
		for _, most := range []int64{500 << 10, 100_000} {
			id := graph.Site(most % 7)
			a := visitFor(c, robotsURL(s, id), time.Minute, most)
			rules := robots.Parse(a.body).For("winnow")
			if a.status != 200 || int64(len(a.body)) != most || !strings.HasPrefix(string(a.body), "User-agent: ") {
				t.Fatalf("%d, %d bytes, %v", a.status, len(a.body), a.err)
			}
			for p := s.Web().Home(id); p < s.Web().Home(id)+graph.Page(s.Web().Size(id)); p++ {
				if u, _ := url.Parse(s.URL(p)); rules.Test(u.Path).Allowed == s.Truth(p).Forbidden {
					t.Fatalf("page %d: %+v", p, s.Truth(p))
				}
			}
			time.Sleep(time.Second)
			load(c, s.URL(s.Web().Home(id)))
			if v := accusedOf(s, id, count.Demands{Delay: time.Second}); (len(v) == 0) != (most == 500<<10) || len(v) > 0 && v[0].Kind != count.BeforeRobots {
				t.Errorf("after %d bytes accused of %v", most, v)
			}
		}
	})
}

// TestHangingRobots: nobody may continue without the rules.
func TestHangingRobots(t *testing.T) {
	bubble(t, answer.Options{Robots: answer.RobotsShares{Hanging: 1}}, func(t *testing.T, s *Server, c *http.Client) {
		a := visitFor(c, robotsURL(s, 1), time.Minute, 1<<20)
		if a.status != 0 || a.after != time.Minute || s.SiteTruth(1).Robots != "hanging" || !s.Truth(s.Web().Home(1)).Forbidden {
			t.Errorf("%d after %v", a.status, a.after)
		}
		load(c, s.URL(s.Web().Home(1)))
		if v := s.Counter().Check(count.Demands{}); len(v) != 1 || v[0].Kind != count.BeforeRobots {
			t.Errorf("accused of %v", v)
		}
	})
}
