package member

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Remove removes a crawl that has ended from the cluster: nobody can continue or gather it any more,
// and brokers have room again. What nodes have of it stays on their disks. It may be repeated after an
// error.
func (c *Cluster) Remove(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, createTime)
	defer cancel()
	e, revision, err := c.entry(ctx, name)
	switch {
	case err != nil:
		return err
	case revision == 0 || e.Gone:
		return c.unknown(ctx, name)
	case !e.Removed:
		if err := c.mayRemove(ctx, name); err != nil {
			return err
		}
		e.Removed = true
		err = c.putEntry(ctx, name, revision, e)
	}
	if err == nil {
		err = nats.Remove(ctx, c.conn, c.options(name, e.Partitions))
	}
	if err == nil {
		err = c.setGone(ctx, name)
	}
	if err != nil {
		return &hint.Error{Text: "the crawl " + name + " was not removed completely", Hint: "repeat the command", Err: err}
	}
	return nil
}

// mayRemove returns an error unless a crawl has ended.
func (c *Cluster) mayRemove(ctx context.Context, name string) error {
	x, err := c.Open(ctx, name)
	if err != nil {
		return err
	}
	s, err := node.Stand(ctx, x.Engine.Register)
	if err == nil && s.Stop == "" {
		err = &hint.Error{Text: "the crawl " + name + " has not ended", Hint: "stop it first: winnow cluster stop --name " + name}
	}
	return err
}

// setGone notes that nothing of a crawl is left at the brokers.
func (c *Cluster) setGone(ctx context.Context, name string) error {
	for {
		e, revision, err := c.entry(ctx, name)
		if err != nil || e.Gone || !e.Removed {
			return err
		}
		e.Gone = true
		if err = c.putEntry(ctx, name, revision, e); !errors.Is(err, cluster.ErrRefused) {
			return err
		}
	}
}

// setAside renames the directory that a node has of another crawl, which had the same name and was
// removed.
func setAside(dir, identity string) error {
	p, err := layout.ReadPartitions(disk.OS(dir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && (p == nil || p.Crawl == identity) {
		return nil
	}
	if err != nil {
		return err
	}
	lock, err := layout.Lock(filepath.Join(dir, layout.LockFile)) // this process may still write to it
	if err != nil {
		return layout.LockError(dir, err)
	}
	defer lock.Close()
	to := dir + "-" + p.Crawl[:min(8, len(p.Crawl))]
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s has another crawl, and there is %s already", dir, filepath.Base(to))
	}
	return os.Rename(dir, to)
}
