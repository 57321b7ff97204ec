// Command winnow crawls the Web importance first and studies crawls in a
// laboratory.
//
// How the command is put together: main builds a console.UI (the streams, the common
// flags, every message a user sees) and a tree of cobra commands. One file
// holds one verb and has the same three parts in each:
//
//	type statsOptions struct{ ... }                     // the flags, commented
//	func newStatsCommand(u *console.UI) *cobra.Command  // use line, help, examples, flags
//	func runStats(ctx context.Context, u *console.UI, opt *statsOptions, args []string) error
//
// A verb is plugged in by a word in newRootCommand (or in the constructor of
// its group, such as graphs.NewCommand). It prints results with u.Printf, u.JSON or a
// table, or to what -o names (result.Create), notes with u.Notef, shows long work
// with newProgress, and returns an error for everything else: plain (exit 1),
// console.Usagef (2), console.Missingf (3), or any of them with a hint (console.WithHint).
// The context given to the command ends at Ctrl-C; a verb then cleans up and returns its
// error. console.AdoptTree makes every error before a verb's run function starts a usage
// error. A command without a run function is a group; for an unknown verb of it AdoptTree
// proposes the nearest name.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/console"
)

func main() {
	// A reader that goes away (`winnow rank G | head`) and a limit on file sizes must
	// reach us as failed writes, so that temporary files are removed, not as signals
	// that kill.
	signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ)
	// net/http logs servers that send data without a request. A server could fill the
	// output with such messages.
	log.SetOutput(io.Discard)
	u := console.New(os.Stdin, os.Stdout, os.Stderr)
	os.Exit(execute(interruptible(u), u, newRootCommand(u), os.Args[1:]))
}

// echo is the time after a SIGTERM in which another one counts as the same: timeout(1) and
// others send it to a process and to its group.
const echo = 300 * time.Millisecond

// interruptible returns a context that ends at the first Ctrl-C, so that the verb can
// clean up. The second Ctrl-C ends the process at once.
func interruptible(u *console.UI) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first, at := <-signals, time.Now()
		cancel()
		for again := range signals {
			if again != first || again != syscall.SIGTERM || time.Since(at) > echo {
				u.Leave()
				os.Exit(console.ExitInterrupted)
			}
		}
	}()
	return ctx
}

// execute runs one command line on a tree of commands and returns the exit code.
func execute(ctx context.Context, u *console.UI, root *cobra.Command, args []string) int {
	console.AdoptTree(u, root)
	u.Args = args
	root.SetArgs(args)
	err := func() (err error) {
		defer recoverCorrupt(&err)
		return root.ExecuteContext(ctx)
	}()
	if err == nil {
		err = u.Stdout.Err() // a result that could not be written is a failure
	} else if !u.Started {
		err = console.AsUsage(u, root, err)
	}
	return u.Finish(ctx, err)
}

// recoverCorrupt turns the panic of a reader into an error. Readers have no errors: if a
// graph file passes its checksums and is still not one (made to deceive, or changed while
// it is mapped), they panic with a CorruptError.
func recoverCorrupt(err *error) {
	if e := recover(); e != nil {
		corrupt, ok := e.(*graph.CorruptError)
		if !ok {
			panic(e)
		}
		*err = corrupt
	}
}

// newRootCommand plugs the verbs in.
func newRootCommand(u *console.UI) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "winnow",
		Short: "an importance-first web crawler and its laboratory",
		Long:  rootHelp,
		Example: `  winnow crawl https://a.example --pages 1000 --contact me@example.org
  winnow status a.example.crawl
  winnow report a.example.crawl
  winnow sim a.example.crawl --policy opic,breadth-first
  winnow help exit-codes
  winnow completion bash > /etc/bash_completion.d/winnow`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return console.UnknownVerb(u, cmd, args[0])
			case version:
				return runVersion(u)
			}
			return cmd.Help()
		},
	}
	root.SetHelpCommand(console.NewHelpCommand(u))
	addGroup(root, "To crawl:", newCrawlCommand(u), newStatusCommand(u), newReportCommand(u), newRetryCommand(u), newSplitCommand(u), newConfigCommand(u), newRobotsCommand(u))
	addGroup(root, "To look into a crawl:", newPagesCommand(u), newSitesCommand(u), newExplainCommand(u), newLogCommand(u), newFrontierCommand(u),
		newAdviseCommand(u), newVerifyCommand(u), newServeCommand(u), newUploadCommand(u))
	addGroup(root, "To read what was stored:", newCatCommand(u), newTextCommand(u), newExportArchiveCommand(u))
	addGroup(root, "To crawl on several machines:", newNodeCommand(u), newClusterCommand(u))
	addGroup(root, "To try it out, without the Web:", newDemoCommand(u), newWebCommand(u))
	addGroup(root, "The laboratory:", newSimCommand(u), graphs.NewCommand(u), newRankCommand(u), newLabCommand(u))
	root.AddCommand(console.NewExitCodesTopic(), newManCommand(u), newVersionCommand(u))
	root.Flags().BoolVar(&version, "version", false, "print the version of winnow")
	u.AddCommonFlags(root.PersistentFlags())
	return root
}

// addGroup plugs verbs in, under a heading of the help.
func addGroup(root *cobra.Command, heading string, verbs ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: heading, Title: heading})
	for _, verb := range verbs {
		verb.GroupID = heading
	}
	root.AddCommand(verbs...)
}

const rootHelp = `winnow is a web crawler that fetches the important pages first, and a laboratory
that measures how well it does.

Results go to standard output, everything else to standard error, where each
line begins with "winnow:". With --json a verb prints one object per line.`
