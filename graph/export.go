package graph

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
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

// eachForward goes through the out-links of all pages. Where a scan panics at a
// corrupt list this returns the error.
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

// ExportBV writes base.graph, base.offsets and base.properties, which WebGraph and
// its relatives read. The ids in them are those of pages: dense. They get their
// names when all are complete, the properties, without which nobody reads the
// others, last; on an error none of them is left.
func (g *Graph) ExportBV(ctx context.Context, base string, p bv.Params, progress func(done, total int64) error) (err error) {
	if err := p.Check(); err != nil {
		return err
	}
	out := &fileSet{base: base}
	defer func() {
		if err != nil {
			out.remove()
		}
	}()
	var j *bv.Joiner
	err = out.create(".graph", func(w io.Writer) (err error) {
		j, err = g.encodeBV(ctx, w, p, progress)
		return err
	})
	if err != nil {
		return err
	}
	if err := out.create(".offsets", func(w io.Writer) error { return bv.WriteOffsets(w, j.Starts()) }); err != nil {
		return err
	}
	props := bv.Properties{Params: p, Nodes: int64(g.Pages()), Arcs: g.Links()}
	if err := out.create(".properties", func(w io.Writer) error { _, err := w.Write(props.Format(j.Bits())); return err }); err != nil {
		return err
	}
	return out.publish()
}

func (g *Graph) encodeBV(ctx context.Context, w io.Writer, p bv.Params, progress func(done, total int64) error) (*bv.Joiner, error) {
	e := newListEncoder(p, g.Pages(), min(runtime.GOMAXPROCS(0), maxThreads), w)
	return e.finish(g.eachForward(ctx, progress, e.add))
}

// A fileSet is files that belong together: base with several endings, written under
// temporary names.
type fileSet struct {
	base  string
	made  []string // their names
	named int      // how many of them have got these
}

func (s *fileSet) create(ext string, write func(io.Writer) error) error {
	name := s.base + ext
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("write %s: there is something under this name that is not a regular file", name)
	}
	s.made = append(s.made, name)
	return writeFile(name+".partial", write)
}

func (s *fileSet) publish() error {
	for _, name := range s.made {
		if err := os.Rename(name+".partial", name); err != nil {
			return err
		}
		s.named++
	}
	return nil
}

// remove leaves none of the files.
func (s *fileSet) remove() {
	for i, name := range s.made {
		if i >= s.named {
			name += ".partial"
		}
		os.Remove(name)
	}
}

// writeFile writes and syncs a file.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	err = write(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
