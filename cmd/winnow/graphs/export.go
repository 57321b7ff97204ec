package graphs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/bv"
	"github.com/winnow-crawler/winnow/graph/parquet"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
)

type exportOptions struct {
	format string // one of exportFormats
	output string // file, base name or directory; "" and "-": standard output
	params bv.Params
	like   string // a .properties file to take params from
	flags  *pflag.FlagSet
}

// exportFormats lists the values of --format.
var exportFormats = []string{"edges", "bv", "parquet"}

// paramFlags lists the flags that --like Replaces.
var paramFlags = []string{"window", "max-ref", "min-interval", "zeta-k"}

func newExportCommand(u *console.UI) *cobra.Command {
	opt := &exportOptions{params: bv.Default}
	cmd := &cobra.Command{
		Use:   "export G --format edges|bv|parquet -o OUT",
		Short: "write a graph as an edge list, a WebGraph file or Parquet tables",
		Long: `edges    "source target" per line, ascending, in the original ids; - and no -o are
         standard output
bv       OUT.graph, OUT.properties and OUT.offsets, as WebGraph and its relatives
         read them. Their ids are 0, 1, 2 and so on: where the graph has others,
         OUT.ids holds the original id of each
parquet  a directory with pages.parquet (id, url, site, out_degree, in_degree) and
         links.parquet (src, dst), in the original ids`,
		Example: `  winnow graph export web.wg --format edges -o web.edges
  winnow graph export web.wg --format edges -o - | zstd > web.edges.zst
  winnow graph export web.wg --format bv -o webgraph/web --like webgraph/other.properties
  winnow graph export web.wg --format parquet -o tables`,
		Args: console.Exactly("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.flags = cmd.Flags()
			return runExport(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.format, "format", "edges", "edges, bv or parquet")
	f.StringVarP(&opt.output, "output", "o", "", "file, base name (bv) or directory (parquet) to write; - is standard output")
	f.IntVar(&opt.params.Window, "window", bv.Default.Window, "bv: how many lists back a reference may reach")
	f.IntVar(&opt.params.MaxRef, "max-ref", bv.Default.MaxRef, "bv: longest chain of references")
	f.IntVar(&opt.params.MinInterval, "min-interval", bv.Default.MinInterval, "bv: shortest run of ids kept as an interval; 0: none")
	f.IntVar(&opt.params.ZetaK, "zeta-k", bv.Default.ZetaK, "bv: the k of the zeta code")
	f.StringVar(&opt.like, "like", "", "bv: take these four from a .properties file")
	console.Completes(cmd, "format", exportFormats...)
	return cmd
}

// An exportResult is the JSON output.
type exportResult struct {
	Format      string   `json:"format"`
	Files       []string `json:"files"`
	Pages       int      `json:"pages" show:"pages"`
	Links       int64    `json:"links" show:"links"`
	Bytes       int64    `json:"bytes" show:"size,bytes"` // of all files
	BitsPerLink float64  `json:"bits_per_link,omitempty" show:"bits a link,omitzero"`
	Seconds     float64  `json:"seconds" show:"time,seconds"`
}

func runExport(ctx context.Context, u *console.UI, opt *exportOptions, path string) error {
	if err := opt.check(u); err != nil {
		return err
	}
	for _, name := range opt.files() {
		if err := NotAnInput(name, path, opt.like); err != nil {
			return err
		}
	}
	g, err := Open(u, path)
	if err != nil {
		return err
	}
	defer g.Close()
	shown := u.Stages(ctx)
	defer shown.Done()
	start := time.Now()
	r := &exportResult{Format: opt.format, Pages: g.Pages(), Links: g.Links()}
	switch opt.format {
	case "edges":
		err = opt.edges(ctx, u, g, shown, r)
	case "bv":
		err = opt.webGraph(ctx, u, g, shown, r)
	case "parquet":
		err = opt.parquet(u, g, shown, r)
	}
	shown.Done()
	if err != nil || len(r.Files) == 0 {
		return err
	}
	r.Seconds = time.Since(start).Seconds()
	return r.print(u)
}

// check returns an error for impossible options before the graph is opened, and determines
// the parameters of the bv format.
func (o *exportOptions) check(u *console.UI) error {
	switch {
	case !slices.Contains(exportFormats, o.format):
		err := console.Usagef("--format %q: want %s", o.format, strings.Join(exportFormats, ", "))
		return u.HintFlag(err, "--format", o.format, exportFormats)
	case o.format == "edges" && (o.output == "" || o.output == "-"):
		return o.noParams("is for --format bv")
	case o.output == "-":
		return console.WithHint(console.Usagef("%s cannot be written to standard output: it is several files", o.format),
			"try: %s", u.WithFlag("-o", "web"))
	case o.output == "":
		return console.WithHint(console.Usagef("--format %s needs -o: it writes several files", o.format), "try: %s", u.WithFlag("-o", "web"))
	case o.format == "bv":
		return o.settleParams()
	}
	return o.noParams("is for --format bv")
}

// files returns the files that -o names.
func (o *exportOptions) files() []string {
	switch o.format {
	case "bv":
		return webGraphFiles(strings.TrimSuffix(o.output, ".graph"))
	case "parquet":
		return []string{filepath.Join(o.output, "pages.parquet"), filepath.Join(o.output, "links.parquet")}
	}
	return []string{o.output}
}

// noParams returns an error if flags of the bv format are set.
func (o *exportOptions) noParams(why string) error {
	for _, name := range append([]string{"like"}, paramFlags...) {
		if o.flags.Changed(name) && !(name == "like" && o.format == "bv") {
			return console.Usagef("--%s %s", name, why)
		}
	}
	return nil
}

func (o *exportOptions) settleParams() error {
	if o.like != "" {
		if err := o.noParams("and --like exclude each other"); err != nil {
			return err
		}
		text, err := os.ReadFile(o.like)
		if err != nil {
			return fmt.Errorf("read %s: %w", o.like, result.Cause(err))
		}
		props, err := bv.ParseProperties(text)
		if err != nil {
			return fmt.Errorf("%s: %w", o.like, err)
		}
		o.params = props.Params
	}
	if err := o.params.Check(); err != nil {
		return console.Usage(err)
	}
	return nil
}

// edges writes an edge list to a file, or to standard output.
func (o *exportOptions) edges(ctx context.Context, u *console.UI, g *graph.Graph, shown *show.Stages, r *exportResult) error {
	out, err := result.Create(o.output, u.Stdout)
	if err != nil {
		return HintDir(err, o.output)
	}
	defer out.Discard()
	tell := shown.Of("write links")
	if out.Standard() && u.AsJSON {
		w := &parquet.Writer{Graph: g, Progress: tell}
		err = w.EachLink(func(l parquet.Link) error { return show.JSON(out, l, "") })
	} else {
		err = g.ExportEdges(ctx, out, tell)
	}
	if err != nil {
		return out.Wrap(err)
	}
	if err := out.Commit(); err != nil || out.Standard() {
		return err
	}
	return r.add(o.output)
}

// parquet writes the two tables into a directory, which it makes if there is none. On an
// error it leaves neither a table nor a directory of its own.
func (o *exportOptions) parquet(u *console.UI, g *graph.Graph, shown *show.Stages, r *exportResult) (err error) {
	err = os.Mkdir(o.output, 0o777)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return HintDir(fmt.Errorf("create %s: %w", o.output, result.Cause(err)), o.output)
	}
	defer func() {
		if err != nil && made {
			os.Remove(o.output)
		}
	}()
	program, commit := version.Creator(version.Build())
	w := &parquet.Writer{Graph: g, Version: program, Commit: commit}
	stages := []string{"write pages", "write links"}
	write := []func(io.Writer) error{w.Pages, w.Links}
	files := make([]*result.File, len(write))
	for i, name := range o.files() {
		if files[i], err = result.Create(name, u.Stdout); err != nil {
			return err
		}
		defer files[i].Discard()
	}
	for i, f := range files {
		w.Progress = shown.Of(stages[i])
		if err := write[i](f); err != nil {
			return f.Wrap(err)
		}
	}
	if err := result.CommitAll(files); err != nil {
		return err
	}
	return r.add(o.files()...)
}

// webGraph writes the files of the bv format.
func (o *exportOptions) webGraph(ctx context.Context, u *console.UI, g *graph.Graph, shown *show.Stages, r *exportResult) error {
	base := strings.TrimSuffix(o.output, ".graph")
	if err := checkOutput(u, base+".graph"); err != nil {
		return err
	}
	if err := g.ExportBV(ctx, base, o.params, shown.Of("write links")); err != nil {
		return err
	}
	if err := r.add(base+".graph", base+".properties", base+".offsets"); err != nil {
		return err
	}
	if info, err := os.Stat(base + ".graph"); err == nil && r.Links > 0 {
		r.BitsPerLink = 8 * float64(info.Size()) / float64(r.Links)
	}
	if g.IDs() == nil {
		return nil
	}
	u.Notef("the ids in %s.graph are 0 to %d; %s.ids holds the original id of each", base, g.Pages()-1, base)
	return r.add(base + ".ids")
}

// add records files that were written.
func (r *exportResult) add(names ...string) error {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, name)
		r.Bytes += info.Size()
	}
	return nil
}

func (r *exportResult) print(u *console.UI) error {
	if err := u.Result(r); err != nil || u.AsJSON {
		return err
	}
	u.Printf("wrote %s\n", strings.Join(r.Files, ", "))
	return nil
}
