package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// run runs the whole benchmark.
func run(o *options) error {
	dir, err := os.MkdirTemp("", "winnow-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := crawlers(o)
	if err != nil {
		return err
	}
	there, err := find(all, dir)
	if err != nil {
		return err
	}
	if o.tls {
		o.ca = filepath.Join(dir, "ca.pem")
	}
	web, err := startWeb(o)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	defer web.stop()
	conditions(o, web, there)
	t := table{pages: o.sites * o.pages, crawlers: there, rows: make([][]measured, len(there))}
	for round := range o.rounds {
		if err := t.round(o, round, web, dir); err != nil {
			return err
		}
	}
	t.print()
	return nil
}

// find returns the crawlers that exist on this machine.
func find(all []crawler, dir string) (there []crawler, err error) {
	for _, c := range all {
		ok, err := c.find(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if ok {
			there = append(there, c)
		}
	}
	return there, nil
}

// attempts is how often a crawler may fail in a round: wget2 1.99.1 crashes now and then.
// winnow may not.
const attempts = 3

// round runs every crawler once.
func (t *table) round(o *options, round int, web *remote, dir string) error {
	for i := range t.crawlers {
		at := (i + round) % len(t.crawlers) // no one has always the same before it
		c := &t.crawlers[at]
		for try := range attempts {
			m, err := measure(o, c, web, dir)
			if err == nil {
				m.round = round
				t.rows[at] = append(t.rows[at], m)
				break
			}
			if c.ours() {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Printf("# %s failed in round %d, attempt %d of %d: %v\n", c.name, round+1, try+1, attempts, err)
		}
	}
	return nil
}

// measured is one run of one crawler.
type measured struct {
	counts
	round     int
	cpu, wall time.Duration
	rss       int64 // KiB at the peak
	commits   int   // of a crawl with a delay
}

// perPage returns the CPU time of a page that was served, in microseconds.
func (m measured) perPage() float64 { return float64(m.cpu.Microseconds()) / float64(max(1, m.Pages)) }

// groups returns the number of commits in 100 ms, which is --commit by default.
func (m measured) groups() float64 { return float64(m.commits) / m.wall.Seconds() / 10 }

// measure runs a crawler as a process of its own, in a directory of its own.
func measure(o *options, c *crawler, web *remote, dir string) (m measured, err error) {
	room, err := os.MkdirTemp(dir, c.name+"-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(room)
	if _, err = web.counts(); err != nil { // begins new ones
		return m, err
	}
	cmd := exec.Command(c.program, c.args(room, web.Hub)...)
	cmd.Dir, cmd.Env = room, append(os.Environ(), "HOME="+room, "XDG_DATA_HOME="+room) // wget and wget2 write there
	log, err := os.Create(filepath.Join(room, "log"))
	if err != nil {
		return m, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	began := time.Now()
	err = cmd.Run()
	m.wall = time.Since(began)
	if err = c.ended(err, log.Name()); err != nil {
		return m, err
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	m.cpu, m.rss = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), use.Maxrss
	if m.counts, err = web.counts(); err == nil && o.delay > 0 {
		m.commits, err = commits(c.program, filepath.Join(room, crawlDir))
	}
	return m, err
}

// commits returns the number of commits of a crawl, which winnow verify counts.
func commits(winnow, dir string) (int, error) {
	out, err := exec.Command(winnow, "verify", "--json", dir).Output()
	if err != nil {
		return 0, fmt.Errorf("verify: %w\n%s", err, out)
	}
	var found struct{ Commits int }
	err = json.Unmarshal(out, &found)
	return found.Commits, err
}

// ended looks at how a crawler has ended. wget and wget2 leave with 8 when a server has
// answered 404 to something.
func (c *crawler) ended(err error, log string) error {
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 8 && strings.HasPrefix(c.name, "wget") {
		return nil
	}
	if err != nil {
		said, _ := os.ReadFile(log)
		return fmt.Errorf("%w %s", err, bytes.TrimSpace(said[max(0, len(said)-2000):]))
	}
	return nil
}

// remote is the process of the server.
type remote struct {
	ready
	cmd   *exec.Cmd
	input io.Closer
}

func startWeb(o *options) (*remote, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &remote{cmd: exec.Command(self, o.part("serve")...)}
	r.cmd.Stderr = os.Stderr
	if r.input, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(out).Decode(&r.ready); err != nil {
		return nil, fmt.Errorf("it does not serve: %w", err)
	}
	return r, nil
}

// counts returns what was counted since the last time.
func (r *remote) counts() (c counts, err error) {
	resp, err := http.Get("http://" + r.Control)
	if err != nil {
		return c, err
	}
	defer resp.Body.Close()
	return c, json.NewDecoder(resp.Body).Decode(&c)
}

func (r *remote) stop() {
	r.input.Close()
	r.cmd.Wait()
}
