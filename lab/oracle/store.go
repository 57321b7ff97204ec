package oracle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A Store keeps importance in files, one for each graph and metric, so that it is computed once.
// The name of a file is a hash of what it depends on: the checksums of the graph file, the metric
// and its options. A file ends with the SHA-256 of all that is before; one that does not fit is
// computed again and replaced. All files may be deleted at any time.
type Store struct {
	Dir   string
	Least int64 // links of the smallest graph whose importance is kept
	// Used and Kept, if not nil, are called with the file from which importance was read, or to
	// which it was written, and with its hash.
	Used, Kept func(file, hash string)
}

// DefaultLeast is the number of links below which computing is as fast as reading.
const DefaultLeast = 100_000

// DefaultDir returns the directory for files that the user of this machine may delete.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "winnow", "oracles"), err
}

// storeVersion is the version of a file and of how importance is computed: raise it with either.
const storeVersion = 1

var storeMagic = []byte("winnow oracle\n")

// A stored is the header of a file.
type stored struct {
	Version   int     `json:"version"`
	Key       string  `json:"key"` // of all that the values depend on
	Metric    string  `json:"metric"`
	Values    int     `json:"values"` // float64 each, little-endian, after the header
	Pages     int     `json:"pages"`
	MeanScale bool    `json:"mean_scale"`
	Bound     float64 `json:"bound"`
}

// Truth returns importance from the store, or computes it and keeps it. Parts of a graph are not
// kept, and what cannot be written is not an error: the next run computes it again.
func (s *Store) Truth(w *lab.World, metric string, o measure.TruthOptions, compute func() (*measure.Truth, error)) (*measure.Truth, error) {
	if s == nil || w.Graph == nil || w.Graph.Links() < s.Least || o.Within != nil {
		return compute()
	}
	key := keyOf(w, metric, o)
	file := filepath.Join(s.Dir, key[:32]+".oracle")
	if t, hash, err := load(file, key); err == nil && len(t.Value) == w.Pages() {
		tell(s.Used, file, hash)
		return t, nil
	}
	t, err := compute()
	if err != nil {
		return nil, err
	}
	if hash, err := save(file, key, t); err == nil {
		tell(s.Kept, file, hash)
	}
	return t, nil
}

func tell(fn func(file, hash string), file, hash string) {
	if fn != nil {
		fn(file, hash)
	}
}

// keyOf hashes what values depend on.
func keyOf(w *lab.World, metric string, o measure.TruthOptions) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%g\n%t\n%t", storeVersion, w.Graph.Checksum(), metric, o.Follow, o.SelfLinks, o.Remote))
	return hex.EncodeToString(sum[:])
}

// save writes importance to a file and returns its hash.
func save(file, key string, t *measure.Truth) (string, error) {
	head, err := json.Marshal(stored{storeVersion, key, t.Metric, len(t.Value), t.Pages, t.MeanScale, t.Bound})
	if err != nil {
		return "", err
	}
	b := append(append(bytes.Clone(storeMagic), head...), '\n')
	for _, v := range t.Value {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	sum := sha256.Sum256(b)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".oracle-")
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name()) // without effect once it has its name
	_, err = temp.Write(append(b, sum[:]...))
	if err = errors.Join(err, temp.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:]), os.Rename(temp.Name(), file)
}

// errDamaged reports a file that is not what save wrote for the key.
var errDamaged = errors.New("not the importance that was kept")

// load reads what save wrote for a key.
func load(file, key string) (*measure.Truth, string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	body, ok := bytes.CutPrefix(b, storeMagic)
	if !ok || len(body) < sha256.Size {
		return nil, "", errDamaged
	}
	body = body[:len(body)-sha256.Size]
	sum := sha256.Sum256(b[:len(b)-sha256.Size])
	head, values, ok := bytes.Cut(body, []byte("\n"))
	var h stored
	if !ok || !bytes.Equal(sum[:], b[len(b)-sha256.Size:]) || json.Unmarshal(head, &h) != nil {
		return nil, "", errDamaged
	}
	if h.Version != storeVersion || h.Key != key || len(values) != 8*h.Values {
		return nil, "", errDamaged
	}
	t := &measure.Truth{Metric: h.Metric, Pages: h.Pages, MeanScale: h.MeanScale, Bound: h.Bound, Value: make([]float64, h.Values)}
	for i := range t.Value {
		t.Value[i] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
	}
	return t, hex.EncodeToString(sum[:]), nil
}
