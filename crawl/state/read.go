package state

import (
	"io"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// FrontierOptions returns the options of a frontier under a configuration, for a simulation
// that waits as the crawl did. There nothing is held for commits, and no page is too deep.
func FrontierOptions(c *config.Config) (frontier.Options, error) {
	set, err := NewSetup(c, layout.Identity{}, 0)
	if err != nil {
		return frontier.Options{}, err
	}
	set.Frontier.Hold, set.Frontier.Depths = false, false
	return set.Frontier, nil
}

// SnapshotConfig returns the configuration of the last session before a snapshot, as TOML.
// It reads the head of the snapshot only, so that damage may go unnoticed.
func SnapshotConfig(dir disk.Dir, name string) ([]byte, error) {
	f, err := dir.Open(name, disk.Read)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := ReadHead(io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return nil, err
	}
	return h.Last, nil
}
