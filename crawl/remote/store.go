package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/winnow-crawler/winnow/internal/hint"
)

// A Store holds objects by their keys.
type Store interface {
	// Put makes an object of a file with these sums. The store checks a checksum of each part. Put
	// of a fresh object fails with ErrExists, if the store can tell, rather than replace another one.
	Put(ctx context.Context, key string, f io.ReaderAt, s *Sums, fresh bool) error
	// Stat describes an object. The error is fs.ErrNotExist if there is none.
	Stat(ctx context.Context, key string) (*Object, error)
	// Get reads n bytes of an object from an offset on.
	Get(ctx context.Context, key string, from, n int64) (io.ReadCloser, error)
}

// A Dialer returns the store of a place. It makes no request.
type Dialer func(Place) (Store, error)

var (
	// ErrRefused is wrapped by errors of a store that answers, and wants something else: other
	// credentials, permissions, a bucket that exists.
	ErrRefused = errors.New("the store refuses this")
	// ErrExists is wrapped by Put if there is such an object.
	ErrExists = errors.New("there is an object of this name already")
)

// errDiffers reports that an object does not have the bytes of its file.
var errDiffers = errors.New("the store does not have the bytes that were sent")

// compare finds out whether an object has the bytes of a file.
func compare(ctx context.Context, store Store, key string, s *Sums) (o *Object, how verdict, err error) {
	if o, err = store.Stat(ctx, key); err != nil {
		return nil, differs, err
	}
	if how = s.judge(o); how == unknown {
		sum, err := readBack(ctx, store, key, s.Size)
		if err != nil {
			return o, differs, err
		}
		if sum != s.SHA256 {
			how = differs
		}
	}
	return o, how, nil
}

// readBack reads an object and returns its SHA-256.
func readBack(ctx context.Context, store Store, key string, size int64) (string, error) {
	body, err := store.Get(ctx, key, 0, size)
	if err != nil {
		return "", err
	}
	defer body.Close()
	h := sha256.New()
	n, err := copyCtx(ctx, h, body)
	if err == nil && n != size {
		err = fmt.Errorf("read %s: %d of %d bytes came", key, n, size)
	}
	return hexOf(h), err
}

// ensure makes an object of a file, unless the store has it. If it must be fresh, it replaces no
// other object.
func ensure(ctx context.Context, p Place, store Store, f io.ReaderAt, s *Sums, fresh bool) (*Object, verdict, error) {
	o, how, err := compare(ctx, store, p.Key, s)
	switch {
	case err == nil && how != differs: // a run was killed before it could record that
		return o, how, nil
	case err == nil && fresh:
		return nil, differs, another(p, o)
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrRefused): // who may not list gets no better answer
		err = store.Put(ctx, p.Key, f, s, fresh)
	}
	if err != nil && !errors.Is(err, ErrExists) {
		return nil, differs, err
	}
	o, how, err = compare(ctx, store, p.Key, s)
	if err == nil && how == differs {
		err = fmt.Errorf("%s: %w", p.Short(), errDiffers)
	}
	return o, how, err
}

// another is the error of an object that is not ours.
func another(p Place, o *Object) error {
	return &hint.Error{
		Text: fmt.Sprintf("%s is another object, of %d bytes; it is not replaced", p.Short(), o.Size),
		Hint: "give each crawl a prefix of its own, or delete that object",
	}
}
