package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/internal/console"
)

// tryVerb runs a verb with the given code in-process and gives its exit code and
// what it said on the two streams.
func tryVerb(ctx context.Context, verb func(u *console.UI) error, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	u := console.New(strings.NewReader(""), &out, &errs)
	root := newRootCommand(u)
	root.AddCommand(&cobra.Command{
		Use:  "try",
		RunE: func(*cobra.Command, []string) error { return verb(u) },
	})
	code = execute(ctx, u, root, append([]string{"try"}, args...))
	return code, out.String(), errs.String()
}

// inOrder reports whether a text holds all parts, each behind the one before. Tests
// find a message by what it names, so that its words may change.
func inOrder(text string, parts ...string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// TestExitCodes: every kind of error has its code and its form.
func TestExitCodes(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
		want string
	}{
		{"success", nil, 0, ""},
		{"error", errors.New("open graph \"g\": it is not there"), 1, "winnow: error: open graph \"g\": it is not there\n"},
		{"hint", console.WithHint(errors.New("a"), "try: winnow %s", "b"), 1, "winnow: error: a\nwinnow: hint: try: winnow b\n"},
		{"wrapped hint", fmt.Errorf("import: %w", console.WithHint(errors.New("a"), "b")), 1, "winnow: error: import: a\nwinnow: hint: b\n"},
		{"usage", console.Usagef("--follow %g is above 1", 1.5), 2, "winnow: error: --follow 1.5 is above 1\n"},
		{"usage with hint", console.WithHint(console.Usagef("a"), "b"), 2, "winnow: error: a\nwinnow: hint: b\n"},
		{"missing", console.Missingf("one policy of %d failed", 3), 3, "winnow: error: one policy of 3 failed\n"},
		{"several lines", errors.Join(errors.New("a"), errors.New("b")), 1, "winnow: error: a; b\n"},
		{"cancelled by something else", context.Canceled, 1, "winnow: error: context canceled\n"},
		{"nobody reads", fmt.Errorf("write ranks: %w", console.ErrReaderGone), 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := tryVerb(t.Context(), func(*console.UI) error { return test.err })
			if code != test.code || stdout != "" || stderr != test.want {
				t.Errorf("exit %d, stdout %q, stderr %q; want %d, nothing, %q", code, stdout, stderr, test.code, test.want)
			}
		})
	}
}

func TestInterruptedVerb(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	code, _, stderr := tryVerb(ctx, func(*console.UI) error {
		cancel()
		return fmt.Errorf("import: %w", ctx.Err())
	})
	if code != 130 || stderr != "winnow: interrupted\n" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	// A verb that got through before it noticed has done its work.
	if code, _, _ = tryVerb(ctx, func(*console.UI) error { return nil }); code != 0 {
		t.Errorf("exit %d of a verb that finished", code)
	}
	// An error of its own is not hidden by the interruption.
	if code, _, _ = tryVerb(ctx, func(*console.UI) error { return errors.New("disk full") }); code != 1 {
		t.Errorf("exit %d of a verb that failed", code)
	}
}

// TestNotes: notes go to standard error, and --quiet and --json silence them.
func TestNotes(t *testing.T) {
	verb := func(u *console.UI) error {
		u.Notef("read %d links", 7)
		u.Verbosef("sorted in %d runs", 2)
		u.Printf("done\n")
		return nil
	}
	for args, want := range map[string]string{
		"":              "winnow: read 7 links\n",
		"-v":            "winnow: read 7 links\nwinnow: sorted in 2 runs\n",
		"--quiet":       "",
		"--json":        "",
		"-v --quiet":    "",
		"--quiet=false": "winnow: read 7 links\n",
	} {
		code, stdout, stderr := tryVerb(t.Context(), verb, strings.Fields(args)...)
		if code != 0 || stdout != "done\n" || stderr != want {
			t.Errorf("try %s: exit %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
}

func TestJSONLine(t *testing.T) {
	_, stdout, _ := tryVerb(t.Context(), func(u *console.UI) error {
		return u.JSON(map[string]string{"url": "http://a/?x=1&y=<2>"})
	})
	if want := `{"url":"http://a/?x=1&y=<2>"}` + "\n"; stdout != want {
		t.Errorf("%q, want %q", stdout, want)
	}
}

// TestRunStreams: results that cannot be written make the command fail, except when
// their reader has gone.
func TestRunStreams(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"version"}, nil, w, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("closed pipe: exit %d, stderr %q", code, &stderr)
	}
	stderr.Reset()
	code := run(t.Context(), []string{"version"}, nil, fullDisk{}, &stderr)
	if said := stderr.String(); code != 1 || !inOrder(said, "winnow: error: ", "standard output", ": no space left on device\n") || strings.Count(said, "\n") != 1 {
		t.Errorf("full disk: exit %d, stderr %q", code, said)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestBrokenPipe: the process as a whole survives a reader that went away, although
// the system sends it SIGPIPE.
func TestBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	cmd := &exec.Cmd{Path: testBinary(t), Args: []string{"winnow", "help"}, Stdout: w, Stderr: &stderr}
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q", err, &stderr)
	}
}

// TestInterrupt sends real signals: the first lets the verb clean up, the second
// ends one that does not come to an end.
func TestInterrupt(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		t.Run(fmt.Sprintf("stubborn=%v", stubborn), func(t *testing.T) {
			w := startWaiting(t, stubborn)
			w.expect(t, "ready")
			w.interrupt(t)
			w.expect(t, "cleaning up")
			if stubborn {
				w.interrupt(t)
			}
			code := w.wait(t)
			if said := w.stderr.String(); code != 130 || stubborn == strings.Contains(said, "winnow: interrupted\n") {
				t.Errorf("exit %d, stderr %q", code, said)
			}
		})
	}
}

// waiting is a running `winnow-waits wait`.
type waiting struct {
	cmd    *exec.Cmd
	lines  *bufio.Reader
	stderr bytes.Buffer
}

func startWaiting(t *testing.T, stubborn bool) *waiting {
	t.Helper()
	w := &waiting{cmd: &exec.Cmd{Path: testBinary(t), Args: []string{"winnow-waits", "wait", fmt.Sprintf("--stubborn=%v", stubborn)}}}
	w.cmd.Stderr = &w.stderr
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.lines = bufio.NewReader(stdout)
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); w.cmd.Process.Kill() })
	return w
}

func (w *waiting) expect(t *testing.T, want string) {
	t.Helper()
	if line, err := w.lines.ReadString('\n'); line != want+"\n" {
		t.Fatalf("line %q (%v), want %q; stderr %q", line, err, want, &w.stderr)
	}
}

func (w *waiting) interrupt(t *testing.T) {
	t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

func (w *waiting) wait(t *testing.T) int {
	t.Helper()
	io.Copy(io.Discard, w.lines)
	var exit *exec.ExitError
	if err := w.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return w.cmd.ProcessState.ExitCode()
}

// testBinary is this test binary, which is winnow when called by that name.
func testBinary(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// run executes a command line in this process.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	u := console.New(stdin, stdout, stderr)
	return execute(ctx, u, newRootCommand(u), args)
}
