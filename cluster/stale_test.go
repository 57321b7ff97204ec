package cluster_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/cluster/roster"
)

// A register that is read from copies, which are behind, delays nothing: a node that is killed, or
// leaves, or joins, or has lost its disk, has its partitions taken in the time that the lease allows.
func TestStaleReads(t *testing.T) {
	for seed := range uint64(seeds(10)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed, 8, memory.Faults{Delay: 20 * time.Millisecond, Stale: 0.5})
				list := []*process{w.runAt("a", 1), w.runAt("b", 1), w.runAt("c", 1)}
				w.allServed(time.Now(), 25*time.Second)
				time.Sleep(time.Duration(w.draw(int64(time.Minute))))
				at := time.Now()
				list[0].kill()
				list[0].bury()
				w.allServed(at.Add(2*time.Second), roster.TTL+roster.Margin+8*time.Second)
				list[0] = w.runAt("a", 1)
				time.Sleep(roster.Patience + 3*time.Minute) // they are handed over to it again
				list[1].cancel()
				<-list[1].ended
				w.allServed(time.Now(), 10*time.Second)
				w.disks["b"], w.id = nil, "another" // of the disk
				list[1] = w.runAt("b", 1)
				time.Sleep(roster.Patience + 3*time.Minute)
				for _, p := range list {
					p.mu.Lock()
					if len(p.serves()) == 0 {
						t.Errorf("node %s serves nothing", p.name)
					}
					p.mu.Unlock()
				}
				end(list)
				w.check()
			})
		})
	}
}

// serves returns the partitions that run in a process, which is locked.
func (p *process) serves() (list []int) {
	for i, runs := range p.owners {
		if runs {
			list = append(list, i)
		}
	}
	return list
}
