// Package hook runs a command of the user when a crawl run ends.
package hook

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// An End describes how a run of a crawl ended.
type End struct {
	Dir     string
	State   string // finished, paused or, if the run ended with an error before it could say, failed
	Why     string // the reason of a pause, such as pages or stopped, or the text of the error
	Fetched int64
	Exit    int // exit code of winnow
}

// Env returns the variables that the command gets.
func (e *End) Env() []string {
	return []string{
		"WINNOW_DIR=" + e.Dir,
		"WINNOW_STATE=" + e.State,
		"WINNOW_WHY=" + e.Why,
		fmt.Sprintf("WINNOW_FETCHED=%d", e.Fetched),
		fmt.Sprintf("WINNOW_EXIT=%d", e.Exit),
	}
}

// Run runs a command in the shell of the system, with the variables of Env, and waits for it. What
// the command prints goes to out.
func (e *End) Run(command string, out io.Writer) error {
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), e.Env()...)
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}
