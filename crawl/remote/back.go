package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// Back copies the WARC files of an archive directory that are only in a store back, whole and with
// their checksums, or not at all. Their objects and records stay. It calls tell after each.
func Back(ctx context.Context, dir disk.Dir, dial Dialer, tell func(name string, r *Record)) error {
	records, err := Records(dir)
	if err != nil {
		return err
	}
	all := Dir(ctx, dir, dial)
	for _, warc := range slices.Sorted(maps.Keys(records)) {
		if f, err := dir.Open(warc, disk.Read); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				f.Close()
			}
			continue
		}
		if err := fetch(ctx, all, dir, warc, records[warc]); err != nil {
			return err
		}
		tell(warc, records[warc])
	}
	return nil
}

// fetch copies a file from the store.
func fetch(ctx context.Context, from, to disk.Dir, warc string, r *Record) error {
	in, err := from.Open(warc, disk.Read)
	if err != nil {
		return err
	}
	defer in.Close()
	return disk.Replace(to, warc, warc+".tmp", true, func(f disk.File) error {
		h := sha256.New()
		_, err := copyCtx(ctx, io.MultiWriter(h, io.NewOffsetWriter(f, 0)), io.NewSectionReader(in, 0, r.Size))
		if err == nil && hexOf(h) != r.SHA256 {
			err = fmt.Errorf("%s: %w", warc, errLost)
		}
		return err
	})
}
