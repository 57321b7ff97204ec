package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/internal/manual"
)

// firstFlags is the heading of the flags that most people need.
const firstFlags = manual.FirstFlags

// setGroup lists flags under a heading.
func setGroup(flags *pflag.FlagSet, group string, names ...string) {
	manual.SetGroup(flags, group, names...)
}

// groupUsage makes the help of a command list its flags in groups.
func groupUsage(u *ui, cmd *cobra.Command) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		text := fmt.Sprintf("Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		for _, g := range manual.Groups(cmd) {
			if g.Flags.HasAvailableFlags() {
				text += "\n" + g.Heading + ":\n" + strings.TrimRight(g.Flags.FlagUsagesWrapped(u.helpWidth()), " \n") + "\n"
			}
		}
		_, err := fmt.Fprint(cmd.OutOrStderr(), text)
		return err
	})
}

// helpWidth returns the number of columns for the descriptions of flags.
func (u *ui) helpWidth() int {
	const least, normal, most = 60, 100, 120 // longer lines are hard to read
	if u.stdout.terminal == nil {
		return normal
	}
	return min(max(terminalWidth(u.stdout.terminal), least), most)
}

// usageTemplate returns cobra's template with some changes: commands that hold others run only
// to answer a wrong verb and have no use line for that, descriptions of flags are wrapped, and
// topics are listed as they are asked for.
func usageTemplate(u *ui, root *cobra.Command) string {
	return strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}",
		"{{rpad .CommandPath .CommandPathPadding}}", "{{.Root.Name}} help {{rpad .Name 10}}",
		"Additional Commands:", "Other commands:", "Available Commands:", "Commands:", "Global Flags:", "Global flags:",
		".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", u.helpWidth()),
	).Replace(root.UsageTemplate())
}
