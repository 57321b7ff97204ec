package gather

import (
	"bufio"
	"compress/gzip"
	"os"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/data"
)

// TestRealTraps: the rules find the known traps among 1,001 URLs of a host that had them,
// and at most one in a thousand among the pages of real graphs, which people crawled and
// kept (W27). Of 334 traps 331 are left in normal form: the other three repeat ".." and
// nothing else. The data lie beside the checkout; TestTraps needs none.
func TestRealTraps(t *testing.T) {
	const known = 331
	for _, set := range [][]string{
		{"trap-urls", "trap-urls.txt.gz"}, {"apache-sites", "apache-sites.urls.gz"}, {"hollins", "hollins.urls.gz"},
		{"mdn", "mdn.urls.gz"}, {"openbsd", "openbsd.urls.gz"}, {"wb-cs-stanford", "wb-cs-stanford.urls.gz"},
	} {
		name, ok := data.File(set...)
		if !ok {
			t.Skip("no real URLs beside the checkout")
		}
		urls, traps := countTraps(t, name)
		t.Logf("%s: %d of %d", set[0], traps, urls)
		if set[0] == "trap-urls" && traps != known || set[0] != "trap-urls" && traps*1000 > urls {
			t.Errorf("%s: %d of %d URLs look like traps", set[0], traps, urls)
		}
	}
}

func countTraps(t *testing.T, name string) (urls, traps int) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var r page.Resolver
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		url, v := r.Resolve(nil, lines.Bytes())
		if !v.Usable() {
			continue
		}
		urls++
		if site, _ := page.Site(url); isTrap(url, len(site)) {
			traps++
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return urls, traps
}
