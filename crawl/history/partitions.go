package history

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Dirs returns the directories of the partitions of the crawl in a directory: those below it, or
// the directory itself if the crawl is not divided.
func Dirs(dir string) ([]string, error) {
	p, err := layout.ReadPartitions(disk.OS(dir))
	if err != nil {
		return nil, layout.PartitionsError(dir, err)
	}
	if p == nil {
		return []string{dir}, nil
	}
	list := make([]string, p.Partitions)
	for i := range list {
		list[i] = layout.PartitionDir(dir, i)
	}
	return list, nil
}

// DirOf returns the directory of the partition that fetches a URL: one of Dirs.
func DirOf(dir, url string) (string, error) {
	list, err := Dirs(dir)
	if err != nil || len(list) == 1 {
		return dir, err
	}
	c, _, err := ReadConfig(dir)
	if err != nil {
		return "", err
	}
	owner, err := state.Owner(&c)
	if err != nil || owner == nil {
		return dir, err
	}
	site, _ := page.Site([]byte(url))
	return list[owner(site)], nil
}

// divided returns the error for a crawl that is read as if it had one partition.
func divided(dir string) error {
	if list, err := Dirs(dir); err != nil || len(list) > 1 {
		if err != nil {
			return err
		}
		return &hint.Error{
			Text: fmt.Sprintf("%s has %d partitions, and this reads one", dir, len(list)),
			Hint: "name one of them, such as " + list[0],
		}
	}
	return nil
}

// All is a crawl with all its partitions.
type All struct {
	Path   string
	Crawls []*Crawl // by partition; one if the crawl is not divided
}

// OpenAll opens the crawl in a directory, which may have several partitions.
func OpenAll(ctx context.Context, dir string) (*All, error) {
	list, err := Dirs(dir)
	if err != nil {
		return nil, err
	}
	a := &All{Path: dir}
	for _, path := range list {
		c, err := Open(ctx, path)
		if err != nil {
			a.Close()
			return nil, err
		}
		if a.Crawls = append(a.Crawls, c); len(list) > 1 {
			c.all = a
		}
	}
	return a, nil
}

// Find returns the partition that lists the page of a URL, and the page. If none knows it, the
// partition is the one that would fetch it.
func (a *All) Find(url string) (part int, p graph.Page, known bool, err error) {
	dir, err := DirOf(a.Path, url)
	if err != nil {
		return 0, 0, false, err
	}
	home := max(0, slices.IndexFunc(a.Crawls, func(c *Crawl) bool { return c.Path == dir }))
	if p, known, err = a.Crawls[home].Lookup(url); known || err != nil {
		return home, p, known, err
	}
	for i, c := range a.Crawls {
		if p, known, err = c.Lookup(url); err != nil || known && c.state.Frontier.Bar(p) != event.BarForeign {
			return i, p, known, err
		}
	}
	return home, 0, false, nil
}

// elsewhere reports whether another partition lists a page: that of its site, if it knows it. A page
// that this one does not know is listed by the first that skips it for a reason of its own, such as
// the scope.
func (c *Crawl) elsewhere(s *state.State, p graph.Page) bool {
	site := s.Frontier.Site(p)
	switch {
	case !s.IsForeign(site):
		return false
	case s.Frontier.Bar(p) == event.BarForeign:
		return true
	case c.all == nil:
		return false
	}
	url := string(s.AppendURL(nil, p))
	if c.all.knows(s.Frontier.Partition(site), url) {
		return true
	}
	for i, d := range c.all.Crawls {
		if d == c {
			break
		}
		if c.all.knows(i, url) {
			return true
		}
	}
	return false
}

// knows reports whether a partition knows a page, unless as one that another fetches. A state that
// cannot be read is reported when the pages of that partition are listed.
func (a *All) knows(part int, url string) bool {
	s, err := a.Crawls[part].State()
	if err != nil {
		return false
	}
	p, ok := s.Lookup(url)
	return ok && int(p) < s.Frontier.Pages() && s.Frontier.Bar(p) != event.BarForeign
}

// others reports whether another partition knows a site.
func (c *Crawl) others(name string) (bool, error) {
	if c.all == nil {
		return false, nil
	}
	for _, d := range c.all.Crawls {
		if s, err := d.State(); err != nil || len(sitesCalled(s, name)) > 0 {
			return true, err
		}
	}
	return false, nil
}

// Running reports whether a process crawls in the directory.
func (a *All) Running() bool { return a.Crawls[0].Running }

// Close frees memory and closes files.
func (a *All) Close() {
	for _, c := range a.Crawls {
		c.Close()
	}
}

// readAll returns the status of a crawl with several partitions.
func readAll(ctx context.Context, dir string) (*Status, error) {
	a, err := OpenAll(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	top := &Crawl{Path: dir, Running: layout.Locked(filepath.Join(dir, layout.LockFile))}
	var archives []disk.Dir
	for _, c := range a.Crawls {
		top.end.Next += c.end.Next
		archives = append(archives, c.parts.Archive)
	}
	if s := top.StatusFile(); s != nil {
		s.Remote = s.Remote.Recount("", archives...)
		s.OfCluster(dir)
		return s, nil
	}
	list, err := a.Statuses()
	if err != nil {
		return nil, err
	}
	s := Merge(list)
	s.OfCluster(dir)
	return s, nil
}

// WhyCluster is why a crawl does not run in a directory whose crawl is that of a cluster.
const WhyCluster = "cluster"

// OfCluster sets the reason of a crawl that does not run, if the nodes of a cluster crawl it, and the
// directory has a copy or a part.
func (x *Status) OfCluster(dir string) {
	if x.State != StatePaused {
		return
	}
	if p, err := layout.ReadPartitions(disk.OS(dir)); err == nil && p != nil && p.Cluster {
		x.Why = WhyCluster
	}
}

// Statuses returns what the states of the partitions say.
func (a *All) Statuses() (list []*Status, err error) {
	list = make([]*Status, len(a.Crawls))
	for i, c := range a.Crawls {
		if list[i], err = c.Status(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// verifyAll verifies a crawl with several partitions: each of them, and that what they have told
// each other agrees.
func verifyAll(ctx context.Context, list []string, o VerifyOptions) (*Findings, error) {
	out := &Findings{Kinds: map[string]int64{}, Notes: []string{}}
	x := books{out: out, sites: map[string]int{}}
	for i, path := range list {
		c, err := Open(ctx, path)
		if err != nil {
			return nil, err
		}
		f, err := c.Verify(o)
		if err == nil {
			out.add(f, path)
			x.take(i, c, len(list))
		}
		c.Close()
		if err != nil {
			return nil, err
		}
	}
	x.balance()
	return out, nil
}

// add adds the findings of a partition.
func (f *Findings) add(g *Findings, path string) {
	for _, x := range g.List {
		x.What = filepath.Base(path) + ": " + x.What
		f.List = append(f.List, x)
	}
	for k, n := range g.Kinds {
		f.Kinds[k] += n
	}
	for _, note := range g.Notes {
		f.Notes = append(f.Notes, filepath.Base(path)+": "+note)
	}
	to, from := reflect.ValueOf(f).Elem(), reflect.ValueOf(g).Elem()
	for i := range to.NumField() {
		if to.Field(i).Kind() == reflect.Int64 {
			add(to.Field(i), from.Field(i))
		}
	}
}

// books hold what partitions have told each other.
type books struct {
	out     *Findings
	sent    [][]uint64 // by partition: numbers of the last messages to the others
	applied [][]uint64 // and of the last ones of the others that were applied
	sites   map[string]int
	cash    float64
	opic    bool
}

// take takes what the state of a partition says.
func (x *books) take(self int, c *Crawl, of int) {
	s := c.state
	sent, applied := make([]uint64, of), make([]uint64, of)
	for i := range of {
		sent[i], _, applied[i] = s.Frontier.Messages(i)
	}
	x.sent, x.applied = append(x.sent, sent), append(x.applied, applied)
	for i := range s.Frontier.Sites() {
		id := graph.Site(i)
		if s.Frontier.Partition(id) != self {
			continue
		}
		name := string(s.Table.Name(id))
		if other, ok := x.sites[name]; ok {
			x.find("%s is a site of partition %d and of partition %d", name, other, self)
		}
		x.sites[name] = self
	}
	conf, err := c.Config()
	x.opic = err == nil && conf.Policy == "opic"
	for i := range s.Frontier.Pages() {
		x.cash += s.Frontier.Value(graph.Page(i), 0)
	}
}

// balance compares what was sent with what was applied.
func (x *books) balance() {
	whole := true
	for i := range x.sent {
		for j := range x.sent {
			switch sent, applied := x.sent[i][j], x.applied[j][i]; {
			case applied > sent:
				x.find("partition %d has applied %d messages of partition %d, which has sent %d", j, applied, i, sent)
			case applied < sent:
				whole = false
			}
		}
	}
	if x.opic && whole && math.Abs(x.cash-1) > 1e-9 {
		x.find("the cash of all pages is %v, not 1", x.cash)
	}
	if !whole {
		x.out.Notes = append(x.out.Notes, "messages between partitions are under way")
	}
}

func (x *books) find(format string, args ...any) {
	x.out.Kinds[FindExchange]++
	x.out.List = append(x.out.List, Finding{Kind: FindExchange, What: fmt.Sprintf(format, args...)})
}
