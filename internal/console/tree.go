package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/internal/spelling"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

// AdoptTree applies the rules of console.go to all commands, cobra's own included: cobra
// prints no errors, groups report unknown verbs, and started is set when a verb's own
// code begins.
func AdoptTree(u *UI, root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.DisableSuggestions = true // ours are hints
	root.SetUsageTemplate(usageTemplate(u, root))
	root.SetIn(u.Stdin)
	root.SetOut(u.Stdout)
	root.SetErr(u.Screen.W)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if completion := child(root, "completion"); completion != nil {
		completion.Short = "print a completion script for a shell"
	}
	adopt(u, root)
}

func adopt(u *UI, cmd *cobra.Command) {
	if !cmd.Runnable() && cmd.HasSubCommands() {
		makeGroup(u, cmd)
	}
	if verb := cmd.RunE; verb != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			u.Started = true
			return verb(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		adopt(u, sub)
	}
}

// makeGroup makes a command that only holds others report a missing or an unknown
// verb. Cobra would print the help and call it a success.
func makeGroup(u *UI, cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return UnknownVerb(u, cmd, args[0])
		}
		return WithHint(Usagef("%s needs a verb: %s", cmd.CommandPath(), strings.Join(verbs(cmd), ", ")),
			"try: %s --help", cmd.CommandPath())
	}
}

// Exactly requires one argument for each name. Its error names the one that is
// missing or too many. Verbs use it for Args: Exactly("GRAPH", "URL").
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(names) == 0 && len(args) > 0:
			return fmt.Errorf("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
		case len(args) > len(names):
			return fmt.Errorf("%s takes %s only, got also %q", cmd.CommandPath(), strings.Join(names, " and "), args[len(names)])
		}
		return nil
	}
}

// FirstOf requires an argument; any number may follow.
func FirstOf(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs %s", cmd.CommandPath(), name)
		}
		return nil
	}
}

// Completes offers values of a flag to the shell.
func Completes(cmd *cobra.Command, flag string, values ...string) {
	fixed := cobra.FixedCompletions(values, cobra.ShellCompDirectiveDefault)
	if err := cmd.RegisterFlagCompletionFunc(flag, fixed); err != nil {
		panic(err) // no such flag: a mistake in the verb
	}
}

// verbs returns the names of the commands below cmd that a user may type.
func verbs(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return names
}

func UnknownVerb(u *UI, cmd *cobra.Command, name string) error {
	err := Usagef("unknown command %q for %q", name, cmd.CommandPath())
	for _, group := range cmd.Commands() {
		if verb := child(group, name); verb != nil && group.Name() != "completion" {
			return WithHint(err, "did you mean %s? try: %s", verb.CommandPath(), u.CommandLine(name, group.Name()+" "+name))
		}
	}
	return u.HintWord(err, name, verbs(cmd), cmd.CommandPath()+" --help lists the commands")
}

// AsUsage turns what cobra found wrong before a verb began into a usage error with
// a hint.
func AsUsage(u *UI, root *cobra.Command, err error) error {
	cmd, rest, findErr := root.Find(u.Args)
	if findErr != nil {
		cmd = root
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return UnknownVerb(u, cmd, rest[0]) // whose flags are not those of the group
	}
	err = Usage(PlainExclusion(err))
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		wrong := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			wrong = "-" + short
		}
		if right := NearFlag(wrong, cmd); right != "" {
			return WithHint(err, "did you mean %s? try: %s", right, u.CommandLine(flagName(wrong), right))
		}
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) { // a flag with completions takes one of them
		if complete, ok := cmd.GetFlagCompletionFunc(wrong.GetFlag().Name); ok {
			words, _ := complete(cmd, nil, "")
			return u.WrongWord(wrong.GetFlag().Name, wrong.GetValue(), words)
		}
	}
	return WithHint(err, "try: %s --help", cmd.CommandPath())
}

// flagName returns a flag as it was typed, without its value.
func flagName(typed string) string {
	name, _, _ := strings.Cut(typed, "=")
	return name
}

// NearFlag returns the flag of a command that the user most likely meant, "" if there is
// none. -pages is --pages, --no-traps is --traps=false, and --depth is --max-depth.
func NearFlag(typed string, cmd *cobra.Command) string {
	name := strings.TrimLeft(flagName(typed), "-")
	if positive, ok := strings.CutPrefix(name, "no-"); ok {
		if f := cmd.Flag(positive); f != nil && f.Value.Type() == "bool" {
			return "--" + positive + "=false"
		}
	}
	if len(name) < 2 {
		return "" // a letter is near to everything
	}
	names := FlagNames(cmd)
	near, ok := spelling.Nearest(name, names)
	if !ok {
		near, ok = spelling.SharesWords(name, names)
	}
	if !ok {
		return ""
	}
	return "--" + near
}

// PlainExclusion rewords Cobra's error about flags that exclude each other. Cobra has no
// type for this error, only a text: "if any flags in the group [follow jump] are set
// none of the others can be; [follow jump] were all set".
func PlainExclusion(err error) error {
	text, ok := strings.CutSuffix(err.Error(), "] were all set")
	at := strings.LastIndex(text, "none of the others can be; [")
	if !ok || at < 0 {
		return err
	}
	flags := strings.Fields(text[strings.LastIndexByte(text, '[')+1:])
	return fmt.Errorf("--%s exclude each other", strings.Join(flags, " and --"))
}

// FlagNames returns the names of the flags of a command.
func FlagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}

// CommandLine returns the command line with one word, or the name of one flag,
// corrected. One word may become several.
func (u *UI) CommandLine(wrong, right string) string {
	words := append([]string{"winnow"}, u.Args...)
	for i, word := range u.Args {
		name, value, isSet := strings.Cut(word, "=")
		if word == wrong {
			words = slices.Replace(words, i+1, i+2, strings.Fields(right)...)
			break
		}
		if isSet && name == wrong {
			if words[i+1] = right; !strings.Contains(right, "=") {
				words[i+1] += "=" + value
			}
			break
		}
	}
	return terminal.Command(words...)
}

// WithFlag returns the command line with a flag set to a value: in its place if it is
// there already, else at the end.
func (u *UI) WithFlag(flag, value string) string {
	words := append([]string{"winnow"}, u.Args...)
	for i, word := range words {
		if word == flag && i+1 < len(words) {
			words[i+1] = value
			return terminal.Command(words...)
		}
		if strings.HasPrefix(word, flag+"=") {
			words[i] = flag + "=" + value
			return terminal.Command(words...)
		}
	}
	words = append(words, flag)
	if value != "" {
		words = append(words, value)
	}
	return terminal.Command(words...)
}

// WithoutFlag returns the command line without a flag and its value.
func (u *UI) WithoutFlag(flag string) string {
	words := []string{"winnow"}
	for i := 0; i < len(u.Args); i++ {
		switch {
		case u.Args[i] == flag:
			i++ // and its value
		case !strings.HasPrefix(u.Args[i], flag+"="):
			words = append(words, u.Args[i])
		}
	}
	return terminal.Command(words...)
}

// HintFlag adds the value of a flag that the user most likely meant to an error.
func (u *UI) HintFlag(err error, flag, typed string, values []string) error {
	if near, ok := spelling.Nearest(typed, values); ok {
		return WithHint(err, "try: %s", u.WithFlag(flag, near))
	}
	return err
}

// WrongWord returns the error about a flag that takes one word of several.
func (u *UI) WrongWord(flag, typed string, words []string) error {
	return u.HintFlag(Usagef("--%s %q: want %s", flag, typed, OrList(words)), "--"+flag, typed, words)
}

// HintWord adds the word that the user most likely meant to an error, or else another hint.
func (u *UI) HintWord(err error, typed string, words []string, otherwise string) error {
	if near, ok := spelling.Nearest(typed, words); ok {
		otherwise = fmt.Sprintf("did you mean %s? try: %s", near, u.CommandLine(typed, near))
	}
	return WithHint(err, "%s", otherwise)
}
