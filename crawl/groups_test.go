package crawl

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A slowDir is a directory whose files take their time to be synced. It notes when that was.
type slowDir struct {
	disk.Dir
	takes  time.Duration
	synced *[]time.Time // at the end of each sync of a file
}

type slowFile struct {
	disk.File
	dir *slowDir
}

func (d *slowDir) Open(name string, how disk.How) (disk.File, error) {
	f, err := d.Dir.Open(name, how)
	if err != nil {
		return nil, err
	}
	return slowFile{f, d}, nil
}

func (f slowFile) Sync() error {
	time.Sleep(f.dir.takes)
	*f.dir.synced = append(*f.dir.synced, time.Now())
	return f.File.Sync()
}

// busyHosts returns sites with robots.txt files, one in three of them elsewhere, a page with
// links, and pages of which one in four redirects to another site. Answers take 20 to 180 ms.
func busyHosts(n int) (hosts map[string]http.HandlerFunc, seeds []string) {
	hosts = map[string]http.HandlerFunc{}
	for i := range n {
		name := fmt.Sprintf("s%d.example", i)
		next := fmt.Sprintf("http://s%d.example", (i+1)%n)
		hosts[name] = func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Duration(20+(i*37+len(r.URL.Path)*53)%160) * time.Millisecond)
			k := 0
			fmt.Sscanf(r.URL.Path, "/x%d", &k)
			switch {
			case r.URL.Path == "/robots.txt" && i%3 == 0:
				http.Redirect(rw, r, next+"/robots.txt", http.StatusFound)
			case r.URL.Path == "/robots.txt":
				http.NotFound(rw, r)
			case r.URL.Path == "/":
				ownPage(many(30, "x")...)(rw, r)
			case k%4 == 3:
				http.Redirect(rw, r, next+"/from"+r.URL.Path, http.StatusFound)
			default:
				ownPage()(rw, r)
			}
		}
		seeds = append(seeds, "http://"+name+"/")
	}
	return hosts, seeds
}

// With a delay of a second or more, a crawl makes a group of records for each --commit, with
// a disk that takes its time, too; and no record waits longer for the disk than --commit says
// and the disk takes for this group and the one before.
func TestGroups(t *testing.T) {
	const takes = 6 * time.Millisecond
	for _, delay := range []time.Duration{time.Second, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			hosts, seeds := busyHosts(200)
			w := newHandWeb(t, hosts, seeds...)
			c := &w.o.Config
			c.Delay, c.Duration = config.Duration{Duration: delay}, config.Duration{Duration: 12 * time.Second}
			w.o.Machine.Resolve = func(_ context.Context, host string) (fetch.Names, error) {
				n := 0
				fmt.Sscanf(host, "s%d.example", &n)
				return fetch.Names{Addrs: []netip.Addr{publicAddr(n + 1)}, TTL: 24 * time.Hour}, nil
			}
			var synced []time.Time
			w.o.Machine.Disk = func(name string) (disk.Dir, error) {
				d, err := w.disk.open(name)
				if path.Clean(name) != path.Clean(layout.JournalDir) {
					return &slowDir{d, takes, new([]time.Time)}, err
				}
				return &slowDir{d, takes, &synced}, err
			}
			began := time.Now()
			sum := w.run(t)
			most := int64(1.2 * float64(sum.Ran) / float64(c.Commit.Duration))
			if sum.Commits > most || sum.Requests < 800 {
				t.Errorf("delay %v: %d requests in %v made %d groups, more than %d", delay, sum.Requests, sum.Ran, sum.Commits, most)
			}
			longest := longestWait(t, w, began, synced)
			if limit := c.Commit.Duration + 4*takes + time.Millisecond; longest > limit {
				t.Errorf("delay %v: a record waited %v for the disk, more than %v", delay, longest, limit)
			}
			t.Logf("delay %v: %d requests in %v, %d groups (%.2f of one each %v), longest wait %v",
				delay, sum.Requests, sum.Ran, sum.Commits, float64(sum.Commits)*c.Commit.Seconds()/sum.Ran.Seconds(), c.Commit, longest)
		})
	}
}

// longestWait returns the longest time from the first record of a group to the end of the
// first sync of the journal after its last record.
func longestWait(t *testing.T, w *handWeb, began time.Time, synced []time.Time) (longest time.Duration) {
	t.Helper()
	dir, _ := w.disk.open(layout.JournalDir)
	first, last := time.Duration(-1), time.Duration(0)
	r := journal.Reader{Dir: dir,
		Record: func(r *journal.Record) error {
			if last = r.Now; first < 0 {
				first = r.Now
			}
			return nil
		},
		Commit: func(*journal.Commit) error {
			for len(synced) > 0 && synced[0].Sub(began) < last {
				synced = synced[1:]
			}
			if len(synced) == 0 {
				t.Error("a group was not synced")
				return nil
			}
			longest = max(longest, synced[0].Sub(began)-first)
			synced, first = synced[1:], -1
			return nil
		}}
	if _, err := r.Run(); err != nil {
		t.Fatal(err)
	}
	return longest
}
