package node

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A Plan describes a crawl of a cluster. It is the value of a key of the crawl's register: "plan", or
// "plan.NAME" after a change. A value never changes; the control value names the one that counts.
type Plan struct {
	Format int               `json:"format"`
	Crawl  layout.Partitions `json:"crawl"`  // identity, number, suffix table
	Config []byte            `json:"config"` // the configuration file
	// Files are the contents of the files that the configuration names, by its keys: rules and deny.
	Files map[string][]byte `json:"files,omitempty"`
	Seeds []string          `json:"seeds"`

	name string // as the control value has it; "": that with which the crawl began
}

// planFormat is the version of plans, and of what partitions tell each other.
const planFormat = 2

const planKey, controlKey = "plan", "control"

// NewPlan describes a new crawl with so many partitions. It reads the files of rules and of the deny
// list; a configuration that names other files is refused, since other nodes do not have them.
func NewPlan(c *config.Config, partitions int, seeds []string) (*Plan, error) {
	p := &Plan{Format: planFormat, Crawl: *layout.NewPartitions(partitions, suffix.Newest), Seeds: seeds, Files: map[string][]byte{}}
	p.Crawl.Cluster = true
	return p, p.set(c)
}

// Change returns the plan with other settings and more seeds. The files of rules and of the deny list
// stay as they are, unless the configuration names others; those of the keys in drop do not.
func (p *Plan) Change(c *config.Config, seeds []string, drop ...string) (*Plan, error) {
	next := &Plan{Format: p.Format, Crawl: p.Crawl, Seeds: config.Union(p.Seeds, seeds), Files: maps.Clone(p.Files)}
	for _, key := range drop {
		delete(next.Files, key)
	}
	return next, next.set(c)
}

// set sets the configuration of a plan, and reads the files that it names.
func (p *Plan) set(c *config.Config) error {
	x := c.Clone()
	x.Partitions, x.SuffixTable = p.Crawl.Partitions, p.Crawl.Suffixes
	for key, name := range named(&x) {
		if *name == "" {
			continue
		}
		b, err := os.ReadFile(*name)
		if err != nil {
			return &hint.Error{Text: "cannot read " + key, Hint: "give the name of a file that exists", Err: err}
		}
		p.Files[key] = b
		*name = ""
	}
	for _, k := range x.Keys() {
		if k.File && k.String() != "" {
			return &hint.Error{Text: k.Name + " cannot be used in a cluster: other nodes do not have that file", Hint: "leave it out, or crawl on one machine"}
		}
	}
	var err error
	p.Config, err = x.Marshal()
	return err
}

// named returns the keys of a configuration whose files a plan has.
func named(c *config.Config) map[string]*string {
	return map[string]*string{"rules": &c.Rules, "deny": &c.Deny}
}

// Configuration returns the configuration of the plan, without the names of its files.
func (p *Plan) Configuration() (config.Config, error) {
	c := config.Default()
	err := c.Read("the plan of the crawl", p.Config)
	c.Partitions, c.SuffixTable = p.Crawl.Partitions, p.Crawl.Suffixes
	return c, err
}

// Settings returns the configuration of the plan. Its files are written to a directory.
func (p *Plan) Settings(dir string) (config.Config, error) {
	c, err := p.Configuration()
	if err != nil {
		return c, err
	}
	for key, name := range named(&c) {
		b, ok := p.Files[key]
		if !ok {
			continue
		}
		*name = filepath.Join(dir, key+".txt")
		if err := os.WriteFile(*name, b, 0o600); err != nil {
			return c, &hint.Error{Text: "cannot write " + *name, Hint: "make the directory writable, or choose another with --dir", Err: err}
		}
	}
	c.Commit.Duration = max(c.Commit.Duration, commitEvery)
	return c, nil
}

// commitEvery is the least time between two commits of a partition, unless a site waits for one: each
// is an append to its log, which costs brokers about two milliseconds of processor time.
const commitEvery = time.Second

// Terms returns what all nodes must agree about: cluster.Node.Terms.
func (p *Plan) Terms(version string) string {
	return fmt.Sprintf("crawl %s, %d partitions, suffix table %s, format %d, winnow %s", p.Crawl.Crawl, p.Crawl.Partitions, p.Crawl.Suffixes, p.Format, version)
}

// Create puts a plan into a register. It refuses if there is another one.
func Create(ctx context.Context, r cluster.Register, p *Plan) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	for {
		v, err := r.Get(ctx, planKey)
		if err == nil && v.Revision == 0 {
			_, err = r.Put(ctx, planKey, 0, data)
			if err == nil {
				return nil
			}
		} else if err == nil {
			if bytes.Equal(v.Data, data) {
				return nil // an earlier try has arrived
			}
			return &hint.Error{Text: "there is a crawl of this name already", Hint: "choose another --name, or let it continue: winnow status --cluster shows how far it is"}
		}
		if err := pause(ctx, retryDelay); err != nil {
			return fmt.Errorf("create the crawl: %w", err)
		}
	}
}

// Load returns the plan of a register that counts, nil if there is none.
func Load(ctx context.Context, r cluster.Register) (*Plan, error) {
	w, _, err := getControl(ctx, r)
	if err != nil {
		return nil, err
	}
	v, err := r.Get(ctx, planName(w.Plan))
	if err != nil || v.Revision == 0 {
		return nil, err
	}
	p := &Plan{name: w.Plan}
	if err := json.Unmarshal(v.Data, p); err != nil {
		return nil, fmt.Errorf("read the plan of the crawl: %w", err)
	}
	if p.Format != planFormat {
		return nil, &hint.Error{Text: "this crawl was made by another version of winnow", Hint: "use that version", Err: fmt.Errorf("its plan has format %d", p.Format)}
	}
	if p.Crawl.Partitions < 1 {
		return nil, errors.New("the plan of the crawl has no partitions")
	}
	return p, nil
}

// planName returns the key of a plan.
func planName(name string) string {
	if name == "" {
		return planKey
	}
	return planKey + "." + name
}

// Replace makes another plan, which Plan.Change has returned, that of a crawl. Nodes that crawl stop and
// begin again with it, and a crawl that was paused or has ended is resumed: Run returns WhyChanged, or
// takes part again when it is called. It counts when Replace returns nil.
func Replace(ctx context.Context, e cluster.Engine, p *Plan) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	name := rand.Text()
	for {
		if _, err = e.Register.Put(ctx, planName(name), 0, data); err == nil || errors.Is(err, cluster.ErrRefused) {
			break // refused: an earlier try has arrived
		}
		if pause(ctx, retryDelay) != nil {
			return fmt.Errorf("change the settings of the crawl: %w", err)
		}
	}
	to := ""
	err = setControl(ctx, e, func(w *control) {
		if to = w.Moved; to == "" && w.Plan != name {
			w.Plan, w.Stop, w.Paused = name, "", false
			w.Turn++
		}
	})
	switch {
	case err != nil:
		return err
	case to != "":
		return moved(to)
	}
	p.name = name
	return nil
}

// retryDelay is the time between two tries of what had no answer.
const retryDelay = 500 * time.Millisecond

// pause waits. It returns the error of the context if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
