package partition

import (
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Shared is what the partitions of a crawl share that run in one process, if others run elsewhere:
// permits, memory, limits of addresses, the status. Partitions come and go. Package crawl/node has
// the rest: the coordinator and the bus between machines.
type Shared struct{ run *run }

// Share returns what the partitions of a crawl share. Its directory gets the description of the
// crawl, and is the caller's to lock.
func Share(o *crawl.RunOptions, file *layout.Partitions) (*Shared, error) {
	if err := CheckShared(&o.Config); err != nil {
		return nil, err
	}
	table, err := suffix.Open(file.Suffixes)
	if err != nil {
		return nil, &hint.Error{Text: "this crawl was made by a later version of winnow", Hint: "use that version", Err: err}
	}
	t := &top{path: o.Dir, file: file, resumed: true}
	if open := o.Machine.Disk; open != nil {
		t.path = ""
		t.dir, err = open(".")
	} else {
		t.dir = disk.OS(filepath.Clean(o.Dir))
	}
	if err == nil {
		err = file.Write(t.dir)
	}
	if err != nil {
		return nil, &hint.Error{Text: "cannot write " + o.Dir, Hint: "make the directory writable, or choose another with --dir", Err: err}
	}
	n := file.Partitions
	t.owner = func(site []byte) int { return table.Partition(string(page.Host(site)), n) }
	o.Config.Partitions, o.Config.SuffixTable = n, file.Suffixes
	r, err := newRun(o, t)
	if err != nil {
		return nil, err
	}
	return &Shared{r}, nil
}

// CheckShared refuses what does not work with partitions on several machines.
func CheckShared(c *config.Config) error {
	if len(c.ExampleURLs()) > 0 && c.Topic == "" {
		return refused("examples", "no machine has the copies of all examples that are URLs; files can be used")
	}
	return Check(c)
}

// Options returns the options of a partition that begins. link sets what its port has of other
// machines: Bus, Coordinator and Tenure, and it may replace Addresses.
func (s *Shared) Options(self int, link func(*port.Port)) (crawl.RunOptions, error) {
	return s.run.options(self, link)
}

// Leave gives back all that a partition has, when its run has ended.
func (s *Shared) Leave(self int) {
	s.run.pool.leave(self)
	s.run.weights.of(self)(0)
	s.run.board.leave(self)
}

// Beyond lets fn know how many bytes the partitions here take, and return what other crawls of this
// process take. It is called before a partition begins.
func (s *Shared) Beyond(fn func(sum int64) int64) { s.run.weights.beyond = fn }

// Admit reports whether there is room for a partition whose state takes so many bytes. The room is
// kept for it until it says itself what it takes, or leaves.
func (s *Shared) Admit(self int, bytes int64) bool {
	return s.run.weights.admit(self, bytes, func(others int64) int64 { return crawl.Room(s.run.o, others) })
}

// Wake lets a partition look at its port.
func (s *Shared) Wake(self int) { s.run.wake(self) }

// Pause lets no partition make requests, or lets all go on.
func (s *Shared) Pause(paused bool) { s.run.pool.pause(paused) }

// Status returns the status of the partitions that run here, as one, and which these are. One that is
// still reading its journal is not among them.
func (s *Shared) Status() (x *history.Status, parts []int) { return s.run.board.now() }
