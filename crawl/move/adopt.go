package move

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A Deed is a crawl directory that is to be given to a cluster. It is locked.
type Deed struct {
	Plan  *node.Plan
	given bool // an earlier call has marked the directory
	dir   string
	disk  func(name string) (disk.Dir, error)
	lock  *os.File // nil: it is not in the file system
}

// OpenDeed locks the directory of a crawl with partitions, and makes a plan of it.
func OpenDeed(dir string) (*Deed, error) {
	file, err := layout.ReadPartitions(disk.OS(dir))
	switch {
	case err != nil:
		return nil, layout.PartitionsError(dir, err)
	case file == nil && layout.IsCrawl(dir):
		return nil, &hint.Error{Text: dir + " has one partition", Hint: "divide it first: winnow split " + dir + " --partitions 16 -o NEW"}
	case file == nil:
		return nil, &hint.Error{Text: dir + " is not a crawl", Hint: "name the directory of a crawl with partitions"}
	}
	c, _, err := history.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	lock, err := layout.Lock(filepath.Join(dir, layout.LockFile))
	if err != nil {
		return nil, layout.LockError(dir, err)
	}
	d := &Deed{given: file.Cluster, dir: dir, lock: lock, disk: func(name string) (disk.Dir, error) {
		return disk.OS(filepath.Join(dir, filepath.FromSlash(name))), nil
	}}
	if d.Plan, err = adoptedPlan(&c, file); err != nil {
		lock.Close()
		return nil, err
	}
	return d, nil
}

// adoptedPlan returns the plan of a crawl that has begun.
func adoptedPlan(c *config.Config, file *layout.Partitions) (*node.Plan, error) {
	p, err := node.NewPlan(c, file.Partitions, c.Seeds)
	if err != nil {
		return nil, err
	}
	p.Crawl = *file
	p.Crawl.Cluster = true
	return p, nil
}

// Close unlocks the directory.
func (d *Deed) Close() {
	if d.lock != nil {
		d.lock.Close()
	}
}

// Fill gives the logs of a cluster, which must be empty, the journals. Then it marks the directory: it
// must not continue the crawl by itself from then on. Nodes begin when the plan is in the register. It
// may be repeated after an error.
func (d *Deed) Fill(ctx context.Context, e cluster.Engine, progress func(done, total int64) error) error {
	if last, err := e.Log(0).Last(ctx); err != nil || d.given && last == 0 {
		if err == nil {
			err = &hint.Error{Text: d.dir + " was given to a cluster already", Hint: "to have it back: winnow cluster gather -o " + d.dir + " --move --cluster HOST:PORT --name NAME"}
		}
		return err
	}
	n := d.Plan.Crawl.Partitions
	for i := range n {
		if progress != nil {
			if err := progress(int64(i), int64(n)); err != nil {
				return err
			}
		}
		if err := d.fill(ctx, e.Log(i), i); err != nil {
			return fmt.Errorf("partition %d: %w", i, err)
		}
	}
	top, err := d.disk(".")
	if err == nil {
		err = d.Plan.Crawl.Write(top)
	}
	if err != nil {
		return &hint.Error{Text: "cannot write " + d.dir, Hint: "make the directory writable", Err: err}
	}
	return nil
}

// fill gives a log the journal of a partition.
func (d *Deed) fill(ctx context.Context, l cluster.Log, i int) error {
	j, h, err := d.Plan.Journal(i, d.disk)
	if err == nil {
		err = d.settle(i, j, h)
	}
	if err == nil {
		err = cluster.Fill(ctx, l, j)
	}
	if errors.Is(err, cluster.ErrOther) {
		err = &hint.Error{Text: "the cluster has had another crawl of this name", Hint: "choose another --name", Err: err}
	}
	return err
}

// settle removes what a partition has beyond the end of its journal. It refuses a damaged journal.
func (d *Deed) settle(i int, j cluster.Journal, h journal.Header) error {
	dir, err := d.disk(layout.PartitionName(i) + "/" + layout.JournalDir)
	if err != nil {
		return err
	}
	s, err := readSurvey(dir, h)
	if err != nil {
		return err
	}
	last, err := journal.Read(dir, math.MaxUint64, nil)
	if err != nil {
		return err
	}
	if len(s.commits) == 0 || s.records() != last.Next {
		return &hint.Error{Text: "the journal is damaged, or has not begun", Hint: "winnow verify " + d.dir + " lists what is wrong; winnow crawl --dir " + d.dir + " repairs it"}
	}
	return j.Cut(len(s.commits))
}
