package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupKey is the annotation of a flag that names the heading under which help lists it.
const groupKey = "winnow_group"

// firstFlags is the heading of the flags that most people need.
const firstFlags = "The flags that you need first"

// setGroup lists flags under a heading.
func setGroup(flags *pflag.FlagSet, group string, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, groupKey, []string{group}); err != nil {
			panic(err) // no such flag: a mistake in the verb
		}
	}
}

// A flagGroup holds the flags under one heading.
type flagGroup struct {
	heading string
	flags   *pflag.FlagSet
}

// groupsOf returns the flags of a command under their headings, in the order in which they
// were added: the first flags first, those without a group last.
func groupsOf(cmd *cobra.Command) []flagGroup {
	newSet := func() *pflag.FlagSet {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.SortFlags = false
		return f
	}
	groups := []flagGroup{{firstFlags, newSet()}}
	at := map[string]int{firstFlags: 0}
	others := flagGroup{"Other flags", newSet()}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		names := f.Annotations[groupKey]
		if len(names) == 0 {
			others.flags.AddFlag(f)
			return
		}
		i, ok := at[names[0]]
		if !ok {
			i = len(groups)
			at[names[0]] = i
			groups = append(groups, flagGroup{names[0], newSet()})
		}
		groups[i].flags.AddFlag(f)
	})
	return append(groups, others)
}

// groupUsage makes the help of a command list its flags in groups.
func groupUsage(u *ui, cmd *cobra.Command) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		text := fmt.Sprintf("Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		groups := append(groupsOf(cmd), flagGroup{"Global flags", cmd.InheritedFlags()})
		for _, g := range groups {
			if g.flags.HasAvailableFlags() {
				text += "\n" + g.heading + ":\n" + strings.TrimRight(g.flags.FlagUsagesWrapped(u.helpWidth()), " \n") + "\n"
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

// usageTemplate returns cobra's template with two changes: commands that hold others run only
// to answer a wrong verb and have no use line for that, and descriptions of flags are wrapped.
func usageTemplate(u *ui, root *cobra.Command) string {
	return strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}",
		".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", u.helpWidth()),
	).Replace(root.UsageTemplate())
}
