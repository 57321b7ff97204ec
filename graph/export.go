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
	for c := g.forward.scan(0, Page(g.Pages())); c.Next(); {
		p := c.Page()
		if p%4096 == 0 {
			if err := g.step(ctx, p, progress); err != nil {
				return err
			}
		}
		line = append(strconv.AppendUint(line[:0], uint64(g.ID(p)), 10), ' ')
		source := len(line)
		for _, q := range c.List() {
			line = append(strconv.AppendUint(line[:source], uint64(g.ID(q)), 10), '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
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

// ExportBV writes base.graph, base.properties and base.offsets, which WebGraph and
// its relatives read. The ids in them are those of pages: dense. On an error none of
// the files is left.
func (g *Graph) ExportBV(ctx context.Context, base string, p bv.Params, progress func(done, total int64) error) (err error) {
	if err := p.Check(); err != nil {
		return err
	}
	var made []string
	defer func() {
		for _, name := range made {
			if err != nil {
				os.Remove(name + ".partial")
			}
		}
	}()
	create := func(ext string, write func(io.Writer) error) error {
		made = append(made, base+ext)
		return writeFile(base+ext+".partial", write)
	}
	var j *bv.Joiner
	err = create(".graph", func(w io.Writer) (err error) {
		j, err = g.encodeBV(ctx, w, p, progress)
		return err
	})
	if err != nil {
		return err
	}
	props := bv.Properties{Params: p, Nodes: int64(g.Pages()), Arcs: g.Links()}
	if err := create(".properties", func(w io.Writer) error { _, err := w.Write(props.Format(j.Bits())); return err }); err != nil {
		return err
	}
	if err := create(".offsets", func(w io.Writer) error { return bv.WriteOffsets(w, j.Starts()) }); err != nil {
		return err
	}
	for _, name := range made {
		if err := os.Rename(name+".partial", name); err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) encodeBV(ctx context.Context, w io.Writer, p bv.Params, progress func(done, total int64) error) (*bv.Joiner, error) {
	e := newListEncoder(p, g.Pages(), runtime.GOMAXPROCS(0), w)
	var err error
	for c := g.forward.scan(0, Page(g.Pages())); err == nil && c.Next(); {
		if c.Page()%4096 == 0 {
			err = g.step(ctx, c.Page(), progress)
		}
		if err == nil {
			err = e.add(c.Page(), c.List())
		}
	}
	return e.finish(err)
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
