// Package graphs holds the verbs of winnow graph, and what others need to open and write graphs.
package graphs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

// NewCommand returns winnow graph with its verbs.
func NewCommand(u *console.UI) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "import, make, inspect and export link graphs",
		Long: `A graph is one file with the links of a web in both directions, compressed, and the
URLs and sites of its pages where they are known. It never changes: verbs that make
one write a new file, which gets its name only when it is complete.`,
	}
	cmd.AddCommand(
		newImportCommand(u),
		newGenerateCommand(u),
		newExportCommand(u),
		newExtractCommand(u),
		newCompactCommand(u),
		newLinksCommand(u),
		newStatsCommand(u),
	)
	return cmd
}

// Open opens a graph file for a verb. Its hint proposes what to do about a file
// that is something else.
func Open(u *console.UI, path string) (*graph.Graph, error) {
	g, err := graph.Open(path)
	if err == nil {
		return g, nil
	}
	switch {
	case layout.IsCrawl(path):
		file := strings.TrimSuffix(filepath.Clean(path), ".crawl") + ".wg"
		return nil, console.WithHint(fmt.Errorf("%s is a crawl, not a graph", path), "make a graph of it: %s", terminal.Command("winnow", "graph", "import", "--crawl", path, "-o", file))
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(path, ".crawl"):
		return nil, console.WithHint(fmt.Errorf("there is no crawl %s", path), "name the directory that winnow crawl made: --dir, or the first seed's host with .crawl")
	case errors.Is(err, fs.ErrNotExist):
		return nil, console.WithHint(err, "make one with winnow graph import or winnow graph generate")
	case looksLikeEdges(path):
		return nil, console.WithHint(err, "to import an edge list: %s", terminal.Command("winnow", "graph", "import", "--edges", path, "-o", path+".wg"))
	case isWebGraph(path):
		base := strings.TrimSuffix(path, filepath.Ext(path))
		return nil, console.WithHint(err, "to import a WebGraph file: %s", terminal.Command("winnow", "graph", "import", "--bv", base, "-o", base+".wg"))
	}
	return nil, err
}

// looksLikeEdges guesses from the first bytes: digits and blanks, a comment, or
// a compressed file.
func looksLikeEdges(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var first [64]byte
	n, _ := io.ReadFull(f, first[:])
	b := first[:n]
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) || bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return true
	}
	return len(b) > 0 && (b[0] == '#' || len(bytes.Trim(b, "0123456789 \t\r\n")) == 0)
}

// isWebGraph reports whether a file is one of a WebGraph pair.
func isWebGraph(path string) bool {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	_, err := os.Stat(base + ".properties")
	_, err2 := os.Stat(base + ".graph")
	return base != path && err == nil && err2 == nil
}

// checkOutput checks before hours of work that a file can be written at path: it makes a
// file in the same directory and removes it.
func checkOutput(u *console.UI, path string) error {
	if path == "" {
		return console.WithHint(console.Usagef("no file to write to"), "try: %s", u.WithFlag("-o", "web.wg"))
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("create %s: it is not a regular file", path)
	}
	return CheckDir(filepath.Dir(path), path)
}

// NotAnInput returns an error if an output is also one of the inputs, which may be the only
// copy. Inputs that are not given ("") or standard input ("-") are skipped; devices and
// pipes may be both.
func NotAnInput(output string, inputs ...string) error {
	if Replaces(output, inputs...) {
		return console.Usagef("-o %s is also an input", output)
	}
	return nil
}

// Replaces reports whether writing to output would replace one of the inputs, also under
// another name or by a link.
func Replaces(output string, inputs ...string) bool {
	if output == "" || output == "-" {
		return false
	}
	there, err := os.Stat(output)
	if err != nil || !there.Mode().IsRegular() {
		return false
	}
	for _, name := range inputs {
		if name == "" || name == "-" {
			continue
		}
		if info, err := os.Stat(name); err == nil && os.SameFile(there, info) {
			return true
		}
	}
	return false
}

// CheckDir returns an error if no file can be made in dir; what is the path the user gave.
func CheckDir(dir, what string) error {
	probe, err := result.Temp(filepath.Join(dir, ".winnow"))
	if err == nil {
		probe.Close()
		return os.Remove(probe.Name())
	}
	return HintDir(fmt.Errorf("create %s: %w", what, result.Cause(err)), filepath.Join(dir, "x"))
}

// HintDir proposes to make the directory of path if it is missing.
func HintDir(err error, path string) error {
	dir := filepath.Dir(path)
	if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
		return console.WithHint(err, "the directory is not there; try: %s", terminal.Command("mkdir", "-p", dir))
	}
	return err
}

// graphFile is a graph that a verb writes.
type graphFile struct {
	output    string
	maxMemory show.Size
	tempDir   string
	compact   bool
}

func (o *graphFile) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.output, "output", "o", "", "the graph to write")
	AddMaxMemory(f, &o.maxMemory)
	f.StringVar(&o.tempDir, "temp-dir", "", "where links are sorted (default: beside the graph)")
}

// addCompact adds --compact to a verb.
func addCompact(f *pflag.FlagSet, compact *bool) {
	f.BoolVar(compact, "compact", false, "store links in a quarter to a third less space; they take longer to write and to read")
}

// check returns an error if the graph cannot be written.
func (o *graphFile) check(u *console.UI) error {
	if err := checkOutput(u, o.output); err != nil {
		return err
	}
	return checkTempDir(o.tempDir)
}

// write writes the graph and shows the progress.
func (o *graphFile) write(ctx context.Context, u *console.UI, src graph.Source) error {
	shown := u.Stages(ctx)
	defer shown.Done()
	memory := machine.ForGraph(int64(o.maxMemory))
	defer memory.Restore()
	err := graph.Write(ctx, src, graph.WriteOptions{
		Path: o.output, MaxMemory: int64(o.maxMemory), TempDir: o.tempDir, Compact: o.compact,
		Progress: memory.Watch(shown.Set),
	})
	return explainMemory(u, err)
}

// AddMaxMemory adds --max-memory to a verb. Its default is a quarter of the memory that
// this process may use. The help describes it in words, so it is the same on every machine.
func AddMaxMemory(flags *pflag.FlagSet, size *show.Size) {
	*size = show.Size(machine.Memory() / 4)
	flags.Var(size, "max-memory", "use at most this much memory, such as 64M or 1.5GiB")
	flags.Lookup("max-memory").DefValue = "a quarter of the machine's"
}
