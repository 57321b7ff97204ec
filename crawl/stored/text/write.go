package text

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// A Writer writes rows in one of the formats.
type Writer struct {
	add   func(*Row) error
	close []func() error
}

// NewWriter returns a writer in the format that the name of a file names: .jsonl, also with .gz or
// .zst, or .parquet. "" and "-" are JSON lines. version and commit are those of the program.
func NewWriter(out io.Writer, name, version, commit string) (*Writer, error) {
	w := &Writer{}
	switch plain, gz := strings.CutSuffix(name, ".gz"); {
	case strings.HasSuffix(name, ".parquet"):
		w.parquet(out, version, commit)
		return w, nil
	case gz && jsonName(plain):
		z := gzip.NewWriter(out)
		w.close = []func() error{z.Close}
		out = z
	case strings.HasSuffix(name, ".zst") && jsonName(strings.TrimSuffix(name, ".zst")):
		z, err := zstd.NewWriter(out)
		if err != nil {
			return nil, err
		}
		w.close = []func() error{z.Close}
		out = z
	case name != "" && name != "-" && !jsonName(name):
		return nil, ErrFormat
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	w.add = func(r *Row) error { return e.Encode(r) }
	return w, nil
}

func jsonName(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".ndjson")
}

// groupBytes is the size of the texts in a row group, which the encoder holds in memory.
const groupBytes = 16 << 20

func (w *Writer) parquet(out io.Writer, version, commit string) {
	p := parquet.NewGenericWriter[Row](out, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("winnow", version, commit))
	held := 0
	w.add = func(r *Row) error {
		if _, err := p.Write([]Row{*r}); err != nil {
			return err
		}
		if held += len(r.URL) + len(r.Title) + len(r.Text); held < groupBytes {
			return nil
		}
		held = 0
		return p.Flush()
	}
	w.close = []func() error{p.Close}
}

// Add writes a row.
func (w *Writer) Add(r *Row) error { return w.add(r) }

// Close writes what is left. It does not close the file.
func (w *Writer) Close() error {
	for _, c := range w.close {
		if err := c(); err != nil {
			return err
		}
	}
	return nil
}
