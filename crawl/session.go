package crawl

import (
	"log/slog"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A session holds what the parts of a run share: what the user wants, what the crawl knows,
// and the recorder to which every decision goes.
type session struct {
	*opened
	clock
	options   *RunOptions
	config    *config.Config
	memory    int64 // the ceiling in force, in bytes
	log       *slog.Logger
	scope     *gather.Scope
	overrides config.Overrides
	underWay  underWay
	fetched   int64 // pages fetched in all sessions, without redirects and revisits
	visits    int64 // pages fetched in this session, with redirects and revisits
}

// newSession starts the clock of the next session of a crawl.
func newSession(o *RunOptions, c *opened, scope *gather.Scope) *session {
	s := &session{
		opened: c, options: o, config: &o.Config, memory: memoryLimit(o), log: o.Log, scope: scope,
		overrides: config.NewOverrides(&o.Config), underWay: underWay{files: map[graph.Site]bool{}, hops: map[graph.Site]bool{}},
	}
	s.delay, s.spare.free = o.Config.Commit.Duration, event.Never
	s.tasks.budget = fetch.NewBudget(bodyBudget(s.memory))
	s.state.Limits.Limits = state.Limits{
		Depth: o.Config.MaxDepth, Dynamic: o.Config.MaxDepthDynamic,
		Site: o.Config.SitePages, Domain: o.Config.DomainPages, Sites: s.overrides.Pages,
	}
	wall := time.Now()
	s.clock = clock{epoch: wall, base: c.state.Now}
	if !c.fresh {
		s.base = max(s.base, time.Duration(wall.UnixNano()-c.state.Began))
	}
	return s
}

// A clock returns the instant of the crawl. It never goes back, not even over restarts.
type clock struct {
	base  time.Duration // instant at which the session began
	epoch time.Time     // when that was
}

func (c *clock) now() time.Duration { return c.base + time.Since(c.epoch) }

// beginSession records that a session begins, adds its seeds, and admits or withdraws what
// the configuration judges differently from that of the session before.
func (a *admission) beginSession(m *ceiling) error {
	text, err := a.config.Marshal()
	if err != nil {
		return err
	}
	a.was = lastConfig(a.state)
	a.loosened = config.Loosens(a.state.LastConfig, a.config)
	r := a.begin(event.Session, a.base)
	r.Facts.Session = &journal.Session{
		Wall: a.epoch.UnixNano(), Version: a.options.Version, Config: a.config.AppendFilesSum(text),
		Policy: a.config.Policy, SitePolicy: a.config.SitePolicy, Secret: a.id.Secret, Crawl: a.id.Crawl,
	}
	if list := a.scope.DenyList(); list != nil {
		r.Facts.Deny = state.PackDeny(list)
	}
	a.record()
	if err := a.seed(m); err != nil {
		return err
	}
	if !a.fresh {
		a.retrySession()
	}
	s := a.state // nothing was judged by the scope on replay
	s.Scope, s.Traps.On, s.HtmlOnly = a.scope, a.config.Traps, a.config.Types == config.TypesHTML
	a.readmit(a.scope)
	a.revisit()
	if err := a.recallCut(); err != nil {
		return err
	}
	a.withdraw(a.base)
	return nil
}
