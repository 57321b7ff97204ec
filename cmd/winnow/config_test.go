package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl"
)

// keyTable is the reference of all keys, as docs/cli.md has it (W24).
func keyTable() string {
	c := crawl.Default()
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

// TestKeysInDocs: the reference is made from the configuration, and cannot lack a key.
func TestKeysInDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := keyTable(); !strings.Contains(string(text), want) {
		t.Errorf("docs/cli.md does not have this table:\n%s", want)
	}
}
