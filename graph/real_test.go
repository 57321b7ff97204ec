package graph

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/internal/data"
)

// realGraphs are the graphs beside the checkout, with what their README says of
// them.
var realGraphs = []struct {
	edges, urls, nodes string
	pages              int
	links              int64
	sites              int // 0: unknown
}{
	{"cnr-2000/cnr-2000.edges.zst", "", "", 325557, 3216152, 0},
	{"apache-sites/apache-sites.edges.zst", "apache-sites/apache-sites.urls.gz", "", 251863, 5052385, 17},
	{"wb-cs-stanford/wb-cs-stanford.edges.zst", "wb-cs-stanford/wb-cs-stanford.urls.gz", "", 9914, 36854, 21},
	{"hollins/hollins.edges.gz", "hollins/hollins.urls.gz", "", 6012, 23875, 4},
	{"webkb/webkb.edges.zst", "webkb/webkb.urls.gz", "", 8213, 15577, 589},
	{"mdn/mdn-2021-01-01.edges.zst", "mdn/mdn.urls.gz", "mdn/mdn-2021-01-01.nodes.gz", 11585, 83952, 1},
	{"mdn/mdn-2022-01-01.edges.zst", "mdn/mdn.urls.gz", "mdn/mdn-2022-01-01.nodes.gz", 11903, 88925, 1},
	{"mdn/mdn-2023-01-01.edges.zst", "mdn/mdn.urls.gz", "mdn/mdn-2023-01-01.nodes.gz", 11331, 92428, 1},
	{"mdn/mdn-2024-01-01.edges.zst", "mdn/mdn.urls.gz", "mdn/mdn-2024-01-01.nodes.gz", 12028, 100743, 1},
	{"mdn/mdn-2025-01-01.edges.zst", "mdn/mdn.urls.gz", "mdn/mdn-2025-01-01.nodes.gz", 12938, 111382, 1},
	{"mdn/mdn-2026-08-22.edges.zst", "mdn/mdn.urls.gz", "mdn/mdn-2026-08-22.nodes.gz", 14593, 132484, 1},
	{"openbsd/openbsd-2000-01-01.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2000-01-01.nodes.gz", 113, 532, 1},
	{"openbsd/openbsd-2005-01-01.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2005-01-01.nodes.gz", 1845, 13995, 1},
	{"openbsd/openbsd-2010-01-01.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2010-01-01.nodes.gz", 3472, 25790, 1},
	{"openbsd/openbsd-2015-01-01.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2015-01-01.nodes.gz", 3366, 21563, 1},
	{"openbsd/openbsd-2020-01-01.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2020-01-01.nodes.gz", 3684, 24711, 1},
	{"openbsd/openbsd-2024-01-01.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2024-01-01.nodes.gz", 3721, 26614, 1},
	{"openbsd/openbsd-2026-08-22.edges.gz", "openbsd/openbsd.urls.gz", "openbsd/openbsd-2026-08-22.nodes.gz", 3744, 27895, 1},
}

func realFile(t *testing.T, name string) string {
	t.Helper()
	if name == "" {
		return ""
	}
	path, ok := data.File(name)
	if !ok {
		t.Skipf("no real graphs beside the checkout (%s)", name)
	}
	return path
}

var _ = bytes.Equal
var _ = os.ReadFile
var _ = exec.Command

func TestRealGraphs(t *testing.T) {
	for _, rg := range realGraphs {
		t.Run(filepath.Base(rg.edges), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "g.wg")
			rep, err := Import(context.Background(), ImportOptions{
				Edges: realFile(t, rg.edges), URLs: realFile(t, rg.urls), Nodes: realFile(t, rg.nodes),
				WriteOptions: WriteOptions{Path: out},
			})
			if err != nil {
				t.Fatal(err)
			}
			g, err := Open(out)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if g.Pages() != rg.pages || g.Links() != rg.links || rg.sites != 0 && g.Sites() != rg.sites {
				t.Errorf("%d pages, %d links, %d sites; want %d, %d, %d", g.Pages(), g.Links(), g.Sites(), rg.pages, rg.links, rg.sites)
			}
			t.Logf("%+v fwd %.3f bwd %.3f total %.3f urls %.1f B/page", rep, float64(g.Forward().Bytes())*8/float64(g.Links()), float64(g.Backward().Bytes())*8/float64(g.Links()), float64(g.Forward().Bytes()+g.Backward().Bytes())/float64(g.Links()), float64(g.BytesURLs())/float64(g.Pages()))
		})
	}
}
