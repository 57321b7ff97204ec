package crawl

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/fakeweb"
)

// verify verifies the crawl of a web.
func (w *testWeb) verify(t *testing.T) *Findings {
	t.Helper()
	p, err := openParts(w.disk.open)
	if err != nil {
		t.Fatal(err)
	}
	v := newVerifier(p, VerifyOptions{Version: w.o.Version, Limit: 5})
	defer v.Close()
	if err := v.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v.out
}

// clean demands that nothing was found.
func (f *Findings) clean(t *testing.T) {
	t.Helper()
	for _, x := range f.List {
		t.Errorf("%+v", x)
	}
	if f.Count() != int64(len(f.List)) {
		t.Errorf("in all: %v", f.Kinds)
	}
}

// A crawl of all that the Web has on a usual day keeps its promises, in several
// settings and over restarts.
func TestVerifyClean(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*Config)
		stop int64 // pages of each session but the last
	}{
		{"usual", func(*Config) {}, 0},
		{"restarted", func(*Config) {}, 150},
		{"keep-alive", func(c *Config) { c.PerConnection = 5 }, 200},
		{"small sites", func(c *Config) { c.SmallSite, c.SmallDelay = 20, seconds(7) }, 300},
		{"links only", func(c *Config) { c.Store = StoreLinks }, 0},
		{"two boards", func(c *Config) { c.SitePolicy = "larger-sites-first" }, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestWeb(t, 600, 40, fakeweb.Mixed())
				test.set(&w.o.Config)
				for n := test.stop; n > 0 && n < 600; n += test.stop {
					w.o.Config.Pages = n
					w.run(t)
				}
				w.o.Config.Pages = 0
				sum := w.run(t)
				f := w.verify(t)
				f.clean(t)
				if f.Requests != sum.Requests || f.Pages != sum.Known || f.Stored == 0 && test.name != "links only" || f.Snapshots == 0 {
					t.Errorf("verified %+v", f)
				}
				t.Logf("%+v", f)
			})
		})
	}
}
