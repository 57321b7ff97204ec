package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Marks of a part of a page that is made from the commands.
const (
	madeBegin = "<!-- made: "
	madeEnd   = "<!-- end -->\n"
)

// Remake returns a page in which each part between <!-- made: NAME --> and <!-- end --> is what
// made returns for the name.
func Remake(page string, made func(name string) (string, error)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(page, madeBegin)
		if b.WriteString(before); !found {
			return b.String(), nil
		}
		name, rest, _ := strings.Cut(rest, " -->\n")
		_, after, ends := strings.Cut(rest, madeEnd)
		if !ends {
			return "", fmt.Errorf("the part %q has no end", name)
		}
		text, err := made(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s%s -->\n%s%s", madeBegin, name, text, madeEnd)
		page = after
	}
}

// Find returns the command with a path such as "graph import", nil if there is none.
func Find(root *cobra.Command, path string) *cobra.Command {
	if cmd, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
		return cmd
	}
	return nil
}

// VerbTable returns the verbs of a tree of commands as a table of Markdown.
func VerbTable(root *cobra.Command) string {
	rows := [][]string{{"verb", "what it does"}}
	for _, cmd := range commands(root) {
		name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if cmd.Runnable() && len(below(cmd)) == 0 && !strings.HasPrefix(name, "completion ") {
			rows = append(rows, []string{code(name), cmd.Short})
		}
	}
	return markdown(rows)
}

// FlagTable returns flags as a table of Markdown, except those that skip reports.
func FlagTable(flags *pflag.FlagSet, skip func(*pflag.Flag) bool) string {
	rows := [][]string{{"flag", "default", "meaning"}}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || skip != nil && skip(f) {
			return
		}
		name, usage, normal := flagParts(f)
		rows = append(rows, []string{code(name), code(normal), usage})
	})
	if len(rows) == 1 {
		return ""
	}
	return markdown(rows)
}

// code returns a text as code of Markdown.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// markdown returns a table; the first row has the names of the columns.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for j := range row {
			row[j] = strings.ReplaceAll(row[j], "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
