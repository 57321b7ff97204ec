package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A Survey is what the register of a crawl says about nodes and partitions.
type Survey struct {
	Nodes  map[string]Member
	Owners map[int]Owner // of the partitions that had an owner
}

// A Member is a node of a crawl.
type Member struct {
	Alive            bool // it has neither left nor was it buried
	Incarnation      uint64
	Address, Version string
	Without          []int  // partitions that it cannot serve
	Why              string // it cannot serve the last one of them
}

func member(x *nodeValue) Member {
	return Member{Alive: x.State == alive, Incarnation: x.Incarnation, Address: x.Address, Version: x.Version, Without: slices.Clone(x.Without), Why: x.Why}
}

// An Owner is the last owner of a partition.
type Owner struct {
	Node  string
	Holds bool // the partition is not free yet
}

// Values calls fn with the present values of all keys of a register.
func Values(ctx context.Context, r Register, fn func(Value)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	whole := false
	err := r.Watch(ctx, func(v Value) {
		switch {
		case whole:
		case v.Key == "":
			whole = true
			cancel()
		default:
			fn(v)
		}
	})
	if whole {
		return nil
	}
	return err
}

// Look reads what the register of a crawl says about nodes and partitions.
func Look(ctx context.Context, r Register) (Survey, error) {
	s := Survey{Nodes: map[string]Member{}, Owners: map[int]Owner{}}
	parts := map[int]partValue{}
	if err := Values(ctx, r, func(v Value) { s.see(v, parts) }); err != nil {
		return s, err
	}
	for p, x := range parts {
		m := s.Nodes[x.Node]
		s.Owners[p] = Owner{Node: x.Node, Holds: x.Node != "" && m.Alive && m.Incarnation == x.Incarnation}
	}
	return s, nil
}

// see notes a value.
func (s *Survey) see(v Value, parts map[int]partValue) {
	kind, name, _ := strings.Cut(v.Key, ".")
	switch kind {
	case "node":
		if name, m, ok := ReadMember(v); ok {
			s.Nodes[name] = m
		}
	case "part":
		var x partValue
		if p, err := strconv.Atoi(name); err == nil && json.Unmarshal(v.Data, &x) == nil {
			parts[p] = x
		}
	}
}
