// Package manual writes the manual of a tree of commands: flags in groups, man pages, completions.
package manual

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupKey is the annotation of a flag that names the heading under which help lists it.
const groupKey = "winnow_group"

// FirstFlags is the heading of the flags that most people need.
const FirstFlags = "The flags that you need first"

// SetGroup lists flags under a heading. It panics if there is no such flag.
func SetGroup(flags *pflag.FlagSet, heading string, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, groupKey, []string{heading}); err != nil {
			panic(err) // a mistake in the command
		}
	}
}

// A Group holds the flags under one heading.
type Group struct {
	Heading string
	Flags   *pflag.FlagSet
}

// Groups returns the flags of a command under their headings, in the order in which they were
// added: the first flags first, those without a group last, then those of all commands.
func Groups(cmd *cobra.Command) []Group {
	newSet := func() *pflag.FlagSet {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.SortFlags = false
		return f
	}
	groups := []Group{{FirstFlags, newSet()}}
	at := map[string]int{FirstFlags: 0}
	others := Group{"Other flags", newSet()}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		names := f.Annotations[groupKey]
		if len(names) == 0 {
			others.Flags.AddFlag(f)
			return
		}
		i, ok := at[names[0]]
		if !ok {
			i = len(groups)
			at[names[0]] = i
			groups = append(groups, Group{names[0], newSet()})
		}
		groups[i].Flags.AddFlag(f)
	})
	return append(groups, others, Group{"Global flags", cmd.InheritedFlags()})
}
