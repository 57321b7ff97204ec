package oracle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

func testWorld(t *testing.T, seed uint64) *lab.World {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: 300, Sites: 5, Links: 2000, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "web.wg")
	if err := graph.Write(context.Background(), graph.Source{Pages: 300, Lists: web.Each, URLs: web.EachURL}, graph.WriteOptions{Path: path}); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	w := lab.NewWorld("web", g, false, 1)
	t.Cleanup(w.Free)
	return w
}

// TestStore computes importance once for a graph, metric and options; a damaged file, another graph
// and another metric are computed. The hash that is told is that of the file.
func TestStore(t *testing.T) {
	w, dir := testWorld(t, 1), t.TempDir()
	var used, kept []string
	store := &Store{Dir: dir, Used: func(_, hash string) { used = append(used, hash) }, Kept: func(_, hash string) { kept = append(kept, hash) }}
	get := func(w *lab.World, metric string, o measure.TruthOptions) *measure.Truth {
		t.Helper()
		truth, err := (&Source{Name: metric, Store: store}).Of(w, o)
		if err != nil {
			t.Fatal(err)
		}
		return truth
	}
	first := get(w, "pagerank", measure.TruthOptions{})
	again := get(w, "pagerank", measure.TruthOptions{})
	if len(kept) != 1 || len(used) != 1 || kept[0] != used[0] || !slices.Equal(first.Value, again.Value) || again.Bound != first.Bound || !again.MeanScale || again.Pages != 300 {
		t.Fatalf("kept %v, used %v", kept, used)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.oracle"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(b[:len(b)-sha256.Size]); hex.EncodeToString(sum[:]) != kept[0] || !bytes.Equal(sum[:], b[len(b)-sha256.Size:]) {
		t.Error("the hash is not that of the file")
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(files[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	if healed := get(w, "pagerank", measure.TruthOptions{}); len(kept) != 2 || !slices.Equal(first.Value, healed.Value) {
		t.Errorf("a damaged file was used: kept %d times", len(kept))
	}
	get(testWorld(t, 2), "pagerank", measure.TruthOptions{})
	get(w, "hits-authority", measure.TruthOptions{})
	get(w, "pagerank", measure.TruthOptions{Follow: 0.5})
	if len(kept) != 5 || len(used) != 1 {
		t.Errorf("kept %d times and used %d times, want 5 and 1", len(kept), len(used))
	}
	get(w, "pagerank", measure.TruthOptions{Within: []graph.Page{0, 1, 2}})
	store.Least = 10_000
	get(w, "backlinks", measure.TruthOptions{})
	if len(kept) != 5 {
		t.Error("a part of a graph, or a small graph, was kept")
	}
	store.Dir, store.Least = files[0], 0 // not a directory
	if blocked := get(w, "pagerank", measure.TruthOptions{}); !slices.Equal(first.Value, blocked.Value) {
		t.Error("importance depends on whether it can be kept")
	}
}
