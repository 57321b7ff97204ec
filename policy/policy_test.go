package policy

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
	"github.com/winnow-crawler/winnow/score"
)

// TestEnvHasNoOracle (O1, P13) walks through all that an Env reaches, by type.
func TestEnvHasNoOracle(t *testing.T) {
	oracle := reflect.TypeFor[Oracle]()
	seen := map[reflect.Type]bool{}
	var walk func(at string, typ reflect.Type)
	walk = func(at string, typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if typ.Implements(oracle) || reflect.PointerTo(typ).Implements(oracle) {
			t.Errorf("%s is an oracle", at)
		}
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				walk(at+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
			walk(at, typ.Elem())
		case reflect.Func:
			for i := range typ.NumOut() {
				walk(at+"()", typ.Out(i))
			}
		case reflect.Interface:
			for i := range typ.NumMethod() {
				walk(at+"."+typ.Method(i).Name, typ.Method(i).Type)
			}
		}
	}
	walk("Env", reflect.TypeFor[Env]())
	if !seen[reflect.TypeFor[Facts]()] || !seen[reflect.TypeFor[Board]()] {
		t.Error("the walk did not get far")
	}
}

// facts is a table of sites.
type facts []graph.Site

func (f facts) Site(p graph.Page) graph.Site { return f[p] }
func (facts) From(graph.Page) graph.Page     { return graph.NoPage }
func (facts) Depth(graph.Page) int           { return 0 }

// TestLargerSitesFirst (O8): the value of each site is the number of its pages that
// are known and not handed out, whatever happens.
func TestLargerSitesFirst(t *testing.T) {
	const pages, sites = 300, 7
	q := queue.New("test", pages, sites)
	var of facts
	for p := range pages {
		of = append(of, graph.Site(Hash(1, uint64(p))%sites))
	}
	e := &Env{Facts: of, Boards: []*Board{queue.NewBoard(q, nil)}, MaxPages: pages, MaxSites: sites}
	made, err := largerSitesFirstSpec().New(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := made.(*largerSitesFirst)
	for s := range graph.Site(sites) {
		q.Site(s)
	}
	var left [sites]float64
	var waiting, flying []graph.Page
	take := func(from *[]graph.Page, n uint64) graph.Page {
		i := int(n % uint64(len(*from)))
		p := (*from)[i]
		*from = append((*from)[:i], (*from)[i+1:]...)
		return p
	}
	for step, known := uint64(0), 0; known < pages; step++ {
		switch n := Hash(2, step); {
		case len(waiting) > 0 && n%4 == 1: // handed out
			p := take(&waiting, n/4)
			q.Remove(p)
			l.Taken(0, p, 0)
			left[of[p]]--
			flying = append(flying, p)
		case len(waiting) > 0 && n%16 == 2: // dropped
			p := take(&waiting, n/16)
			q.Remove(p)
			l.Dropped(p)
			left[of[p]]--
		case len(flying) > 0 && n%4 == 3: // came, or is to be tried again
			p := take(&flying, n/8)
			again := n%8 == 3
			if again {
				q.Push(p)
				waiting = append(waiting, p)
				left[of[p]]++
			}
			l.Done(0, p, &event.Outcome{Again: again}, nil)
		default:
			p := graph.Page(known)
			known++
			q.Page(p, of[p])
			l.Known(p, graph.NoPage)
			q.Push(p)
			waiting = append(waiting, p)
			left[of[p]]++
		}
		for s := range graph.Site(sites) {
			if got := q.SiteValue(s); got != left[s] && !(left[s] == 0 && got < 0) {
				t.Fatalf("step %d: site %d has the value %v, and %v pages are left", step, s, got, left[s])
			}
		}
	}
}

// TestQueueOfSite pins the hash of WebBase to the published values of FNV-1a-64, of
// which 2^32 queues leave the lower half.
func TestQueueOfSite(t *testing.T) {
	w := &webbase{queues: 1 << 32}
	for name, want := range map[string]uint32{"": 0x84222325, "a": 0x8601ec8c} {
		if got := w.queueNamed(name); got != want {
			t.Errorf("%q: %#x, want %#x", name, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	env := func() *Env {
		return &Env{Boards: []*Board{queue.NewBoard(queue.New("test", 10, 10), nil)}, MaxPages: 10, MaxSites: 10, Batch: 5}
	}
	small := env()
	small.Batch = 0
	topical := env()
	topical.Facts = facts{}
	topical.Score, _ = score.Compile("1 + hot_distance")
	large := env()
	large.MaxPages = 10_001
	for _, c := range []struct {
		name string
		env  *Env
		is   error
		says string
	}{
		{"omniscient", env(), ErrOracle, "omniscient"},
		{"horn", env(), ErrOracle, "horn"},
		{"historical-pagerank/new=omniscient", env(), ErrOracle, ""},
		{"historical-pagerank", env(), ErrPrior, ""},
		{"location", env(), ErrURLs, ""},
		{"two-queue", env(), ErrTopic, "policy two-queue: it needs a topic: --query"},
		{"mix:opic+topical", env(), ErrTopic, "topical"},
		{"score", topical, ErrTopic, "has the term hot_distance: it needs a topic"},
		{"pagerank", large, nil, "at most 10000 pages, and there are 10001"},
		{"batch-pagerank", small, nil, "a batch of 0 pages has none"},
		{"webbase-500/queues=1000001", env(), nil, "queues=1000001: it can be 1000000 at most"},
		{"site-at-a-time/hosts=99999999999999999999", env(), nil, "hosts=99999999999999999999: it can be 1000000 at most"},
		{"batch-pagerank/k=-99999999999999999999", env(), nil, "it must be a whole number of at least 1"},
		{"batch-pagerank/k=0", env(), nil, "k=0: it must be a whole number of at least 1"},
		{"partial-pagerank/k=x", env(), nil, "k=x"},
		{"opic/remote=1.5", env(), nil, "remote=1.5: it must be a number from 0 to 1"},
		{"site-at-a-time/hosts=-1", env(), nil, "hosts=-1"},
		{"webbase-500/queues=0", env(), nil, "queues=0"},
	} {
		choice, err := Choose(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = choice.New(c.env, nil); err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %v %q", c.name, err, c.is, c.says)
		}
	}
}

func TestChooseErrors(t *testing.T) {
	for text, says := range map[string]string{
		"opik":                      `unknown policy "opik"`,
		"opic/cash":                 "not a parameter",
		"opic/cash=none":            "it can be seeds, all",
		"opic/cash=all/cash=all":    "given twice",
		"opic/k=3":                  `unknown parameter "k"`,
		"breadth-first/x=1":         "there are none",
		"historical-pagerank/new=1": "it can be zero, parent, random, omniscient",
	} {
		if _, err := Choose(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", text, err, says)
		}
	}
}

// "default" means the default of winnow crawl wherever a policy is named.
func TestDefaultName(t *testing.T) {
	for text, want := range map[string]string{
		"default": Default, "default/x=1": Default + "/x=1", "mix:default*2+xim": "mix:" + Default + "*2+xim",
		"mix:xim+default": "mix:xim+" + Default, "opic/default": "opic/default", "defaults": "defaults", "": "",
	} {
		if got := Actual(text); got != want {
			t.Errorf("Actual(%q) = %q, want %q", text, got, want)
		}
	}
	c, err := Choose(DefaultName)
	if err != nil || c.Name != Default {
		t.Errorf("the default is %v (%v), want %s", c, err, Default)
	}
	if _, err := Choose(Default); err != nil {
		t.Error(err)
	}
	if !slices.Contains(Complete("de"), DefaultName) {
		t.Error("it is not completed")
	}
}
