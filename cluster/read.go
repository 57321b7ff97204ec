package cluster

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
)

// ReadLog calls fn with each group of a log, in order. Their bytes are used again.
func ReadLog(ctx context.Context, l Log, fn func(Group) error) error {
	var r reader
	return l.Read(ctx, 0, 0, func(seq uint64, data []byte) error {
		g, whole, err := r.take(seq, data)
		if err != nil || !whole {
			return err
		}
		return fn(g)
	})
}

// ReadMember reads the value of the key of a node. It reports whether it is one.
func ReadMember(v Value) (name string, m Member, ok bool) {
	name, ok = strings.CutPrefix(v.Key, "node.")
	var x nodeValue
	if !ok || json.Unmarshal(v.Data, &x) != nil {
		return "", m, false
	}
	return name, member(&x), true
}

// ReadEpoch reads the value of the key of a partition: the epoch of its last owner. It reports whether
// it is one.
func ReadEpoch(v Value) (partition int, epoch uint64, ok bool) {
	name, ok := strings.CutPrefix(v.Key, "part.")
	partition, err := strconv.Atoi(name)
	var x partValue
	if !ok || err != nil || json.Unmarshal(v.Data, &x) != nil {
		return 0, 0, false
	}
	return partition, x.Epoch, true
}
