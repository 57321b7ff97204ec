package history

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A directory of a crawl that nodes crawl was not killed: it is a copy. One that was moved here may have
// been.
func TestOfCluster(t *testing.T) {
	for _, c := range []struct {
		cluster   bool
		state     string
		why, want string
	}{
		{true, StatePaused, "", WhyCluster}, {true, StatePaused, "stopped", WhyCluster}, {true, StateFinished, "", ""},
		{true, StateRunning, "", ""}, {false, StatePaused, "", ""}, {false, StatePaused, "pages", "pages"},
	} {
		dir := t.TempDir()
		p := layout.NewPartitions(4, "1")
		p.Cluster = c.cluster
		if err := p.Write(disk.OS(dir)); err != nil {
			t.Fatal(err)
		}
		s := Status{State: c.state, Why: c.why}
		if s.OfCluster(dir); s.Why != c.want {
			t.Errorf("%+v: %q", c, s.Why)
		}
	}
	s := Status{State: StatePaused}
	if s.OfCluster(t.TempDir()); s.Why != "" {
		t.Errorf("a crawl without partitions: %q", s.Why)
	}
}
