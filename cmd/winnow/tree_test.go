package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/manual"
)

func TestExactly(t *testing.T) {
	cmd := &cobra.Command{Use: "links"}
	two := console.Exactly("GRAPH", "URL")
	for _, test := range []struct {
		check cobra.PositionalArgs
		args  []string
		want  string
	}{
		{two, []string{"g", "u"}, ""},
		{two, nil, "links needs GRAPH and URL"},
		{two, []string{"g"}, "links needs URL"},
		{two, []string{"g", "u", "x"}, `links takes GRAPH and URL only, got also "x"`},
		{console.Exactly(), nil, ""},
		{console.Exactly(), []string{"x"}, `links takes no arguments, got "x"`},
	} {
		got := ""
		if err := test.check(cmd, test.args); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.args, got, test.want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	u := &console.UI{Args: []string{"rank", "--flow=0.9", "my graph", "--flow", "it's", "$HOME"}}
	want := `winnow rank --follow=0.9 'my graph' --flow 'it'\''s' '$HOME'`
	if got := u.CommandLine("--flow", "--follow"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHelpOfEveryVerb: every command has a line that says what it does, in the
// form of package console, and every verb of ours has an example.
func TestHelpOfEveryVerb(t *testing.T) {
	u := console.New(nil, nil, nil)
	root := newRootCommand(u)
	console.AdoptTree(u, root)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help %q", cmd.CommandPath(), cmd.Short)
		}
		isVerb := cmd.Runnable() && !cmd.HasSubCommands() && cmd.Parent().Name() != "completion"
		if isVerb && !strings.Contains(cmd.Example, "winnow "+cmd.Name()) && !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s: no example", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// eachVerb calls fn for each command of ours that can be run.
func eachVerb(t *testing.T, fn func(cmd *cobra.Command)) {
	t.Helper()
	u := console.New(nil, nil, nil)
	root := newRootCommand(u)
	console.AdoptTree(u, root)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" {
			return
		}
		fn(cmd)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// TestNearFlags: whatever the verb, a flag that lacks its last letter, or that has one dash
// too few, has a flag of that verb as a suggestion.
func TestNearFlags(t *testing.T) {
	flags := 0
	eachVerb(t, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			flags++
			for _, typed := range []string{"--" + f.Name[:len(f.Name)-1], "-" + f.Name, "--" + f.Name[:len(f.Name)-1] + "=3"} {
				near := strings.TrimPrefix(console.NearFlag(typed, cmd), "--")
				if len(f.Name) > 2 && cmd.Flag(near) == nil {
					t.Errorf("%s %s: %q", cmd.CommandPath(), typed, near)
				}
			}
		})
	})
	if flags < 200 {
		t.Errorf("%d flags are no test", flags)
	}
	u := &console.UI{}
	crawl := newCrawlCommand(u)
	for typed, want := range map[string]string{
		"--max-dept": "--max-depth", "--depth": "--max-depth", "--max-pages": "--pages", "-pages=3": "--pages",
		"--no-robots": "--robots=false", "--no-pages": "--pages", "--frobnicate": "", "-x": "",
	} {
		if got := console.NearFlag(typed, crawl); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// TestHelpDefaults: no help shows a default without a value, and no line is wider than a
// terminal of 100 columns.
func TestHelpDefaults(t *testing.T) {
	eachVerb(t, func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		for line := range strings.Lines(must(t, args...)) {
			if strings.Contains(line, "(default )") || strings.Contains(line, "(default [])") || strings.Contains(line, `(default "")`) {
				t.Errorf("%s: %s", cmd.CommandPath(), line)
			}
			if n := utf8.RuneCountInString(line); n > 101 && strings.HasPrefix(line, "      ") && len(strings.Fields(line)) > 1 {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	})
}

// TestCrawlGroups: the help of a crawl begins with the ten flags that people need first, then
// has the sections of the configuration, and each flag once.
func TestCrawlGroups(t *testing.T) {
	groups := manual.Groups(newCrawlCommand(console.New(nil, nil, nil)))
	n := 0
	groups[0].Flags.VisitAll(func(*pflag.Flag) { n++ })
	if groups[0].Heading != console.FirstFlags || n != 10 {
		t.Errorf("%d flags under %q", n, groups[0].Heading)
	}
	help := must(t, "crawl", "--help")
	c := config.Default()
	for _, k := range c.Keys() {
		heading, _, _ := strings.Cut(k.Section, ":")
		if k.Section != "" && strings.Count(help, "\n"+heading+":\n") != 1 {
			t.Errorf("no heading %q", heading)
		}
		if flag := "\n      --" + k.Flag() + " "; k.Name != "seeds" && strings.Count(help, flag) != 1 {
			t.Errorf("%d times %s", strings.Count(help, flag), k.Flag())
		}
	}
	if strings.Index(help, console.FirstFlags) > strings.Index(help, "\nSeeds and limits:\n") {
		t.Error("the first flags are not the first")
	}
}
