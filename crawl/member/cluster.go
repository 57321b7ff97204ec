package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// askTime is how long those who ask wait for an answer of a cluster.
const askTime = 10 * time.Second

// joinTries is how often, once a second, those who ask look whether the first node has joined.
const joinTries = 5

// A Cluster is a connection with a cluster.
type Cluster struct {
	conn     *nats.Conn
	register cluster.Register
	bus      cluster.Bus
	replicas int    // copies of all that is kept
	place    string // of brokers, for people
}

// Connect connects with a cluster that exists. Close ends that.
func Connect(ctx context.Context, p Place) (*Cluster, error) {
	nc, err := dial("winnow", &p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, n, err := nats.OpenRegister(ctx, nc)
	for range joinTries {
		if p.external || !errors.Is(err, nats.ErrNone) {
			break
		}
		pause(ctx, time.Second) // a broker of ours runs, so its node is about to join
		r, n, err = nats.OpenRegister(ctx, nc)
	}
	switch {
	case errors.Is(err, nats.ErrNone):
		err = &hint.Error{Text: "no node has joined the cluster at " + p.String() + " yet", Hint: "start one: winnow node --help"}
	case err != nil && ctx.Err() != nil:
		err = &hint.Error{Text: fmt.Sprintf("the cluster at %s does not answer: most of its brokers must run", &p), Hint: "start the nodes that are down, then try again", Err: err}
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &Cluster{conn: nc, register: r, bus: nats.NewBus(nc), replicas: n, place: p.String()}, nil
}

// Close ends the connection.
func (c *Cluster) Close() { c.conn.Close() }

// dial connects with brokers.
func dial(name string, p *Place) (*nats.Conn, error) {
	nc, err := nats.Dial(name, p.secret, strings.Join(p.urls, ","))
	switch {
	case err == nil:
		return nc, nil
	case strings.Contains(err.Error(), "secret of this cluster"), strings.Contains(err.Error(), "tls: "):
		return nil, &hint.Error{Text: fmt.Sprintf("%s does not have the secret of this cluster", p), Hint: "all nodes and commands need the same --secret-file", Err: err}
	case errors.Is(err, nats.ErrAuthorization):
		return nil, &hint.Error{Text: fmt.Sprintf("%s refuses the user or the password", p), Hint: "a URL has both: nats://user:password@host:4222", Err: err}
	case p.external:
		return nil, &hint.Error{Text: fmt.Sprintf("no NATS server answers at %s", p), Hint: "check the address, and whether the server runs", Err: err}
	}
	return nil, &hint.Error{Text: fmt.Sprintf("no node answers at %s", p), Hint: "check the address, and whether winnow node runs there and is among the first --peers", Err: err}
}

// An entry is the value of the key of a crawl.
type entry struct {
	Partitions int       `json:"partitions"`
	Made       time.Time `json:"made"`
	Turn       int       `json:"turn"` // how often it was resumed
	// Removed is set when the crawl is removed, Gone when nothing of it is left at the brokers. An entry
	// stays, so that nodes that were away see it; a new crawl may replace it.
	Removed bool `json:"removed,omitempty"`
	Gone    bool `json:"gone,omitempty"`
}

const crawlKind = "crawl"

func crawlKey(name string) string { return crawlKind + "." + name }

// parseEntry returns the crawl that a value of the register is about.
func parseEntry(v *cluster.Value) (name string, e entry, ok bool) {
	kind, name, _ := strings.Cut(v.Key, ".")
	if kind != crawlKind || json.Unmarshal(v.Data, &e) != nil {
		return "", e, false
	}
	return name, e, true
}

// Crawls returns the names of all crawls.
func (c *Cluster) Crawls(ctx context.Context) ([]string, error) {
	all, err := c.entries(ctx)
	return slices.Sorted(maps.Keys(all)), err
}

// entries returns the entries of all crawls that were not removed.
func (c *Cluster) entries(ctx context.Context) (map[string]entry, error) {
	all := map[string]entry{}
	err := cluster.Values(ctx, c.register, func(v cluster.Value) {
		if name, e, ok := parseEntry(&v); ok && !e.Removed {
			all[name] = e
		}
	})
	return all, err
}

// entry returns the entry of a crawl, and its revision; 0: there is none.
func (c *Cluster) entry(ctx context.Context, name string) (e entry, revision uint64, err error) {
	if err := checkName("crawl", name); err != nil {
		return e, 0, err
	}
	v, err := c.register.Get(ctx, crawlKey(name))
	if err == nil && v.Revision > 0 {
		err = json.Unmarshal(v.Data, &e)
	}
	if err != nil {
		return e, 0, fmt.Errorf("read the list of crawls: %w", err)
	}
	return e, v.Revision, nil
}

// checkName returns an error unless a name can be that of a crawl or a node: it is a part of
// directories and of subjects.
func checkName(what, name string) error {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return &hint.Error{Text: fmt.Sprintf("%q cannot be the name of a %s", name, what), Hint: "a name has letters, digits, - and _, at most 64"}
	}
	return nil
}
