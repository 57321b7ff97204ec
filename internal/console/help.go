package console

import (
	"github.com/spf13/cobra"
)

// ExitCodesHelp puts the exit codes of console.go into words; docs/cli.md repeats it, and
// a test compares the two.
const ExitCodesHelp = `winnow ends with one of these exit codes:

  0    success
  1    an error; standard error names the file, flag or site
  2    the command line was wrong; nothing was done
  3    finished, but not everything succeeded: a report was not written,
       one policy of several failed, verify found a violation, a crawl
       has no page at all, explain or pages was given a URL that the
       crawl does not know, cat one of which there is no copy
       (failed pages of a crawl are data, not failures of the command)
  130  interrupted by Ctrl-C or a termination signal, after cleaning up

When standard output is closed early, as in "winnow rank G | head", winnow stops
quietly with 0.`

// NewExitCodesTopic returns a help topic: a command without a run function.
func NewExitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "what the exit codes mean",
		Long:  ExitCodesHelp,
	}
}

// NewHelpCommand returns a replacement of cobra's help, for which an unknown topic is a
// success.
func NewHelpCommand(u *UI) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command | topic]",
		Short:   "help about a command or a topic",
		Example: "  winnow help version\n  winnow help exit-codes",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runHelp(u, cmd.Root(), args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return completeHelp(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func runHelp(u *UI, root *cobra.Command, args []string) error {
	cmd := root
	for _, name := range args {
		sub := child(cmd, name)
		if sub == nil {
			return u.HintWord(Usagef("no help for %q", name), name, topics(cmd), "winnow help lists the commands and topics")
		}
		cmd = sub
	}
	cmd.InitDefaultHelpFlag()
	return cmd.Help()
}

func child(cmd *cobra.Command, name string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if sub.Name() == name || sub.HasAlias(name) {
			return sub
		}
	}
	return nil
}

// topics returns the names that help accepts below a command.
func topics(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

func completeHelp(cmd *cobra.Command, args []string) []string {
	for _, name := range args {
		if cmd = child(cmd, name); cmd == nil {
			return nil
		}
	}
	return topics(cmd)
}
