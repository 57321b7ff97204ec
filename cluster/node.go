package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// A Node runs partitions of a crawl, as one of several processes.
type Node struct {
	Name string // no other node has it
	// ID is a random word that stays with the disk of the node. A process that has locked this disk
	// knows that the one before is gone, if that has left the same word.
	ID      string
	Address string
	Version string
	// Terms are what all nodes must agree about: the number of partitions, the version of the program
	// and of its tables. Those of the first node are in force.
	Terms  string
	Engine Engine
	// Partitions are all partitions of the crawl, those of others among them.
	Partitions []Partition
	Log        *slog.Logger          // nil: nothing is logged
	Clock      func() roster.Instant // nil: those of the machine
}

var (
	// ErrName is returned for a node whose name another one has.
	ErrName = errors.New("another node has this name")
	// ErrTerms is returned for a node with other terms than those in force.
	ErrTerms = errors.New("this crawl has other terms")
)

// nodeValue is the value of the key of a node.
type nodeValue struct {
	Incarnation uint64 `json:"incarnation"`
	State       string `json:"state"`
	Beat        uint64 `json:"beat"` // counts renewals
	ID          string `json:"id"`
	Address     string `json:"address,omitempty"`
	Version     string `json:"version,omitempty"`
	Wall        int64  `json:"wall"` // its calendar, in Unix milliseconds
	Without     []int  `json:"without,omitempty"`
	Why         string `json:"why,omitempty"` // of the last one in Without
}

const alive, dead, left = "alive", "dead", "left"

// partValue is the value of the key of a partition.
type partValue struct {
	Node        string `json:"node"`
	Incarnation uint64 `json:"incarnation"`
	Epoch       uint64 `json:"epoch"` // of the last owner
	Begun       uint64 `json:"begun"` // the last epoch whose session is known to be in the log
}

func (x *nodeValue) node() roster.Node {
	return roster.Node{Incarnation: x.Incarnation, Gone: x.State != alive, Without: x.Without}
}

func (x *partValue) part() roster.Part {
	return roster.Part{Node: x.Node, Incarnation: x.Incarnation, Epoch: x.Epoch}
}

// termsKey is the key of the terms in force.
const termsKey = "crawl"

func nodeKey(name string) string { return "node." + name }
func partKey(p int) string       { return "part." + strconv.Itoa(p) }

func (n *Node) log() *slog.Logger {
	if n.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return n.Log
}

func (n *Node) now() roster.Instant {
	if n.Clock == nil {
		return machineClock()
	}
	return n.Clock()
}

// Run takes part in the crawl until the context ends. Then it hands over its partitions and leaves.
func (n *Node) Run(ctx context.Context) error {
	if n.Name == "" || strings.ContainsAny(n.Name, " .*>\t\n") {
		return fmt.Errorf("%q cannot be the name of a node: it is a word without dots", n.Name)
	}
	for {
		err := n.agree(ctx)
		var l *life
		if err == nil {
			l, err = n.join(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("join as %s: %w", n.Name, err)
		}
		n.log().Info("joined", "node", n.Name, "incarnation", l.value.Incarnation)
		if l.run(ctx) {
			return nil
		}
		n.log().Warn("the lease of this node has lapsed; it begins again without partitions", "node", n.Name)
	}
}

// agree compares the terms with those in force, and puts them in force if there are none.
func (n *Node) agree(ctx context.Context) error {
	for ctx.Err() == nil {
		v, err := n.Engine.Register.Get(ctx, termsKey)
		if err == nil && v.Revision == 0 {
			_, err = n.Engine.Register.Put(ctx, termsKey, 0, []byte(n.Terms))
		}
		switch {
		case err != nil:
			sleep(ctx, retryDelay) // somebody else may have done it
		case v.Revision > 0 && string(v.Data) != n.Terms:
			return fmt.Errorf("%w: %s, not %s", ErrTerms, v.Data, n.Terms)
		default:
			return nil
		}
	}
	return ctx.Err()
}

// join begins an incarnation. It waits for the burial of a node that had the same name.
func (n *Node) join(ctx context.Context) (*life, error) {
	last, changes := uint64(0), 0
	since := n.now()
	for ctx.Err() == nil {
		v, err := n.Engine.Register.Get(ctx, nodeKey(n.Name))
		var was nodeValue
		if err == nil && v.Revision > 0 {
			err = json.Unmarshal(v.Data, &was)
		}
		if err != nil {
			n.log().Warn("cannot join yet", "node", n.Name, "error", err)
			sleep(ctx, retryDelay)
			continue
		}
		if was.State == alive && was.ID != n.ID {
			if v.Revision > last {
				last, changes = v.Revision, changes+1
			}
			if changes > 2 { // one change may be that a copy of the register was behind
				return nil, ErrName
			}
			if n.now().Monotonic-since.Monotonic <= roster.TTL+roster.Margin {
				sleep(ctx, time.Second)
				continue
			}
		}
		l := newLife(n, roster.Epoch(was.Incarnation, n.now()))
		if l.begin(ctx, v.Revision) {
			return l, nil
		}
		sleep(ctx, retryDelay)
	}
	return nil, ctx.Err()
}

// sleep waits, or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
