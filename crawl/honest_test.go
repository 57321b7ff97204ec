package crawl

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// honest makes a site of one kind.
func honest(name string, make func(*honestSite)) *honestSite {
	s := &honestSite{name: name, pages: map[string]string{}}
	make(s)
	return s
}

// Each kind of honest site comes whole, under the configuration of a user who has said
// nothing; with WINNOW_HONEST=1 under every policy that a crawl can have.
func TestHonestKinds(t *testing.T) {
	long(t)
	for _, kind := range honestKinds {
		for _, policy := range honestPolicies() {
			t.Run(kind.name+"/"+policy, func(t *testing.T) {
				crawlHonest(t, policy, honest("a", kind.make))
			})
		}
	}
}

// All kinds together, as sites of one web, come whole under the policies that a crawl can
// have: here under the most unlike ones, with WINNOW_HONEST=1 under all.
func TestHonestTogether(t *testing.T) {
	long(t)
	var all []*honestSite
	for _, kind := range honestKinds {
		all = append(all, honest(kind.name, kind.make))
	}
	policies := honestPolicies()
	if len(policies) == 1 {
		policies = append(policies, "breadth-first")
	}
	for _, name := range policies {
		t.Run(name, func(t *testing.T) { crawlHonest(t, name, all...) })
	}
}

// crawlHonest crawls sites from the first page of one, or from a page that links to all.
func crawlHonest(t *testing.T, policy string, sites ...*honestSite) {
	synctest.Test(t, func(t *testing.T) {
		hosts, wanted, first := map[string]http.HandlerFunc{}, map[string]int{}, []string(nil)
		for _, s := range sites {
			s.handlers(hosts)
			first = append(first, s.at("/"))
			for url := range s.pages {
				wanted[url] = 0
			}
		}
		seed := first[0]
		if len(sites) > 1 {
			seed = "http://seed.example/"
			hosts["seed.example"] = linksTo(first...)
		}
		w := newHandWeb(t, hosts, seed)
		w.o.Config.Policy = policy
		w.o.Config.Pages = 20_000 // an end for a test that fails
		sum := w.run(t)
		if sum.Why != whyFinished {
			t.Errorf("it ended because of %s", sum.Why)
		}
		for _, url := range w.asked {
			wanted[url]++
		}
		missing, fates := 0, w.fates(t)
		for _, url := range slices.Sorted(maps.Keys(wanted)) {
			if _, page := fates[url]; page && wanted[url] != 1 || wanted[url] == 0 {
				if missing++; missing <= 5 {
					t.Errorf("%s was asked for %d times: %s", url, wanted[url], fates[url])
				}
			}
		}
		if missing > 0 {
			t.Errorf("%d of %d pages are missing; refused %s", missing, len(wanted), byCount(sum.RefusedBy))
		}
	})
}

// honestPolicies are the default policy alone, or with WINNOW_HONEST=1 all that a crawl can
// have.
func honestPolicies() []string {
	if os.Getenv("WINNOW_HONEST") != "" {
		return livePolicies()
	}
	return []string{config.Default().Policy}
}

// A plain web of 8,000 pages on 500 sites comes whole.
func TestHonestPlain(t *testing.T) {
	long(t)
	for _, name := range honestPolicies() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestWeb(t, 8000, 500, answer.Options{MaxSize: 4000})
				w.o.Config.Policy = name
				w.o.Config.MaxDepth, w.o.Config.MaxDepthDynamic = config.Default().MaxDepth, config.Default().MaxDepthDynamic
				sum := w.run(t)
				w.check(t, answer.Limits{})
				if sum.Why != whyFinished || sum.Fetched < 7900 {
					t.Errorf("%d pages, ended because of %s", sum.Fetched, sum.Why)
				}
			})
		})
	}
}

// One site of 20,000 pages comes whole: 330 chains of 60 pages, each linked by the one
// before alone.
func TestHonestChains(t *testing.T) {
	long(t)
	const links = 60
	for _, name := range honestPolicies() {
		chains := 330
		if name == "pagerank" {
			chains = 160 // it takes 10,000 pages at most
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
					var chain, n int
					switch _, err := fmt.Sscanf(r.URL.Path, "/topic%d/page%d.html", &chain, &n); {
					case r.URL.Path == "/":
						linksTo(numbered("/topic%d/page1.html", chains)...)(rw, r)
					case err != nil || n > links:
						http.NotFound(rw, r)
					case n == links:
						writePage(rw, "Topic", words(r.URL.Path, 20))
					default:
						writePage(rw, "Topic", words(r.URL.Path, 20), fmt.Sprintf("/topic%d/page%d.html", chain, n+1))
					}
				}}, "http://a.example/")
				w.o.Config.Policy = name
				w.o.Config.Delay, w.o.Config.DelayFactor, w.o.Config.IPDelay = config.Duration{Duration: 1}, 0, config.Duration{}
				w.run(t)
				slices.Sort(w.asked)
				n := 0
				for _, url := range slices.Compact(w.asked) {
					if strings.HasSuffix(url, ".html") {
						n++
					}
				}
				if n != chains*links {
					t.Errorf("%d of %d pages came", n, chains*links)
				}
			})
		})
	}
}
