package nats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/clustertest"
)

// The tests of this file are those of the engine that are made for each of its versions: make
// engine runs them, in some minutes. Those that lose power or fill a disk mount images of disks,
// which only root may do.
func engineOnly(t *testing.T) {
	if os.Getenv("WINNOW_ENGINE") == "" {
		t.Skip("make engine runs it")
	}
}

// row prints a row of the table.
func row(name, format string, args ...any) {
	fmt.Printf("| %-40s | %s |\n", name, fmt.Sprintf(format, args...))
}

func dirs(t *testing.T) (list [3]string) {
	for i := range list {
		list[i] = t.TempDir()
	}
	return list
}

// TestMachineSuite: the suite of all engines, with three copies of everything.
func TestMachineSuite(t *testing.T) {
	engineOnly(t)
	x := newTrio(t, dirs(t), false)
	x.start()
	o := Options{Crawl: "c", Partitions: 2, Replicas: 3}
	a := x.open(x.dial(), o)
	b := x.open(x.dial(), o)
	clustertest.Run(t, a, b)
	row("suite of all engines, three copies", "%s", map[bool]string{true: "FAILED", false: "passed"}[t.Failed()])
}

// write lets a writer for each log run for a while.
func write(t *testing.T, e cluster.Engine, logs, size int, every, d time.Duration) []*writer {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	list := make([]*writer, logs)
	var running sync.WaitGroup
	for p := range list {
		list[p] = &writer{log: e.Log(p), size: size}
		running.Go(func() { list[p].run(ctx, every) })
	}
	running.Wait()
	return list
}

// A disk is a file system in a file, mounted.
type image struct{ file, dir string }

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

func newImage(t *testing.T, megabytes int64) image {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount images of disks")
	}
	d := t.TempDir()
	m := image{filepath.Join(d, "disk"), filepath.Join(d, "mounted")}
	f, err := os.Create(m.file)
	if err == nil {
		err = errors.Join(f.Truncate(megabytes<<20), f.Close(), os.Mkdir(m.dir, 0o777))
	}
	if err != nil {
		t.Fatal(err)
	}
	command(t, "mkfs.ext4", "-q", m.file)
	m.mount(t)
	return m
}

func (m image) mount(t *testing.T) {
	t.Helper()
	command(t, "mount", "-o", "loop", m.file, m.dir)
	t.Cleanup(func() { _ = exec.Command("umount", "-l", m.dir).Run() })
}

// copy returns what is on the disk at this moment, without what the kernel has not written yet: what
// a power loss leaves.
func (m image) copy(t *testing.T) image {
	t.Helper()
	d := t.TempDir()
	c := image{filepath.Join(d, "disk"), filepath.Join(d, "mounted")}
	command(t, "cp", "--sparse=always", m.file, c.file)
	if err := os.Mkdir(c.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestMachinePower: all three brokers lose their power at once.
func TestMachinePower(t *testing.T) {
	engineOnly(t)
	for _, unsynced := range []bool{false, true} {
		t.Run(fmt.Sprint("unsynced=", unsynced), func(t *testing.T) {
			var disks, copies [3]image
			var mounted [3]string
			for i := range disks {
				disks[i] = newImage(t, 512)
				mounted[i] = disks[i].dir
			}
			x := newTrio(t, mounted, unsynced)
			x.start()
			nc := x.dial()
			o := Options{Crawl: "c", Partitions: 4, Replicas: 3}
			list := write(t, x.open(nc, o), 4, 16<<10, 0, 10*time.Second)
			for i := range 3 { // nothing is written from now on, except by the kernel
				command(t, "kill", "-STOP", fmt.Sprint(x.process[i].Process.Pid))
			}
			for i := range disks {
				copies[i] = disks[i].copy(t)
			}
			nc.Close()
			for i := range copies {
				x.kill(i)
				copies[i].mount(t)
				x.options[i].Dir = copies[i].dir
			}
			x.start()
			kept, stored := 0, 0
			e := x.open(x.dial(), o)
			for p, w := range list {
				stored += w.next
				kept += min(w.next, count(t, e.Log(p)))
			}
			name := map[bool]string{false: "power loss of all, synced", true: "power loss of all, not synced"}[unsynced]
			row(name, "%d acknowledged, %d kept", stored, kept)
			if kept < stored && !unsynced {
				t.Errorf("%d of %d acknowledged entries are lost", stored-kept, stored)
			}
		})
	}
}

// TestMachineLeader: the broker that leads a stream is killed, and comes back.
func TestMachineLeader(t *testing.T) {
	engineOnly(t)
	x := newTrio(t, dirs(t), false)
	x.start()
	nc := x.dial()
	e := x.open(nc, Options{Crawl: "c", Partitions: 1, Replicas: 3})
	w := &writer{log: e.Log(0), size: 16 << 10}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.run(ctx, 0) })
	var killed []int
	for range 3 {
		time.Sleep(5 * time.Second)
		i := x.leader(nc, "W_c_J_0")
		x.kill(i)
		killed = append(killed, i)
		time.Sleep(12 * time.Second)
		x.startOne(i)
	}
	time.Sleep(5 * time.Second)
	cancel()
	running.Wait()
	n := count(t, e.Log(0))
	row("leader killed, three times", "%d acknowledged, %d stored, longest interruption %.1f s, %d without an answer", w.next, n, w.gap.Seconds(), w.doubt)
	if n < w.next || n > w.next+1 {
		t.Errorf("%d stored, %d acknowledged (killed %v)", n, w.next, killed)
	}
	if w.gap > 20*time.Second {
		t.Errorf("an interruption of %v is near the life of a lease", w.gap)
	}
}

// TestMachineWriters: two writers append to one log. Each entry is accepted from one of them.
func TestMachineWriters(t *testing.T) {
	engineOnly(t)
	x := newTrio(t, dirs(t), false)
	x.start()
	for _, o := range []Options{{Crawl: "apart", Partitions: 2, Replicas: 3}, {Crawl: "shared", Partitions: 2, Replicas: 3, Streams: 1}} {
		var mu sync.Mutex
		accepted := map[uint64]string{}
		refusals, unknown := 0, 0
		var engines [3]cluster.Engine
		for k := range engines {
			engines[k] = x.open(x.dial(), o)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		var running sync.WaitGroup
		for k, e := range engines {
			l, other := e.Log(0), e.Log(1)
			running.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					last, err := l.Last(ctx)
					if err != nil {
						continue
					}
					data := fmt.Sprintf("%d of %d after %d", i, k, last)
					seq, err := l.Append(ctx, last, []byte(data))
					mu.Lock()
					switch {
					case err == nil:
						accepted[seq] = data
					case errors.Is(err, cluster.ErrRefused):
						refusals++
					default:
						unknown++
					}
					mu.Unlock()
					if k == 0 { // so that numbers of shared streams have gaps
						end, _ := other.Last(ctx)
						_, _ = other.Append(ctx, end, []byte("x"))
					}
				}
			})
		}
		running.Wait()
		cancel()
		last, stored := uint64(0), 0
		err := x.open(x.dial(), o).Log(0).Read(t.Context(), 0, 0, func(seq uint64, b []byte) error {
			var i, k int
			var after uint64
			if _, err := fmt.Sscanf(string(b), "%d of %d after %d", &i, &k, &after); err != nil || after != last {
				t.Errorf("%q follows entry %d", b, last)
			}
			if want, ok := accepted[seq]; ok && want != string(b) {
				t.Errorf("%q is stored as %q", want, b)
			}
			delete(accepted, seq)
			last, stored = seq, stored+1
			return nil
		})
		if err != nil || len(accepted) > 0 || stored == 0 {
			t.Errorf("%d entries stored, %d accepted ones are not: %v", stored, len(accepted), err)
		}
		row("three writers of one log, "+o.Crawl, "%d stored, %d refused, %d without an answer, none out of place: %v", stored, refusals, unknown, !t.Failed())
	}
}

// TestMachineFull: the disk of a broker is full. The others go on.
func TestMachineFull(t *testing.T) {
	engineOnly(t)
	small := newImage(t, 48)
	x := newTrio(t, [3]string{small.dir, t.TempDir(), t.TempDir()}, false)
	x.start()
	nc := x.dial()
	e := x.open(nc, Options{Crawl: "c", Partitions: 1, Replicas: 3})
	w := &writer{log: e.Log(0), size: 256 << 10}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	w.run(ctx, 20*time.Millisecond)
	n := count(t, e.Log(0))
	row("disk of one broker full (48 MB)", "%d MB acknowledged, %d of %d entries stored, longest interruption %.1f s", w.next*w.size>>20, min(n, w.next), w.next, w.gap.Seconds())
	if n < w.next || w.next*w.size < 60<<20 {
		t.Errorf("%d entries stored, %d acknowledged", n, w.next)
	}
	// With room, and started again, it catches up and can lead.
	x.kill(0)
	command(t, "umount", small.dir)
	command(t, "truncate", "-s", "512M", small.file)
	command(t, "e2fsck", "-fp", small.file)
	command(t, "resize2fs", small.file)
	small.mount(t)
	x.startOne(0)
	time.Sleep(5 * time.Second)
	x.kill(1) // so that the first is needed
	more, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	before := w.next
	w.gap = 0
	w.run(more, 100*time.Millisecond)
	n = count(t, e.Log(0))
	row("the same with room, another one killed", "%d more acknowledged, %d of %d entries stored", w.next-before, min(n, w.next), w.next)
	if n < w.next || w.next == before {
		t.Errorf("%d entries stored, %d acknowledged, %d before", n, w.next, before)
	}
}

// TestMachineCost: 64 streams, at rest and at work.
func TestMachineCost(t *testing.T) {
	engineOnly(t)
	x := newTrio(t, dirs(t), false)
	x.start()
	nc := x.dial()
	x.open(nc, Options{Crawl: "warm", Partitions: 1, Replicas: 3})
	began := time.Now()
	e := x.open(nc, Options{Crawl: "c", Partitions: 64, Replicas: 3})
	row("64 streams made in", "%.1f s", time.Since(began).Seconds())
	time.Sleep(3 * time.Second)
	all := func() (cpu time.Duration, most int64) {
		for i := range 3 {
			c, m := usage(t, x.process[i].Process.Pid)
			cpu, most = cpu+c, max(most, m)
		}
		return cpu, most
	}
	before, _ := all()
	time.Sleep(8 * time.Second)
	after, memory := all()
	row("64 streams at rest, each broker", "%.1f %% of a core, %d MB", float64(after-before)/float64(8*time.Second)*100/3, memory>>20)
	before = after
	list := write(t, e, 64, 16<<10, 500*time.Millisecond, 10*time.Second)
	after, memory = all()
	groups := 0
	var took []time.Duration
	for _, w := range list {
		groups += w.next
		took = append(took, w.took...)
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	row("64 journals, 16 KB every 500 ms", "%d groups; median %.1f ms, 99 %% below %.1f ms; %.2f ms of processor a group; %d MB", groups,
		ms(took[len(took)/2]), ms(took[len(took)*99/100]), ms(after-before)/float64(groups), memory>>20)
	rev, value := uint64(0), bytes.Repeat([]byte("x"), 200)
	var puts []time.Duration
	for range 200 {
		began := time.Now()
		r, err := e.Register.Put(t.Context(), "node.x", rev, value)
		if err != nil {
			t.Fatal(err)
		}
		rev = r
		puts = append(puts, time.Since(began))
	}
	slices.Sort(puts)
	row("put by revision", "median %.1f ms, 99 %% below %.1f ms", ms(puts[100]), ms(puts[198]))
}
