package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/internal/console"
)

// Every command and every snippet of the manual is run here. A fenced block says by its first word
// what it is:
//
//	sh       commands: the block is run by sh, and must succeed
//	console  a session: lines that begin with "$ " are run, and each line of the output that is shown
//	         must be printed; numbers may differ, and a line "..." stands for any lines
//	go       a file of Go; with file=NAME it is that file of the repository, else it is compiled
//	toml     a configuration, which winnow must accept
//	usage    synopses: the verbs and flags in them exist
//	text     nothing to run: files, expressions, messages
//
// Before a block, <!-- norun: REASON --> keeps it from being run; the manual may do that mostNorun
// times. Comments that begin with "<!-- run" hold commands that are run and not shown: they make the
// files that a page needs. The blocks of a page run in order in a directory of their own. There,
// https://a.example and https://b.example are small sites on this machine: winnow crawl and winnow
// robots get flags that say where they are, without delays. A crawl that would visit pages again for
// ever ends after three seconds, winnow serve after one and winnow web after thirty, and their ports
// are free ones.

// mostNorun is the largest number of blocks that are not run.
const mostNorun = 10

// A docBlock is a fenced block of a page, or a comment with commands.
type docBlock struct {
	kind string
	file string // of file=NAME
	norun,
	text string
	line int
}

var (
	norunComment = regexp.MustCompile(`^<!-- norun: (.+) -->$`)
	fence        = regexp.MustCompile("^```([a-z]*)(?: file=(\\S+))?$")
)

// readBlocks returns the blocks of a page.
func readBlocks(t *testing.T, name string) (out []docBlock) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	norun := ""
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		end := "```"
		b := docBlock{line: i + 1}
		if m := norunComment.FindStringSubmatch(lines[i]); m != nil {
			norun = m[1]
			continue
		} else if lines[i] == "<!-- run" {
			b.kind, end = "sh", "-->"
		} else if m := fence.FindStringSubmatch(lines[i]); m != nil {
			b.kind, b.file, b.norun = m[1], m[2], norun
		} else {
			if strings.HasPrefix(strings.TrimSpace(lines[i]), "```") {
				t.Errorf("%s:%d: no block begins like this: %s", name, i+1, lines[i])
			}
			continue
		}
		norun = ""
		for i++; i < len(lines) && lines[i] != end; i++ {
			b.text += lines[i] + "\n"
		}
		if i == len(lines) {
			t.Fatalf("%s:%d: a block without an end", name, b.line)
		}
		out = append(out, b)
	}
	return out
}

// manualPages returns the files of the manual.
func manualPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	return append(pages, filepath.Join("..", "..", "README.md"))
}

// TestDocs runs the manual. `go test ./cmd/winnow -run Docs/pages/docs/tutorial` runs a page.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a hundred commands")
	}
	site := newDocSite(t)
	bin := docCommand(t, site)
	norun := 0
	t.Run("pages", func(t *testing.T) {
		for _, page := range manualPages(t) {
			blocks := readBlocks(t, page)
			for _, b := range blocks {
				if b.norun != "" {
					norun++
				}
			}
			t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(page), "../../"), ".md"), func(t *testing.T) {
				t.Parallel()
				p := &docPage{dir: t.TempDir(), bin: bin, ports: strings.NewReplacer(":8080", freePort(t), ":5353", freePort(t))}
				for _, b := range blocks {
					if b.norun != "" {
						continue
					}
					if err := p.check(&b); err != nil {
						t.Fatalf("%s:%d: %v", page, b.line, err)
					}
				}
			})
		}
	})
	if norun > mostNorun {
		t.Errorf("%d blocks are not run, more than %d", norun, mostNorun)
	}
}

// docCommand makes a directory with a command winnow, which is the one of this binary with the flags
// of the documented site.
func docCommand(t *testing.T, site *docSite) (bin string) {
	t.Helper()
	real, err := exec.LookPath("winnow") // package testscript has put it there
	if err != nil {
		t.Fatal(err)
	}
	bin = t.TempDir()
	script := fmt.Sprintf(`#!/bin/sh
end=
case "$*" in *--recrawl*) end="--duration 3s" ;; esac
case "$*" in
web*) exec %[1]s "$@" --duration 30s ;;
serve*) %[1]s "$@" --listen 127.0.0.1:0 & pid=$!; sleep 1; kill -TERM $pid; wait $pid; exit ;;
*s0.example*) ;;
crawl*) exec %[1]s "$@" %[2]s --delay 1ms --delay-factor 0 --ip-delay 0 $end ;;
robots*) exec %[1]s "$@" %[2]s ;;
esac
exec %[1]s "$@"
`, real, site.flags())
	if err := os.WriteFile(filepath.Join(bin, "winnow"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return bin
}

// A docPage is a page whose blocks are run.
type docPage struct {
	dir, bin string
	ports    *strings.Replacer
}

// freePort returns a port that nobody listens on, with a colon.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strings.TrimPrefix(l.Addr().String(), "127.0.0.1")
}

// check runs a block.
func (p *docPage) check(b *docBlock) error {
	switch b.kind {
	case "text":
		if command := commandLine.FindString(b.text); command != "" {
			return fmt.Errorf("a command in a text: %s", command)
		}
		return nil
	case "sh":
		if out, err := p.sh("set -e\n" + b.text); err != nil {
			return fmt.Errorf("%v\n%s%s", err, b.text, out)
		}
		return nil
	case "console":
		return p.session(b.text)
	case "toml":
		if err := os.WriteFile(filepath.Join(p.dir, "block.toml"), []byte(b.text), 0o666); err != nil {
			return err
		}
		if out, err := p.sh("winnow config --config block.toml"); err != nil {
			return fmt.Errorf("%v\n%s", err, out)
		}
		return nil
	case "go":
		return p.goFile(b)
	case "usage":
		return usage(b.text)
	}
	return fmt.Errorf("a block of the kind %q", b.kind)
}

// sh runs commands in the directory of the page.
func (p *docPage) sh(commands string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", p.ports.Replace(commands))
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "PATH="+p.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// number is what may differ between the output of the manual and that of the test.
var number = regexp.MustCompile(`[0-9][0-9.,:]*(e-?[0-9]+)? ?(ms|µs|s|m|h|[KMG]iB|[kMG]|bytes|%)?([0-9]+s)?\b`)

// plainLine returns a line without its numbers and the width of its columns.
func plainLine(line string) string {
	line = strings.ReplaceAll(number.ReplaceAllString(line, "N"), "%", "")
	return strings.Join(strings.Fields(strings.ReplaceAll(line, "─", "")), " ")
}

// session runs the commands of a session, and looks for the lines that are shown.
func (p *docPage) session(text string) error {
	for part := range strings.SplitSeq("\n"+text, "\n$ ") {
		command, shown, _ := strings.Cut(part, "\n")
		if command == "" {
			continue
		}
		out, err := p.sh(command)
		if err != nil {
			return fmt.Errorf("%v\n%s\n%s", err, command, out)
		}
		var printed []string
		for line := range strings.Lines(out) {
			printed = append(printed, plainLine(line))
		}
		for line := range strings.Lines(shown) {
			if want := plainLine(line); want != "" && want != "..." && !slices.Contains(printed, want) {
				return fmt.Errorf("%s does not print\n%s\nbut\n%s", command, line, out)
			}
		}
	}
	return nil
}

// goFile compiles a file, or compares it with one that is compiled elsewhere.
func (p *docPage) goFile(b *docBlock) error {
	root := filepath.Join("..", "..")
	if b.file != "" {
		if text, err := os.ReadFile(filepath.Join(root, b.file)); err != nil || !bytes.Contains(text, []byte(b.text)) {
			return fmt.Errorf("%s does not hold this text (%v)", b.file, err)
		}
		return nil
	}
	file := filepath.Join(p.dir, "block.go")
	if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
		return err
	}
	cmd := exec.Command("go", "vet", file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v\n%s", err, out)
	}
	return nil
}

// commandLine is what a text must not hold, and inlineCommand a command in a sentence.
var (
	commandLine   = regexp.MustCompile(`(?m)^(\$ |winnow (crawl|sim|graph|rank|status|report|lab|web|pages) |make [a-z]|go [a-z]).*$`)
	inlineCommand = regexp.MustCompile("`(winnow [a-z][^`\\\\]*)`")
)

// TestDocsInline: commands in sentences name verbs and flags that exist.
func TestDocsInline(t *testing.T) {
	for _, page := range manualPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inlineCommand.FindAllStringSubmatch(string(text), -1) {
			if err := usage(m[1]); err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
			}
		}
	}
}

var flagInUsage = regexp.MustCompile(`(?:^|[\s\[(|])--?([a-z][a-z-]*)`)

// usage looks for the verbs and the flags of synopses.
func usage(text string) error {
	u := console.New(nil, nil, nil)
	root := newRootCommand(u)
	console.AdoptTree(u, root)
	verb := root
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); words[0] == "winnow" {
			verb, _, _ = root.Find(words[1:])
			if verb == root {
				return fmt.Errorf("no verb: %s", line)
			}
		}
		line, _, _ = strings.Cut(line, "   ") // what follows in its own column is a remark
		for _, m := range flagInUsage.FindAllStringSubmatch(line, -1) {
			if !hasFlag(verb, m[1]) {
				return fmt.Errorf("%s has no flag %s", verb.CommandPath(), m[1])
			}
		}
	}
	return nil
}

func hasFlag(cmd *cobra.Command, name string) bool {
	cmd.InitDefaultHelpFlag()
	find := func(f *pflag.FlagSet) bool {
		return f.Lookup(name) != nil || len(name) == 1 && f.ShorthandLookup(name) != nil
	}
	return find(cmd.Flags()) || find(cmd.InheritedFlags())
}

// TestDocsFinds: each kind of block can fail.
func TestDocsFinds(t *testing.T) {
	p := &docPage{dir: t.TempDir(), bin: docCommand(t, &docSite{}), ports: strings.NewReplacer()}
	for _, b := range []docBlock{
		{kind: "sh", text: "false\ntrue\n"},
		{kind: "console", text: "$ winnow version\nwinnow (devel), without a platform\n"},
		{kind: "console", text: "$ winnow nothing\n"},
		{kind: "toml", text: "page = 3\n"},
		{kind: "go", text: "package main\n\nfunc main() { x }\n"},
		{kind: "go", file: "examples/embed/main.go", text: "package other\n"},
		{kind: "usage", text: "winnow crawl --no-such-flag\n"},
		{kind: "usage", text: "winnow scrawl SEED\n"},
		{kind: "text", text: "some words\nwinnow crawl https://a.example\n"},
		{kind: "", text: "\n"},
	} {
		if p.check(&b) == nil {
			t.Errorf("nothing is wrong with %+v", b)
		}
	}
}

var pageLink = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)#:"]+)(#[^)]*)?[)"]`)

// TestDocsLinks: links between pages lead somewhere, and the index names every page.
func TestDocsLinks(t *testing.T) {
	index := map[string]bool{}
	pages := manualPages(t)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(page), m[1])
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", page, err)
			}
			if page == filepath.Join("..", "..", "docs", "README.md") {
				index[to] = true
			}
		}
	}
	for _, page := range pages {
		if filepath.Base(page) != "README.md" && !index[page] {
			t.Errorf("docs/README.md does not name %s", page)
		}
	}
}
