package crawl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// manySites are hosts s0.example, s1.example... each with a home page that links to so many
// pages of its own, without a robots.txt.
func manySites(n, pages int) (hosts map[string]http.HandlerFunc, seeds []string) {
	hosts = map[string]http.HandlerFunc{}
	for i := range n {
		name := fmt.Sprintf("s%d.example", i)
		hosts[name] = siteOf(pages)
		seeds = append(seeds, "http://"+name+"/")
	}
	return hosts, seeds
}

// siteOf is a host whose home page links to so many pages, without a robots.txt.
func siteOf(pages int) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(rw, r)
		case "/":
			ownPage(many(pages, "x"+r.Host)...)(rw, r)
		default:
			ownPage()(rw, r)
		}
	}
}

// ownAddresses gives each host s0.example, s1.example... an address of its own for a time.
func ownAddresses(ttl time.Duration) func(context.Context, string) (fetch.Names, error) {
	return func(_ context.Context, host string) (fetch.Names, error) {
		n := 0
		fmt.Sscanf(host, "s%d.example", &n)
		return fetch.Names{Addrs: []netip.Addr{publicAddr(n + 1)}, TTL: ttl}, nil
	}
}

// cutOff lets connections fail while off says so.
func (w *handWeb) cutOff(off func(addr string) bool) {
	dial := w.o.Machine.Dial
	w.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if off(addr) {
			return nil, errors.New("connection refused")
		}
		return dial(ctx, network, addr)
	}
}

// The last hosts of a crawl are dead: that is no outage, and one run is enough.
func TestCaseTailOfDeadHosts(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		seeds := []string{"http://s0.example/"}
		for i := range 100 {
			seeds = append(seeds, fmt.Sprintf("http://s%d.example/", 100+i))
		}
		w := newHandWeb(t, map[string]http.HandlerFunc{"s0.example": siteOf(2)}, seeds...)
		w.o.Machine.Resolve = ownAddresses(24 * time.Hour)
		w.cutOff(func(addr string) bool { return !strings.HasPrefix(addr, publicAddr(1).String()+":") })
		sum := w.run(t)
		if sum.Why != whyUnreachable || sum.Fetched != 3 || sum.Down != 100 || sum.Failed+sum.Refused > 0 {
			t.Errorf("why=%s fetched=%d failed=%d refused=%d, %d sites down", sum.Why, sum.Fetched, sum.Failed, sum.Refused, sum.Down)
		}
		if sum.Ran > 3*time.Hour {
			t.Errorf("it took %v", sum.Ran)
		}
		if n := countOf(w.asked, "http://s0.example/robots.txt"); n > 30 {
			t.Errorf("the site that answers was asked %d times for its robots.txt", n)
		}
	})
}

// For five minutes names do not resolve, or resolve to the router.
func TestCaseResolverStorm(t *testing.T) {
	long(t)
	for _, how := range []string{"nxdomain", "private"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosts, seeds := manySites(30, 150)
				w := newHandWeb(t, hosts, seeds...)
				began := time.Now()
				good := ownAddresses(3 * time.Minute)
				w.o.Machine.Resolve = func(ctx context.Context, host string) (fetch.Names, error) {
					d := time.Since(began)
					switch storm := d > 2*time.Minute && d < 7*time.Minute; {
					case storm && how == "nxdomain":
						return fetch.Names{}, fetch.ErrNoName
					case storm:
						return fetch.Names{Addrs: []netip.Addr{netip.MustParseAddr("192.168.178.1")}, TTL: 10 * time.Minute}, nil
					}
					return good(ctx, host)
				}
				sum := w.run(t)
				if sum.Why != whyFinished || sum.Fetched != 30*151 || sum.Failed > 0 {
					t.Errorf("why=%s fetched=%d failed=%d of %d", sum.Why, sum.Fetched, sum.Failed, sum.Known)
				}
			})
		})
	}
}

// New names do not resolve for some minutes: they are asked for again.
func TestCaseNewNamesInAStorm(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		hosts, seeds := manySites(20, 3)
		hosts["s0.example"] = func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				ownPage(append(seeds[1:], many(60, "x")...)...)(rw, r)
				return
			}
			siteOf(0)(rw, r)
		}
		w := newHandWeb(t, hosts, "http://s0.example/")
		began := time.Now()
		good := ownAddresses(24 * time.Hour)
		w.o.Machine.Resolve = func(ctx context.Context, host string) (fetch.Names, error) {
			if d := time.Since(began); host != "s0.example" && d < 6*time.Minute {
				return fetch.Names{}, fetch.ErrNoName
			}
			return good(ctx, host)
		}
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Failed > 0 || sum.Fetched != 61+19*4 {
			t.Errorf("why=%s fetched=%d failed=%d of %d", sum.Why, sum.Fetched, sum.Failed, sum.Known)
		}
	})
}

// A name that does not exist is given up when the resolver answers for others, and tried
// again by the next run.
func TestCaseNoSuchName(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		hosts, seeds := manySites(2, 300)
		w := newHandWeb(t, hosts, append(seeds, "http://gone.example/")...)
		w.o.Config.Patience = config.Duration{Duration: time.Minute}
		good, gone := ownAddresses(time.Minute), true
		w.o.Machine.Resolve = func(ctx context.Context, host string) (fetch.Names, error) {
			if host == "gone.example" && gone {
				return fetch.Names{}, fetch.ErrNoName
			}
			return good(ctx, host)
		}
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Failed != 1 || sum.FailedBy["dns"] != 1 {
			t.Errorf("why=%s failed=%d by %v", sum.Why, sum.Failed, sum.FailedBy)
		}
		w.hosts["gone.example"], gone = siteOf(1), false
		if sum = w.run(t); sum.Failed != 0 || sum.Fetched != 2*301+2 {
			t.Errorf("again: why=%s fetched=%d failed=%d", sum.Why, sum.Fetched, sum.Failed)
		}
	})
}

// A host is down for ten minutes when its robots.txt is first asked for, or is refreshed.
func TestCaseShortDowntime(t *testing.T) {
	long(t)
	for _, refresh := range []bool{false, true} {
		t.Run(fmt.Sprint("refresh=", refresh), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosts, seeds := manySites(2, 400)
				w := newHandWeb(t, hosts, seeds...)
				w.o.Config.Delay = config.Duration{Duration: 5 * time.Minute}
				w.o.Machine.Resolve = ownAddresses(24 * time.Hour)
				began := time.Now()
				from, to := time.Duration(0), 10*time.Minute
				if refresh {
					from, to = 24*time.Hour-time.Minute, 24*time.Hour+10*time.Minute
				}
				w.cutOff(func(addr string) bool {
					d := time.Since(began)
					return strings.HasPrefix(addr, publicAddr(2).String()+":") && d >= from && d < to
				})
				sum := w.run(t)
				if sum.Why != whyFinished || sum.Fetched != 802 || sum.Refused+sum.Failed > 0 {
					t.Errorf("why=%s fetched=%d failed=%d refused=%d of %d", sum.Why, sum.Fetched, sum.Failed, sum.Refused, sum.Known)
				}
				for _, f := range w.verify(t).List {
					t.Errorf("verify: %+v", f)
				}
			})
		})
	}
}

// A name has three addresses, of which the first is dead.
func TestCaseSecondAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": linksTo("/x")}, "http://b.example/")
		all := []netip.Addr{publicAddr(1), publicAddr(2), netip.MustParseAddr("2606:2800::1")}
		w.o.Machine.Resolve = func(_ context.Context, host string) (fetch.Names, error) {
			return fetch.Names{Addrs: all, TTL: time.Hour}, nil
		}
		for _, dead := range []int{1, 2} {
			w.disk = memoryDisk{}
			w.o.Machine.Disk = w.disk.open
			dialled := map[string]int{}
			w.cutOff(func(addr string) bool {
				dialled[addr]++
				for _, a := range all[:dead] {
					if strings.HasPrefix(addr, netip.AddrPortFrom(a, 80).String()) {
						return true
					}
				}
				return false
			})
			sum := w.run(t)
			if sum.Fetched != 2 || sum.Why != whyFinished {
				t.Errorf("%d dead: why=%s fetched=%d, dialled %v", dead, sum.Why, sum.Fetched, dialled)
			}
		}
	})
}

// A site answers 429 to every page, but not to robots.txt: it is given up for this run.
func TestCaseForever429(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		blocked := true
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			if blocked && r.URL.Path != "/robots.txt" && r.URL.Path != "/" {
				rw.WriteHeader(http.StatusTooManyRequests)
				return
			}
			siteOf(100)(rw, r)
		}}, "http://b.example/")
		sum := w.run(t)
		if sum.Why != whyUnreachable || sum.Ran > 3*time.Hour || sum.Failed > 0 || len(w.asked) > 60 {
			t.Errorf("why=%s after %v and %d requests, %d failed", sum.Why, sum.Ran, len(w.asked), sum.Failed)
		}
		blocked = false
		if sum = w.run(t); sum.Fetched != 101 || sum.Why != whyFinished {
			t.Errorf("when it answers again: why=%s fetched=%d", sum.Why, sum.Fetched)
		}
	})
}

// The clock of the machine is wrong for some minutes: certificates do not hold.
func TestCaseTLSStorm(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 600, 40, answer.Options{HTTPS: 1})
		began := time.Now()
		c := w.server.ClientTLS().Clone()
		c.Time = func() time.Time {
			if d := time.Since(began); d > 15*time.Second && d < 3*time.Minute {
				return time.Now().AddDate(300, 0, 0)
			}
			return time.Now()
		}
		w.o.Machine.TLS = c
		if sum := w.run(t); sum.Fetched != 600 || sum.Why != whyFinished {
			t.Errorf("why=%s fetched=%d failed=%d by %v refused=%d", sum.Why, sum.Fetched, sum.Failed, sum.FailedBy, sum.Refused)
		}
	})
}

// A crawl was started before the network was there, or without --allow-private.
func TestCaseStartedOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": linksTo("/x")}, "http://b.example/")
		offline := true
		w.o.Machine.Resolve = func(ctx context.Context, host string) (fetch.Names, error) {
			if offline {
				return fetch.Names{}, fetch.ErrTemporary
			}
			return w.resolve(ctx, host)
		}
		one := w.run(t)
		if one.Why != whyUnreachable || one.Ran > 10*time.Minute || one.Down != 1 {
			t.Errorf("offline: why=%s after %v, %d down", one.Why, one.Ran, one.Down)
		}
		offline = false
		if two := w.run(t); two.Fetched != 2 {
			t.Errorf("online, the same command: why=%s fetched=%d", two.Why, two.Fetched)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 60, 4, answer.Options{})
		w.o.Config.AllowPrivate = false
		one := w.run(t)
		w.o.Config.AllowPrivate = true
		if two := w.run(t); two.Fetched != 60 {
			t.Errorf("refused at first: why=%s; with --allow-private: why=%s fetched=%d", one.Why, two.Why, two.Fetched)
		}
	})
}

// One site, and we are cut off for half an hour, or for half a day.
func TestCaseOneSiteOutage(t *testing.T) {
	long(t)
	for _, long := range []time.Duration{30 * time.Minute, 12 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			hosts, seeds := manySites(1, 500)
			w := newHandWeb(t, hosts, seeds...)
			began := time.Now()
			w.cutOff(func(string) bool { d := time.Since(began); return d > time.Minute && d < long })
			sum := w.run(t)
			if sum.Failed+sum.Refused > 0 {
				t.Errorf("%v: why=%s fetched=%d failed=%d refused=%d of %d in %v", long, sum.Why, sum.Fetched, sum.Failed, sum.Refused, sum.Known, sum.Ran)
			}
			if long < time.Hour && sum.Why != whyFinished {
				t.Errorf("%v: it ended by %s with %d pages", long, sum.Why, sum.Fetched)
			}
			time.Sleep(max(0, long-time.Since(began)))
			if sum = w.run(t); sum.Fetched != 501 {
				t.Errorf("%v: %d of 501 pages after the second run", long, sum.Fetched)
			}
		})
	}
}

// A server allows 20 requests a minute: the crawler learns it.
func TestCaseRateLimit(t *testing.T) {
	long(t)
	for _, c := range []struct {
		status int
		gap    time.Duration // least time between two requests that are answered
		delay  time.Duration // of the configuration
	}{{429, 3 * time.Second, 2 * time.Second}, {503, 50 * time.Millisecond, 10 * time.Millisecond}, {429, time.Minute, 2 * time.Second}} {
		t.Run(fmt.Sprint(c.status, c.gap), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, last := time.Now(), time.Time{}
				late, turned := 0, 0 // requests after the first two minutes, or forty gaps
				site := siteOf(300)
				w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
					learned := time.Since(began) > max(2*time.Minute, 40*c.gap)
					if learned {
						late++
					}
					if !last.IsZero() && time.Since(last) < c.gap {
						if learned {
							turned++
						}
						rw.WriteHeader(c.status)
						return
					}
					last = time.Now()
					site(rw, r)
				}}, "http://b.example/")
				w.o.Config.Delay, w.o.Config.DelayFactor = config.Duration{Duration: c.delay}, 0
				if c.gap < time.Second {
					site = siteOf(5000)
					w.o.Config.IPDelay = config.Duration{}
				}
				sum := w.run(t)
				if sum.Why != whyFinished || sum.Failed > 0 {
					t.Errorf("why=%s fetched=%d failed=%d", sum.Why, sum.Fetched, sum.Failed)
				}
				if late == 0 || 20*turned > late {
					t.Errorf("%d of %d requests were turned down after it had time to learn", turned, late)
				}
				if ideal := time.Duration(sum.Fetched) * c.gap; sum.Ran > 2*ideal+3*time.Minute {
					t.Errorf("it took %v, where %v would do", sum.Ran, ideal)
				}
			})
		})
	}
}

// A captive portal answers for all sites: by a redirect, or with its own page.
func TestCasePortal(t *testing.T) {
	long(t)
	for _, how := range []string{"redirect", "page"} {
		for _, sites := range []int{1, 30} {
			t.Run(fmt.Sprint(how, sites), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hosts, seeds := manySites(sites, 60)
					began := time.Now()
					var mu sync.Mutex
					own := map[string]int{} // answers of the sites themselves
					for name, site := range hosts {
						hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
							switch d := time.Since(began); {
							case d < time.Minute || d > 10*time.Minute:
								mu.Lock()
								own["http://"+r.Host+r.URL.Path]++
								mu.Unlock()
								site(rw, r)
							case how == "redirect":
								http.Redirect(rw, r, "http://portal.test/login", http.StatusFound)
							default:
								rw.Header().Set("Content-Type", "text/html")
								fmt.Fprint(rw, "<title>Welcome</title><p>Please log in to use our network <a href=/login>Log in</a>")
							}
						}
					}
					hosts["portal.test"] = linksTo("/terms")
					w := newHandWeb(t, hosts, seeds...)
					w.o.Machine.Resolve = ownAddresses(24 * time.Hour)
					sum := w.run(t)
					for name := range hosts {
						if name == "portal.test" {
							continue
						}
						for _, rest := range many(60, "x"+name) {
							if url := "http://" + name + rest; own[url] != 1 {
								t.Fatalf("%s: %d answers of its own; why=%s fetched=%d", url, own[url], sum.Why, sum.Fetched)
							}
						}
					}
				})
			})
		}
	}
}

// Many pages are the same, and nothing is left but a site that is broken: that its
// robots.txt answers proves that there is no portal, and does so once.
func TestPortalOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" {
					for i := range 12 {
						fmt.Fprintf(rw, "<a href=/p%d>%d</a>", i, i)
					}
					return
				}
				fmt.Fprint(rw, "<p>This page has moved to nowhere in particular.</p>")
			},
			"b.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					time.Sleep(8 * time.Second)
					return
				}
				rw.WriteHeader(http.StatusInternalServerError)
			},
		}, "http://a.example/", "http://b.example/")
		sum := w.run(t)
		robots := 0
		for _, url := range w.asked {
			if strings.HasSuffix(url, "/robots.txt") {
				robots++
			}
		}
		if robots > 40 {
			t.Errorf("%s: %d of %d requests were for robots.txt, in %v", sum.Why, robots, len(w.asked), sum.Ran)
		}
	})
}
