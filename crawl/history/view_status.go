package history

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// States of a crawl, as Status has them.
const (
	StateRunning  = "running"
	StatePaused   = "paused"
	StateFinished = "finished"
)

// ReadStatus says how far the crawl in a directory is. A crawl that runs, and one that
// was stopped, left it in a file; of others the journal is replayed.
func ReadStatus(ctx context.Context, dir string) (*Status, error) {
	if err := checkReadable(dir); err != nil {
		return nil, err
	}
	running := layout.Locked(filepath.Join(dir, layout.LockFile))
	if s, ok := leftStatus(dir, running); ok {
		return s, nil
	}
	v, err := OpenView(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return v.Status(), nil
}

// leftStatus is the status that a crawl left behind. That of a running one is some
// seconds old; that of another counts if nothing was committed after it.
func leftStatus(dir string, running bool) (*Status, bool) {
	b, err := os.ReadFile(filepath.Join(dir, layout.StatusFile))
	s := new(Status)
	if err != nil || json.Unmarshal(b, s) != nil {
		return nil, false
	}
	if running {
		s.State, s.Why = StateRunning, ""
		return s, true
	}
	if s.State != StatePaused && s.State != StateFinished {
		return nil, false // it was killed
	}
	last, err := journal.Read(ReadOnly{disk.OS(filepath.Join(dir, filepath.FromSlash(layout.JournalDir)))}, ^uint64(0), nil)
	return s, err == nil && last.Next == s.Record
}

// Status is what the state tells.
func (v *View) Status() *Status {
	var x Stats
	Statistics(v.s, &x)
	x.Counts = v.s.Frontier.Counts()
	x.State = v.state()
	x.Fetchers = v.config().Fetchers
	s := x.Status()
	s.AddColumns(v.s)
	s.Caps = v.s.Caps(v.config())
	return s
}

// state is what the crawl does now: it has finished if there was nothing left to hand
// out and nothing under way.
func (v *View) state() string {
	c := v.s.Frontier.Counts()
	switch {
	case v.Running:
		return StateRunning
	case c.Queued == 0 && c.Due == 0 && c.Flying == 0 && c.Hops == 0:
		return StateFinished
	}
	return StatePaused
}
