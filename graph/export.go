package graph

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// ExportEdges writes the links as an edge list, sorted by source and target, in the
// original ids. progress may be nil.
func (g *Graph) ExportEdges(ctx context.Context, w io.Writer, progress func(done, total int64) error) error {
	out := bufio.NewWriterSize(w, 1<<18)
	var line []byte
	err := g.eachForward(ctx, progress, func(p Page, links []Page) error {
		line = append(strconv.AppendUint(line[:0], uint64(g.ID(p)), 10), ' ')
		source := len(line)
		for _, q := range links {
			line = append(strconv.AppendUint(line[:source], uint64(g.ID(q)), 10), '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// eachForward calls fn with the out-links of all pages. If a scan panics at a corrupt list,
// eachForward returns the error.
func (g *Graph) eachForward(ctx context.Context, progress func(done, total int64) error, fn func(Page, []Page) error) error {
	c := g.forward.scan(0, Page(g.Pages())).s
	for c.Next() {
		if c.Page()%4096 == 0 {
			if err := g.step(ctx, Page(c.Page()), progress); err != nil {
				return err
			}
		}
		if err := fn(Page(c.Page()), pagesOf(c.List())); err != nil {
			return err
		}
	}
	if err := c.Err(); err != nil {
		return &CorruptError{g.path, err}
	}
	return nil
}

func (g *Graph) step(ctx context.Context, p Page, progress func(done, total int64) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if progress == nil {
		return nil
	}
	return progress(int64(p), int64(g.Pages()))
}

// ExportBV writes base.graph, base.offsets and base.properties, which WebGraph and its
// relatives read. The ids in them are those of pages: dense. If the graph has original ids,
// base.ids holds that of each page, one a line; otherwise the base.ids of an earlier export
// is removed.
//
// The files get their names when all are complete and synced. The properties, without which
// programs do not read the others, come last. An error before that leaves the files of an
// earlier export as they are; an error of renaming leaves none of the new ones.
func (g *Graph) ExportBV(ctx context.Context, base string, p bv.Params, progress func(done, total int64) error) error {
	if err := p.Check(); err != nil {
		return err
	}
	out := &fileSet{base: base}
	defer out.close()
	var j *bv.Joiner
	err := out.create(".graph", func(w io.Writer) (err error) {
		j, err = g.encodeBV(ctx, w, p, progress)
		return err
	})
	if err != nil {
		return err
	}
	if err := out.create(".offsets", func(w io.Writer) error { return bv.WriteOffsets(w, j.Starts()) }); err != nil {
		return err
	}
	if g.IDs() != nil {
		if err := out.create(idsExt, func(w io.Writer) error { return writeIDs(w, g.IDs()) }); err != nil {
			return err
		}
	}
	props := bv.Properties{Params: p, Nodes: int64(g.Pages()), Arcs: g.Links()}
	if err := out.create(propertiesExt, func(w io.Writer) error { _, err := w.Write(props.Format(j.Bits())); return err }); err != nil {
		return err
	}
	return out.publish(idsExt, propertiesExt)
}

const (
	idsExt        = ".ids"
	propertiesExt = ".properties"
)

func writeIDs(w io.Writer, ids []uint32) error {
	var line []byte
	for _, id := range ids {
		line = append(strconv.AppendUint(line[:0], uint64(id), 10), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) encodeBV(ctx context.Context, w io.Writer, p bv.Params, progress func(done, total int64) error) (*bv.Joiner, error) {
	e := newListEncoder(func() chunkEncoder { return bv.NewEncoder(p, 0) }, g.Pages(), min(runtime.GOMAXPROCS(0), maxThreads), w)
	return e.finish(g.eachForward(ctx, progress, e.add))
}

// A fileSet holds files that belong together: base with several endings. Until they are
// published they have temporary, locked names, as graph files do: of two processes that
// write the same set the second one is refused, and what a killed one left is written over.
type fileSet struct {
	base string
	made []setFile
}

type setFile struct {
	name, partial string   // partial is "" once the file has its name
	f             *os.File // holds the lock
}

// create writes and syncs a file of the set.
func (s *fileSet) create(ext string, write func(io.Writer) error) error {
	name := s.base + ext
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("write %s: there is something under this name that is not a regular file", name)
	}
	partial := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".partial")
	f, err := lockFile(partial)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	s.made = append(s.made, setFile{name, partial, f}) // from here on it is ours to remove
	if err := fill(f, write); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// fill replaces the contents of the file by what is written.
func fill(f *os.File, write func(io.Writer) error) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// publish renames the files to their final names, in the order they were made. It first
// removes the files of an earlier set with the endings in stale, so that no program takes
// old and new files for one set.
func (s *fileSet) publish(stale ...string) error {
	for _, ext := range stale {
		name := s.base + ext
		if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for i := range s.made {
		m := &s.made[i]
		if err := os.Rename(m.partial, m.name); err != nil {
			for _, named := range s.made[:i] {
				os.Remove(named.name)
			}
			return err
		}
		m.partial = ""
	}
	return nil
}

// close removes what was not published, and releases the locks.
func (s *fileSet) close() {
	for _, m := range s.made {
		if m.partial != "" {
			os.Remove(m.partial)
		}
		m.f.Close() // has been synced, or is gone
	}
}
