package member

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A Crawl is a crawl of a cluster.
type Crawl struct {
	Name    string
	Engine  cluster.Engine
	Plan    *node.Plan
	cluster *Cluster
}

// options returns how the streams of a crawl are called.
func (c *Cluster) options(name string, partitions int) nats.Options {
	return nats.Options{Crawl: name, Partitions: partitions, Replicas: c.replicas}
}

// createTime bounds the making of a crawl. 64 streams on three brokers take some 8 seconds.
const createTime = 3 * time.Minute

// Create makes a crawl: its streams, its register with the plan, and last its entry in the list. A
// crawl of this name must not be there. One that was not completed is, if it has the same plan.
func (c *Cluster) Create(ctx context.Context, name string, p *node.Plan) (*Crawl, error) {
	return c.create(ctx, name, p, nil)
}

// Adopt makes a crawl as Create does, of one that has begun elsewhere. fill fills its logs, before any
// node sees it.
func (c *Cluster) Adopt(ctx context.Context, name string, p *node.Plan, fill func(context.Context, cluster.Engine) error) (*Crawl, error) {
	return c.create(ctx, name, p, fill)
}

// create makes a crawl. fill may fill its logs, which may take long; nil: they are empty.
func (c *Cluster) create(ctx context.Context, name string, p *node.Plan, fill func(context.Context, cluster.Engine) error) (*Crawl, error) {
	e, err := c.prepare(ctx, name, p)
	if err == nil && fill != nil {
		err = fill(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	return c.list(ctx, name, p, e)
}

func inUse(name string) error {
	return &hint.Error{Text: "the cluster has a crawl " + name + " already", Hint: "choose another --name; without SEED, winnow crawl shows how that one goes on, and --add-seeds adds seeds to it"}
}

// prepare makes the streams and the register of a crawl that is not listed.
func (c *Cluster) prepare(ctx context.Context, name string, p *node.Plan) (e cluster.Engine, err error) {
	ctx, cancel := context.WithTimeout(ctx, createTime)
	defer cancel()
	was, revision, err := c.entry(ctx, name)
	switch {
	case err != nil:
		return e, err
	case was.Removed && !was.Gone:
		return e, &hint.Error{Text: "a crawl " + name + " was not removed completely", Hint: "repeat: winnow cluster remove --name " + name}
	case revision > 0 && !was.Removed:
		return e, inUse(name)
	}
	o := c.options(name, p.Crawl.Partitions)
	if err := nats.Create(ctx, c.conn, o); err != nil {
		return e, err
	}
	return nats.Open(ctx, c.conn, o)
}

// list puts the plan of a crawl into its register, and lists it.
func (c *Cluster) list(ctx context.Context, name string, p *node.Plan, e cluster.Engine) (*Crawl, error) {
	ctx, cancel := context.WithTimeout(ctx, createTime)
	defer cancel()
	p, err := keep(ctx, e.Register, p)
	if err != nil {
		return nil, err
	}
	was, revision, err := c.entry(ctx, name) // of one that was removed
	if err == nil && revision > 0 && !was.Removed {
		return nil, inUse(name)
	}
	if err == nil {
		err = c.putEntry(ctx, name, revision, entry{Partitions: p.Crawl.Partitions, Made: time.Now().UTC(), Turn: was.Turn + 1})
	}
	if errors.Is(err, cluster.ErrRefused) {
		return nil, inUse(name)
	}
	if err != nil {
		return nil, fmt.Errorf("list the crawl: %w", err)
	}
	return &Crawl{name, e, p, c}, nil
}

// keep puts a plan into the register of a crawl that is not listed yet. It returns the one that
// counts: an earlier try may have left another with the same content.
func keep(ctx context.Context, r cluster.Register, p *node.Plan) (*node.Plan, error) {
	was, err := node.Load(ctx, r)
	switch {
	case err != nil:
		return nil, err
	case was == nil:
		return p, node.Create(ctx, r, p)
	case was.Crawl.Partitions == p.Crawl.Partitions && bytes.Equal(was.Config, p.Config) && slices.Equal(was.Seeds, p.Seeds) && maps.EqualFunc(was.Files, p.Files, bytes.Equal):
		return was, nil
	}
	return nil, &hint.Error{Text: "a crawl of this name was begun with other settings and never completed", Hint: "choose another --name"}
}

// Open returns a crawl.
func (c *Cluster) Open(ctx context.Context, name string) (*Crawl, error) {
	x, revision, err := c.entry(ctx, name)
	if err != nil {
		return nil, err
	}
	if revision == 0 || x.Removed {
		return nil, c.unknown(ctx, name)
	}
	e, err := nats.Open(ctx, c.conn, c.options(name, x.Partitions))
	if err != nil {
		return nil, err
	}
	p, err := node.Load(ctx, e.Register)
	if err == nil && p == nil {
		err = errors.New("it has no plan")
	}
	if err != nil {
		return nil, fmt.Errorf("crawl %s: %w", name, err)
	}
	return &Crawl{name, e, p, c}, nil
}

// ErrUnknown is wrapped where a crawl is named that the cluster does not have.
var ErrUnknown = errors.New("the cluster has no such crawl")

// unknown explains that there is no crawl of a name.
func (c *Cluster) unknown(ctx context.Context, name string) error {
	list, err := c.Crawls(ctx)
	if err != nil {
		return err
	}
	h := "it has none yet; winnow crawl --cluster makes one"
	if len(list) > 0 {
		h = fmt.Sprintf("it has: %s", list)
	}
	return &hint.Error{Text: "--name " + name, Hint: h, Err: ErrUnknown}
}

// Command tells all nodes to stop, to pause or to resume the crawl.
func (x *Crawl) Command(ctx context.Context, command string) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	s, err := node.Stand(ctx, x.Engine.Register)
	if err != nil {
		return err
	}
	if command == "resume" && s.Stop == "finished" {
		return &hint.Error{Text: "the crawl " + x.Name + " has finished: no page is left to fetch", Hint: "begin another one, with another --name"}
	}
	if err := node.Command(ctx, x.Engine, command); err != nil || s.Stop == "" || command != "resume" {
		return err
	}
	return x.again(ctx)
}

// Unable returns by name the nodes that live and cannot serve some partitions, each with a sentence
// that says how many and why. They try again when that is for want of room.
func (x *Crawl) Unable(ctx context.Context) (map[string]string, error) {
	s, err := cluster.Look(ctx, x.Engine.Register)
	if err != nil {
		return nil, err
	}
	var list map[string]string
	for name, m := range s.Nodes {
		if n := len(m.Without); m.Alive && n > 0 {
			if list == nil {
				list = map[string]string{}
			}
			list[name] = fmt.Sprintf("cannot serve %d of %d partitions: %s", n, x.Plan.Crawl.Partitions, m.Why)
		}
	}
	return list, nil
}

// Change lets all nodes continue with another plan, which Plan.Change has returned, whether the crawl
// runs, is paused or has ended.
func (x *Crawl) Change(ctx context.Context, p *node.Plan) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := node.Replace(ctx, x.Engine, p); err != nil {
		return err
	}
	x.Plan = p
	return x.again(ctx)
}

// again lets nodes take part again in a crawl that had ended.
func (x *Crawl) again(ctx context.Context) error {
	for {
		e, revision, err := x.cluster.entry(ctx, x.Name)
		if err == nil {
			e.Turn++
			err = x.cluster.putEntry(ctx, x.Name, revision, e)
		}
		if err == nil || ctx.Err() != nil || !errors.Is(err, cluster.ErrRefused) {
			return err
		}
	}
}

// putEntry sets the entry of a crawl that has a revision.
func (c *Cluster) putEntry(ctx context.Context, name string, revision uint64, e entry) error {
	data, err := json.Marshal(e)
	if err == nil {
		_, err = c.register.Put(ctx, crawlKey(name), revision, data)
	}
	return err
}
