package node

import (
	"errors"
	"syscall"
	"testing"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A node whose disk is full when it brings its copy of a partition up to date leaves that to others.
func TestNoRoomForCopy(t *testing.T) {
	root := disk.NewMemory()
	l := &local{store: store{open: func(name string) (disk.Dir, error) { return root.Sub(name), nil }}}
	root.Limit(0, syscall.ENOSPC)
	err := l.Add(func(add func(cluster.Group) error) error { return add(cluster.Group{Bytes: []byte("x")}) })
	if !errors.Is(err, cluster.ErrUnable) {
		t.Errorf("%v: another node does not take it", err)
	}
}
