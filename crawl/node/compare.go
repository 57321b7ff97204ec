package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A diskQuestion asks a node whether the journal of a partition on its disk begins with the groups
// before a record, by their hash.
type diskQuestion struct {
	Reply       string // the subject of the answer
	Partition   int
	Next, Chain uint64
}

// A diskAnswer is that to a diskQuestion. First comes one that says that the node is busy with it.
type diskAnswer struct {
	Busy   bool
	Begins bool
	End    uint64 // the record after the last one on disk
	Failed string // why the disk cannot be read
}

func diskSubject(node string) string { return "d." + node }

// serveDisk answers questions about the journals on the disk of a node, one at a time.
func serveDisk(o *Options) (stop func(), err error) {
	var reading sync.Mutex
	return o.Engine.Bus.Subscribe(diskSubject(o.Name), func(data []byte) {
		var q diskQuestion
		if !decode(data, &q) || q.Reply == "" || q.Partition < 0 || q.Partition >= o.Plan.Crawl.Partitions {
			return
		}
		go func() {
			if !reading.TryLock() {
				return // it is asked again
			}
			defer reading.Unlock()
			_ = o.Engine.Bus.Publish(q.Reply, encode(diskAnswer{Busy: true}))
			_ = o.Engine.Bus.Publish(q.Reply, encode(q.answer(o)))
		}()
	})
}

func (q *diskQuestion) answer(o *Options) (a diskAnswer) {
	j, _, err := o.Plan.Journal(q.Partition, o.open)
	if err == nil {
		a.Begins, a.End, err = cluster.Begins(j, q.Next, q.Chain)
	}
	if err != nil {
		a.Failed = err.Error()
	}
	return a
}

// open opens a directory below that of the crawl.
func (o *Options) open(name string) (disk.Dir, error) {
	if open := o.Run.Machine.Disk; open != nil {
		return open(name)
	}
	return disk.OS(filepath.Join(o.Dir, filepath.FromSlash(name))), nil
}

// Times of Compare: between two questions, after which a node is taken to be silent, and in all.
const compareEvery, compareSilent, compareMost = 2 * time.Second, 15 * time.Second, 10 * time.Minute

// ErrSilent is wrapped where a node does not answer.
var ErrSilent = errors.New("it does not answer")

// Compare asks a node whether the journal of a partition on its disk begins with the groups that end
// before a record, whose hash cluster.Ends has returned. It returns what differs, "" if it does begin
// with them.
func Compare(ctx context.Context, b cluster.Bus, node string, partition int, next, chain uint64) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, compareMost)
	defer cancel()
	q := diskQuestion{Reply: "da." + rand.Text(), Partition: partition, Next: next, Chain: chain}
	answers := make(chan diskAnswer, 16)
	stop, err := b.Subscribe(q.Reply, func(data []byte) {
		var a diskAnswer
		if decode(data, &a) {
			select {
			case answers <- a:
			default:
			}
		}
	})
	if err != nil {
		return "", err
	}
	defer stop()
	ask := time.NewTicker(compareEvery)
	defer ask.Stop()
	for silent := time.Duration(0); silent < compareSilent; {
		if err := b.Publish(diskSubject(node), encode(q)); err != nil {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-ask.C:
			silent += compareEvery
		case a := <-answers:
			if !a.Busy {
				return a.differs(next), nil
			}
			silent = 0
		}
	}
	return "", fmt.Errorf("node %s: %w", node, ErrSilent)
}

// differs describes what is wrong.
func (a *diskAnswer) differs(next uint64) string {
	switch {
	case a.Failed != "":
		return "it cannot be read: " + a.Failed
	case a.End < next:
		return fmt.Sprintf("it ends before record %d, the log before record %d", a.End, next)
	case !a.Begins:
		return "it has other records"
	}
	return ""
}
