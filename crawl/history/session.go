package history

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/journal"
)

// A RecordedSession is one run of the program in a crawl.
type RecordedSession struct {
	Now        time.Duration // instant of the crawl at which it began
	Wall       time.Time
	Version    string
	Policy     string
	SitePolicy string
	TOML       []byte // its configuration
}

func newRecordedSession(r *journal.Record) RecordedSession {
	x := r.Facts.Session
	return RecordedSession{
		Now: r.Now, Wall: time.Unix(0, x.Wall).UTC(), Version: x.Version,
		Policy: x.Policy, SitePolicy: x.SitePolicy, TOML: slices.Clone(x.Config),
	}
}

// Config is its configuration. Files that it names are not looked for.
func (s *RecordedSession) Config() (config.Config, error) { return config.Parse("journal", s.TOML) }

// FrontierOptions returns the options of a frontier under a configuration: what a
// simulation needs to wait as the crawl did. Nothing is held for commits there, and no page
// is too deep.
func FrontierOptions(c *config.Config) (frontier.Options, error) {
	set, err := state.NewSetup(c, layout.Identity{}, 0)
	if err != nil {
		return frontier.Options{}, err
	}
	set.Frontier.Hold, set.Frontier.Depths = false, false
	return set.Frontier, nil
}

// Sessions are the runs of the program, in order.
func (r *Recording) Sessions() (list []RecordedSession, err error) {
	err = r.Each(func(rec *journal.Record) error {
		if rec.Facts.Session != nil {
			list = append(list, newRecordedSession(rec))
		}
		return nil
	})
	return list, err
}
