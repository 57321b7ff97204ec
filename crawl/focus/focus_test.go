package focus

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// written writes a file and returns its name.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMake(t *testing.T) {
	html := "<html><title>Sailing boats</title><p>The boat has a sail. A boat needs wind; the wind fills the sail."
	for _, test := range []struct {
		name  string
		set   func(*config.Config)
		words string // some of the topic
		fail  string // part of the error
		note  string
	}{
		{name: "a query", set: func(c *config.Config) { c.Query = "the order of crawlers" }, words: "order crawler"},
		{name: "several", set: func(c *config.Config) { c.Query = "web crawlers\n\nsoup" }, words: "web crawler soup"},
		{name: "no stems", set: func(c *config.Config) { c.Query, c.Stem = "Crawlers", "none" }, words: "crawlers"},
		{name: "Cyrillic", set: func(c *config.Config) { c.Query, c.Stem = "Поиск страниц", "russian" }, words: "поиск страниц"},
		{name: "Chinese", set: func(c *config.Config) { c.Query = "網頁爬蟲" }, words: "網 頁 爬 蟲"},
		{name: "no words", set: func(c *config.Config) { c.Query = "?!" }, fail: "no words"},
		{name: "stop words", set: func(c *config.Config) { c.Query = "to be or not to be" }, words: "to be or not", note: "most pages"},
		{name: "a file", set: func(c *config.Config) { c.QueryFile = written(t, "q", "# two\nsoup\n\nbread\n") }, words: "soup bread"},
		{name: "an empty file", set: func(c *config.Config) { c.QueryFile = written(t, "q", "# none\n") }, fail: "no query"},
		{name: "no file", set: func(c *config.Config) { c.QueryFile = "/does/not/exist" }, fail: "--query-file"},
		{name: "examples", set: func(c *config.Config) { c.Examples = []string{written(t, "a.html", html)} }, words: "boat sail wind"},
		{name: "no example", set: func(c *config.Config) { c.Examples = []string{"/does/not/exist"} }, fail: "--examples"},
		{name: "an empty example", set: func(c *config.Config) { c.Examples = []string{written(t, "a", "1 2 3")} }, fail: "no words that tell"},
		{name: "no crawl", set: func(c *config.Config) { c.Like = t.TempDir() }, fail: "is not the directory of a crawl"},
		{name: "weights", set: func(c *config.Config) { c.Query, c.IDFFile = "soup", written(t, "i", "Soups\t2.5\n") }, words: "soup"},
		{name: "wrong weights", set: func(c *config.Config) { c.Query, c.IDFFile = "soup", written(t, "i", "soup\t0\n") }, fail: "not above 0"},
		{name: "too many", set: func(c *config.Config) { c.Query, c.Stem = manyWords(), "none" }, fail: "more than 64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := config.Default()
			test.set(&c)
			made, err := Make(t.Context(), &c, "")
			if test.fail != "" {
				if err == nil || !strings.Contains(err.Error(), test.fail) {
					t.Fatalf("error %v, want one with %q", err, test.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range strings.Fields(test.words) {
				if !slices.Contains(made.Terms(), word) {
					t.Errorf("words %q, want %s", made.Terms(), word)
				}
			}
			if slices.Contains(made.Terms(), "the") || test.note != "" && !strings.Contains(strings.Join(made.Notes, ";"), test.note) {
				t.Errorf("words %q, notes %q", made.Terms(), made.Notes)
			}
			if test.name == "weights" && made.Given(0) != 2.5 {
				t.Errorf("the weight is %v", made.Given(0))
			}
		})
	}
}

// manyWords returns more words than a topic can have.
func manyWords() string {
	var b strings.Builder
	for i := range 70 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), 2+i/26) + " ")
	}
	return b.String()
}
