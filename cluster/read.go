package cluster

import "context"

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
