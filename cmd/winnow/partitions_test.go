package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
)

// readsPartitions says how each verb that takes the directory of a crawl is called for one with
// several partitions, DIR, and what it says then: something that only all partitions together say.
// FETCHED is the number of pages that all have fetched, URL one of them.
var readsPartitions = map[string]struct{ args, says string }{
	"status":       {"DIR", "fetched FETCHED "},
	"report":       {"DIR --policy none --out OUT", "pages fetched FETCHED"},
	"retry":        {"DIR --class http-error", "0 pages get another chance"},
	"split":        {"DIR --partitions 2 -o OUT", "has 3 partitions already"},
	"pages":        {"DIR --state fetched --header=false", "LINES"},
	"sites":        {"DIR", "http://s"},
	"explain":      {"DIR URL", "It was fetched"},
	"log":          {"DIR --limit 5", "http://"},
	"frontier":     {"DIR --limit 3", "http://"},
	"advise":       {"DIR", "fetched FETCHED of"},
	"verify":       {"DIR", "sessions"},
	"cat":          {"DIR URL", "<html"},
	"text":         {"DIR", `"url":`},
	"export":       {"DIR --wacz OUT.wacz", "WARC files"},
	"rank":         {"DIR --urls --top 1", "of FETCHED fetched pages"},
	"sim":          {"DIR --policy breadth-first", "breadth-first FETCHED "},
	"graph import": {"--crawl DIR -o OUT.wg", "links"},
}

// The verbs for which that is shown elsewhere, or which take no crawl that exists.
var otherVerbs = map[string]string{
	"serve": "dashboard.TestPartitions", "upload": "testdata/upload.txtar", "crawl": "testdata/crawl-partitions.txtar", "demo": "it makes a crawl", "man": "its DIR is for manual pages",
	"config": "no crawl", "robots": "no crawl", "web": "no crawl", "version": "no crawl", "exit-codes": "no crawl", "winnow": "no crawl", "help": "no crawl",
	"completion": "no crawl", "lab": "no crawl", "lab list": "no crawl", "lab run": "no crawl",
	"node": "crawl/member.TestTogether", "cluster": "no crawl", "cluster adopt": "crawl/move.TestThereAndBack", "cluster gather": "crawl/move.TestThereAndBack",
	"cluster pause": "a crawl of a cluster", "cluster resume": "a crawl of a cluster", "cluster stop": "a crawl of a cluster", "cluster remove": "a crawl of a cluster",
	"graph": "graphs only", "graph compact": "graphs only", "graph export": "graphs only", "graph extract": "graphs only", "graph generate": "graphs only", "graph links": "graphs only", "graph stats": "graphs only",
}

// TestVerbsReadPartitions: every verb that takes the directory of a crawl takes that of one with
// several partitions. A verb that is not listed fails the test.
func TestVerbsReadPartitions(t *testing.T) {
	at, wait := startWeb(t, "--pages", "200", "--sites", "12", "--max-latency", "2ms")
	dir, out := filepath.Join(t.TempDir(), "a.crawl"), t.TempDir()
	if code, _, stderr := tryRun(t.Context(), rudely(at, dir, at.Seeds[0], "--pages", "60", "--partitions", "3", "--scope", "any", "--quiet")...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wait()
	fetched := object[struct{ Fetched int64 }](t, must(t, "status", dir, "--json")).Fetched
	words := strings.NewReplacer("DIR", dir, "URL", at.Seeds[0], "FETCHED", show.Grouped(fetched))
	u := console.New(nil, nil, nil)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			visit(c)
		}
		verb := strings.TrimPrefix(cmd.CommandPath(), "winnow ")
		x, ok := readsPartitions[verb]
		if _, other := otherVerbs[verb]; !ok && !other && !strings.HasPrefix(verb, "completion") {
			t.Errorf("what does winnow %s with several partitions?", verb)
		}
		if !ok {
			return
		}
		args := strings.Fields(words.Replace(strings.ReplaceAll(x.args, "OUT", filepath.Join(out, strings.ReplaceAll(verb, " ", "-")))))
		_, stdout, stderr := tryRun(t.Context(), append(strings.Fields(verb), args...)...)
		text := strings.Join(strings.Fields(stdout+stderr), " ")
		switch want := words.Replace(x.says); {
		case want == "LINES":
			if n := int64(strings.Count(stdout, "\n")); n != fetched {
				t.Errorf("winnow %s: %d lines, want %d\n%s%s", verb, n, fetched, stdout, stderr)
			}
		case !strings.Contains(text, want):
			t.Errorf("winnow %s: no %q in\n%s%s", verb, want, stdout, stderr)
		}
	}
	visit(newRootCommand(u))
}
