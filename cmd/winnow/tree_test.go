package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestNearest(t *testing.T) {
	names := []string{"import", "export", "generate", "stats", "links", "extract"}
	for typed, want := range map[string]string{
		"improt": "import", // neighbours swapped
		"imort":  "import",
		"exprt":  "export",
		"stat":   "stats",
		"link":   "links",
		"gen":    "generate", // a beginning
		"extr":   "extract",
		"import": "import",
		"IMPORT": "import", // whatever the case
		"Gen":    "generate",
		"xyzzy":  "",
		"i":      "",
		"":       "",
	} {
		if got, ok := nearest(typed, names); got != want || ok != (want != "") {
			t.Errorf("nearest(%q) = %q, %v, want %q", typed, got, ok, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "acb", 1}, {"ab", "ba", 1}, {"abcd", "badc", 2},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2},
	} {
		if got := edits(test.a, test.b); got != test.want {
			t.Errorf("edits(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := edits(test.b, test.a); got != test.want {
			t.Errorf("edits(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

func TestExactly(t *testing.T) {
	cmd := &cobra.Command{Use: "links"}
	two := exactly("GRAPH", "URL")
	for _, test := range []struct {
		check cobra.PositionalArgs
		args  []string
		want  string
	}{
		{two, []string{"g", "u"}, ""},
		{two, nil, "links needs GRAPH and URL"},
		{two, []string{"g"}, "links needs URL"},
		{two, []string{"g", "u", "x"}, `links takes GRAPH and URL only, got also "x"`},
		{exactly(), nil, ""},
		{exactly(), []string{"x"}, `links takes no arguments, got "x"`},
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
	u := &ui{args: []string{"rank", "--flow=0.9", "my graph", "--flow", "it's", "$HOME"}}
	want := `winnow rank --follow=0.9 'my graph' --flow 'it'\''s' '$HOME'`
	if got := u.commandLine("--flow", "--follow"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHelpOfEveryVerb: every command has a line that says what it does, in the
// form of ui.go, and every verb of ours has an example.
func TestHelpOfEveryVerb(t *testing.T) {
	u := newUI(nil, nil, nil)
	root := newRootCommand(u)
	adoptTree(u, root)
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

// TestExitCodesInDocs: the handbook says what the command says.
func TestExitCodesInDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), exitCodesHelp) {
		t.Error("docs/cli.md does not hold the text of `winnow help exit-codes`")
	}
}
