package partition

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// obey passes commands to all partitions until the context ends. A command is in force when it is in
// all of them.
func (r *run) obey(ctx context.Context) {
	plan := control.Plan{Config: r.o.Config}
	for {
		select {
		case x := <-r.o.Control.Orders():
			next, err := x.Change(plan)
			if err == nil {
				err = r.command(ctx, x.Command, &next.Config)
			}
			if err == nil {
				plan = next
			}
			x.Answer(err)
		case <-ctx.Done():
			return
		}
	}
}

// busyWait is the time after which a partition gets a command again that came at the end of a session.
const busyWait = 100 * time.Millisecond

// command gives a command to all partitions, and returns when all have carried it out.
func (r *run) command(ctx context.Context, c control.Command, then *config.Config) error {
	r.coordinator.limit(then.Pages, int64(then.Bytes))
	r.ledger.setDelay(then.IPDelay.Duration)
	errs := make([]error, len(r.controls))
	var all sync.WaitGroup
	for i, x := range r.controls {
		all.Go(func() {
			for errs[i] = x.Do(ctx, c); errors.Is(errs[i], control.ErrBusy); errs[i] = x.Do(ctx, c) {
				time.Sleep(busyWait)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return control.ErrEnded
	}
	return errors.Join(errs...)
}

// notify receives notices for all partitions, until stop is called.
func (r *run) notify(ctx context.Context) (stop func(), err error) {
	scope, err := config.NewScope(&r.o.Config)
	if err != nil {
		return nil, err
	}
	from, err := crawl.Listen(r.o, scope)
	if from == nil || err != nil {
		return func() {}, err
	}
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	running.Go(func() {
		for {
			select {
			case urls := <-from.C:
				r.spread(ctx, urls)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		from.Close()
		cancel()
		running.Wait()
	}, nil
}

// spread passes URLs of notices to the partitions of their sites.
func (r *run) spread(ctx context.Context, urls []string) {
	lists := make([][]string, len(r.notices))
	for _, url := range urls {
		site, _ := page.Site([]byte(url))
		i := r.top.owner(site)
		lists[i] = append(lists[i], url)
	}
	for i, list := range lists {
		if len(list) == 0 {
			continue
		}
		select {
		case r.notices[i] <- list:
		case <-ctx.Done():
			return
		}
	}
}
