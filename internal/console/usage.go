package console

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/internal/manual"
)

// FirstFlags is the heading of the flags that most people need.
const FirstFlags = manual.FirstFlags

// SetGroup lists flags under a heading.
func SetGroup(flags *pflag.FlagSet, group string, names ...string) {
	manual.SetGroup(flags, group, names...)
}

// GroupUsage makes the help of a command list its flags in groups.
func GroupUsage(u *UI, cmd *cobra.Command) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		text := fmt.Sprintf("Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		for _, g := range manual.Groups(cmd) {
			if g.Flags.HasAvailableFlags() {
				text += "\n" + g.Heading + ":\n" + strings.TrimRight(g.Flags.FlagUsagesWrapped(u.HelpWidth()), " \n") + "\n"
			}
		}
		_, err := fmt.Fprint(cmd.OutOrStderr(), text)
		return err
	})
}

// HelpWidth returns the number of columns for the descriptions of flags.
func (u *UI) HelpWidth() int {
	const least, normal, most = 60, 100, 120 // longer lines are hard to read
	if u.Stdout.terminal == nil {
		return normal
	}
	return min(max(Width(u.Stdout.terminal), least), most)
}

// usageTemplate returns cobra's template with some changes: commands that hold others run only
// to answer a wrong verb and have no use line for that, descriptions of flags are wrapped, and
// topics are listed as they are asked for.
func usageTemplate(u *UI, root *cobra.Command) string {
	return strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}",
		"{{rpad .CommandPath .CommandPathPadding}}", "{{.Root.Name}} help {{rpad .Name 10}}",
		"Additional Commands:", "Other commands:", "Available Commands:", "Commands:", "Global Flags:", "Global flags:",
		".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", u.HelpWidth()),
	).Replace(root.UsageTemplate())
}
