package cluster

import (
	"context"
	"errors"
)

// An Engine is what nodes share.
type Engine struct {
	Log      func(partition int) Log
	Register Register
	Bus      Bus
}

var (
	// ErrRefused is wrapped where a condition did not hold. Nothing was stored by this call. Every other
	// error of Append and Put leaves open whether something was, or still will be.
	ErrRefused = errors.New("it was changed by another")
	// ErrDamaged is wrapped where a log has an entry that is not as it was written.
	ErrDamaged = errors.New("the log is damaged")
)

// A Log is the replicated journal of a partition. Its entries have growing sequence numbers, from
// 1 on, with gaps if several partitions share what is behind it.
type Log interface {
	// Append appends an entry if the last one has a number, 0 for none.
	Append(ctx context.Context, last uint64, data []byte) (seq uint64, err error)
	// Read calls fn with entries after a number, in order: up to most, or if that is 0 up to the end.
	// The data belong to fn until it returns. An error of fn ends the reading and is returned.
	Read(ctx context.Context, after uint64, most int, fn func(seq uint64, data []byte) error) error
	// Last returns the number of the last entry.
	Last(ctx context.Context) (uint64, error)
}

// A Value is the value of a key. Revisions of a key grow; 0 means that there is none.
type Value struct {
	Key      string
	Revision uint64
	Data     []byte
}

// A Register has values for keys.
type Register interface {
	// Get returns the value of a key, with revision 0 if there is none.
	Get(ctx context.Context, key string) (Value, error)
	// Put sets a value if the key has a revision.
	Put(ctx context.Context, key string, revision uint64, data []byte) (uint64, error)
	// Watch calls fn with the values of all keys, then with a zero Value, then with each change, until
	// the context ends or the connection is lost. It may leave out values that were soon replaced.
	Watch(ctx context.Context, fn func(Value)) error
}

// A Bus carries messages to all who have subscribed to a subject. It may lose, delay, repeat and
// reorder them.
type Bus interface {
	Publish(subject string, data []byte) error
	// Subscribe lets fn be called with each message, from another goroutine, until stop is called.
	Subscribe(subject string, fn func(data []byte)) (stop func(), err error)
}
