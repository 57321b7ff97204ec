package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// keyTable is the reference of all keys, as docs/cli.md has it (W24).
func keyTable() string {
	c := config.Default()
	var b strings.Builder
	b.WriteString("| key | flag | default | meaning |\n|---|---|---|---|\n")
	for _, k := range c.Keys() {
		flag, value := "`"+flagOf(k)+"`", "`"+k.String()+"`"
		if flag == "``" {
			flag = "`SEED...`"
		}
		if value == "``" {
			value = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, flag, value, strings.ReplaceAll(k.Help, "|", `\|`))
	}
	return b.String()
}

// siteTable is the reference of the keys of [[site]] tables.
func siteTable() string {
	var b strings.Builder
	b.WriteString("| key | example | meaning |\n|---|---|---|\n")
	for _, k := range config.SiteKeys() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", k.Name, k.Example, k.Help)
	}
	return b.String()
}

var update = flag.Bool("update", false, "rewrite the table of keys in docs/cli.md")

// TestKeysInDocs: the reference is made from the configuration, and cannot lack a key.
func TestKeysInDocs(t *testing.T) {
	tableInDocs(t, "#### Keys\n", "\nExceptions for some sites", keyTable())
	tableInDocs(t, "has the value for all sites:\n\n", "\n### config", siteTable())
}

// tableInDocs compares the text between two others in docs/cli.md.
func tableInDocs(t *testing.T, begin, end, want string) {
	t.Helper()
	name := filepath.Join("..", "..", "docs", "cli.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	table, after, ends := strings.Cut(rest, end)
	switch {
	case !found || !ends:
		t.Error("docs/cli.md has no table of keys")
	case *update:
		text := before + begin + want + end + after
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	case table != want:
		t.Errorf("docs/cli.md does not have the keys of today; go test ./cmd/winnow -run KeysInDocs -update writes this table:\n%s", want)
	}
}
