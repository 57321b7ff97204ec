package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Write writes the man pages of a tree of commands to DIR/man1, and the completions of bash, zsh and
// fish to DIR/completions.
func Write(root *cobra.Command, dir, version string) error {
	man, completions := filepath.Join(dir, "man1"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return err
		}
	}
	for _, cmd := range commands(root) {
		if err := os.WriteFile(filepath.Join(man, title(cmd)+".1"), []byte(Page(cmd, version)), 0o666); err != nil {
			return err
		}
	}
	for name, write := range map[string]func(io.Writer) error{
		"winnow.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_winnow":     root.GenZshCompletion,
		"winnow.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
	} {
		if err := writeFile(filepath.Join(completions, name), write); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// commands returns a command and all below it that help lists.
func commands(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, sub := range below(cmd) {
		out = append(out, commands(sub)...)
	}
	return out
}

// below returns the commands and topics that help lists under a command.
func below(cmd *cobra.Command) (out []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			out = append(out, sub)
		}
	}
	return out
}

// title returns the name of the man page of a command, such as winnow-graph-import.
func title(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// Page returns the man page of a command in the man language of troff.
func Page(cmd *cobra.Command, version string) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"winnow\"\n", strings.ToUpper(title(cmd)), "winnow "+version)
	b.WriteString(".ad l\n") // words are not spread over the line
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", text(title(cmd)), text(cmd.Short))
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", text(cmd.UseLine()))
	}
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + literal(cmd.Long))
	}
	if subs := below(cmd); len(subs) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range subs {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", text(sub.CommandPath()), text(sub.Short))
		}
	}
	for _, g := range Groups(cmd) {
		if g.Flags.HasAvailableFlags() {
			fmt.Fprintf(&b, ".SH %q\n", strings.ToUpper(g.Heading))
			g.Flags.VisitAll(func(f *pflag.Flag) { b.WriteString(flag(f)) })
		}
	}
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + literal(cmd.Example))
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH \"SEE ALSO\"\n.BR %s (1)\n", text(title(cmd.Parent())))
	}
	return b.String()
}

// flag returns the paragraph of a flag.
func flag(f *pflag.Flag) string {
	if f.Hidden {
		return ""
	}
	name, usage, normal := flagParts(f)
	if normal != "" {
		usage += " (default " + normal + ")"
	}
	return fmt.Sprintf(".TP\n.B %s\n%s\n", text(name), text(usage))
}

// flagParts returns a flag with its kind of value, its meaning, and its default, "" if that is
// nothing.
func flagParts(f *pflag.Flag) (name, usage, normal string) {
	value, usage := pflag.UnquoteUsage(f)
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "[]", "0s":
		return name, usage, ""
	}
	return name, usage, strings.TrimSuffix(strings.TrimPrefix(f.DefValue, "["), "]")
}

// literal returns lines that are printed as they are.
func literal(lines string) string {
	out := ".nf\n"
	for line := range strings.Lines(strings.TrimRight(lines, "\n") + "\n") {
		out += text(line)
	}
	return out + ".fi\n"
}

// text returns a line in which nothing is a command of troff.
func text(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
