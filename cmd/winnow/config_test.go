package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/manual"
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

var update = flag.Bool("update", false, "make the tables of docs/cli.md anew")

// reference makes a part of docs/cli.md.
func reference(name string) (string, error) {
	u := console.New(nil, nil, nil)
	root := newRootCommand(u)
	console.AdoptTree(u, root)
	switch name {
	case "verbs":
		return manual.VerbTable(root), nil
	case "common flags":
		return manual.FlagTable(root.PersistentFlags(), nil), nil
	case "exit codes":
		return "```text\n" + console.ExitCodesHelp + "\n```\n", nil
	case "keys":
		return keyTable(), nil
	case "site keys":
		return siteTable(), nil
	}
	path, ok := strings.CutPrefix(name, "flags of ")
	cmd := manual.Find(root, path)
	if !ok || cmd == nil {
		return "", fmt.Errorf("there is no %q", name)
	}
	return manual.FlagTable(cmd.LocalFlags(), func(f *pflag.Flag) bool { return path == "crawl" && isKey(f.Name) }), nil
}

// isKey reports whether a flag of winnow crawl is a key of the configuration.
func isKey(flag string) bool {
	c := config.Default()
	return slices.ContainsFunc(c.Keys(), func(k config.Key) bool { return k.Flag() == flag && k.Name != "seeds" })
}

// TestReference: the verbs, flags, keys and exit codes of docs/cli.md are made from what help and
// man pages are made from, and the page has the flags of every verb.
func TestReference(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "cli.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := manual.Remake(string(text), reference)
	switch {
	case err != nil:
		t.Fatal(err)
	case want == string(text):
	case *update:
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/cli.md is not what the commands are; make it anew: go test ./cmd/winnow -run Reference -update")
	}
	eachVerb(t, func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "winnow ")
		if made, err := reference("flags of " + path); err == nil && made != "" && cmd.HasParent() && !strings.Contains(want, "<!-- made: flags of "+path+" -->") {
			t.Errorf("docs/cli.md has no flags of %s", path)
		}
	})
}

// TestReferenceFinds: a page that is not as it is made is found, and a part that cannot be made.
func TestReferenceFinds(t *testing.T) {
	page := "a\n<!-- made: exit codes -->\nold\n<!-- end -->\nb\n"
	if got, err := manual.Remake(page, reference); err != nil || got == page || !strings.Contains(got, "130  interrupted") || !strings.HasPrefix(got, "a\n") || !strings.HasSuffix(got, "\nb\n") {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"<!-- made: verbs -->\n", "<!-- made: flags of nothing -->\n<!-- end -->\n", "<!-- made: what -->\n<!-- end -->\n"} {
		if _, err := manual.Remake(bad, reference); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
