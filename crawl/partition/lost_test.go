package partition

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// Partitions that were told about sites are killed when they have requested the first robots.txt,
// before the records of the messages are on disk. They are told again at once, and the sites have
// to wait nonetheless.
func TestLostMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 40, Sites: 12, Links: 320, Seed: 7}, answer.Options{}), faults: 1}
		c := &w.o.Config
		c.Partitions, c.MaxMemory, c.Policy, c.Delay = 4, 1<<30, "opic", config.Seconds(2)
		seed := ""
		w.o.Machine.Read = func(url string) {
			switch site, ok := strings.CutSuffix(url, "/robots.txt"); {
			case ok && seed == "":
				seed = site
			case ok && site != seed:
				w.root.Stop(0)
			}
		}
		if _, err := Run(t.Context(), w.o); !errors.Is(err, disk.ErrStopped) {
			t.Fatal(err)
		}
		w.root = w.root.Kill()
		w.o.Machine.Read = nil
		w.run(t)
		w.checkServed(t)
		w.verify(t, 4)
	})
}

// The addresses of a crawl that is resumed wait for their delay, also those that no partition knows
// any more.
func TestAddressesResumed(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			l := newLedger(time.Second, 1, resumed)
			if l.Acquire(t.Context(), netip.MustParseAddr("192.0.2.1")); (time.Since(began) == time.Second) != resumed {
				t.Errorf("resumed %v: the first request is made after %v", resumed, time.Since(began))
			}
		})
	}
}
