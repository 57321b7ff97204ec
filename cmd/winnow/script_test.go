package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

// TestMain makes this test binary answer to the names of commands, so that scripts
// run the real main in a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"winnow":       main,
		"winnow-waits": mainThatWaits,
	})
}

// TestScripts runs testdata/*.txtar: what a user types, and what winnow answers and
// ends with. `go test ./cmd/winnow -run Scripts/NAME` runs one; add -v to read it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits is the script command `exits CODE COMMAND ARG...`: it runs the command and
// fails unless it ends with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// mainThatWaits is winnow with one more verb, which works until it is interrupted.
func mainThatWaits() {
	u := newUI(os.Stdin, os.Stdout, os.Stderr)
	root := newRootCommand(u)
	root.AddCommand(newWaitCommand(u))
	os.Exit(execute(interruptible(), u, root, os.Args[1:]))
}

func newWaitCommand(u *ui) *cobra.Command {
	var stubborn bool
	cmd := &cobra.Command{
		Use: "wait",
		RunE: func(cmd *cobra.Command, _ []string) error {
			u.printf("ready\n")
			<-cmd.Context().Done()
			u.printf("cleaning up\n")
			if stubborn {
				_, err := u.stdin.Read(make([]byte, 1)) // never answered
				return err
			}
			return cmd.Context().Err()
		},
	}
	cmd.Flags().BoolVar(&stubborn, "stubborn", false, "clean up without an end")
	return cmd
}
