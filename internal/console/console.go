// Package console holds what all verbs share of the command: streams and common flags, the
// rules for messages and exit codes, hints that correct a command line, flags of some kinds.
//
// The rules for messages to users are:
//
//   - Results, and only results, go to standard output. With --json each result
//     is one object on one line; nothing else is mixed in.
//   - Everything else goes to standard error with a "winnow:" prefix:
//     "winnow: error: ..." once, as the last message of a failing command,
//     "winnow: hint: ..." after it, when there is something to propose,
//     "winnow: ..." for notes, which --quiet and --json suppress.
//   - Lower case, no full stop at the end, one line.
//   - An error names the file, flag, site or verb it is about. A hint proposes the
//     corrected command line, ready to be copied.
//   - Progress is redrawn in place on a terminal and a plain line now and then
//     elsewhere (packages show and terminal); any message erases it first.
//   - While a crawl runs without a terminal, messages have the time.
//
// A failed page of a crawl is data, never one of these messages.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"golang.org/x/term"
)

// A UI has the streams, the flags common to all verbs and the messages. Verbs use it
// instead of os.Stdout. One UI serves one command line.
type UI struct {
	Stdin  io.Reader
	Stdout *Output
	Args   []string // the command line, for hints that correct it

	AsJSON  bool // --json: one object per line on standard output
	Quiet   bool // --quiet: no notes, no progress
	Verbose bool // -v: more notes

	Sizes crawl.Sizes // of the files of a crawl; the zero value but in tests

	// Started is set when a verb's own run function begins: any failure before that is a
	// usage error.
	Started bool

	Screen show.Screen // standard error
	Height func() int  // of its window; nil if it is not a terminal
}

// New returns the messages of one command line, on its streams.
func New(stdin io.Reader, stdout, stderr io.Writer) *UI {
	u := &UI{Stdin: stdin, Stdout: &Output{w: stdout}, Screen: show.Screen{W: stderr}}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		u.Stdout.w, u.Stdout.terminal = &show.Terminal{W: f}, f
	}
	if f, ok := stderr.(*os.File); ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) {
		u.Screen.Width, u.Height = func() int { return Width(f) }, func() int { return terminalHeight(f) }
		if os.Getenv("NO_COLOR") == "" {
			u.Screen.Paint = terminal.Paint
		}
	}
	return u
}

// Width returns the width of a terminal. It is called at every drawing, since
// windows are resized.
func Width(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// terminalHeight returns the number of lines of a terminal.
func terminalHeight(f *os.File) int {
	if _, h, err := term.GetSize(int(f.Fd())); err == nil && h > 0 {
		return h
	}
	return 24
}

// AddCommonFlags adds the flags of all verbs.
func (u *UI) AddCommonFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&u.AsJSON, "json", false, "print results as JSON, one object per line; no notes, no progress")
	flags.BoolVar(&u.Quiet, "quiet", false, "no notes and no progress, only results and errors")
	flags.BoolVarP(&u.Verbose, "verbose", "v", false, "print more details and notes")
}

// Printf writes a part of the result. A failing write is remembered and ends the
// command with an error (execute), so its callers need not look.
func (u *UI) Printf(format string, args ...any) {
	fmt.Fprintf(u.Stdout, format, args...)
}

// JSON writes one result as one line.
func (u *UI) JSON(v any) error { return show.JSON(u.Stdout, v, "") }

// Result writes the result of a verb: an object with --json, else the tagged fields of the
// struct, one to a line.
func (u *UI) Result(v any) error {
	if u.AsJSON {
		return u.JSON(v)
	}
	t := show.NewList()
	t.AddFields(v)
	return t.Print(u.Stdout)
}

// Notef prints a note about what the command does.
func (u *UI) Notef(format string, args ...any) {
	if !u.Quiet && !u.AsJSON {
		u.Say("", fmt.Sprintf(format, args...))
	}
}

// Verbosef prints a note only with -v.
func (u *UI) Verbosef(format string, args ...any) {
	if u.Verbose {
		u.Notef(format, args...)
	}
}

// Say writes one message line to standard error.
func (u *UI) Say(kind, text string) { u.Screen.Say(kind, text) }

// Progress returns where progress is shown: nil with --quiet and --json.
func (u *UI) Progress() *show.Screen {
	if u.Quiet || u.AsJSON {
		return nil
	}
	return &u.Screen
}

// Stages shows work that has several stages, until the context ends.
func (u *UI) Stages(ctx context.Context) *show.Stages {
	unit := func(stage string) string {
		switch stage {
		case graph.StageRead:
			return show.UnitBytes
		case graph.StageFeed:
			return ""
		}
		return "pages"
	}
	return &show.Stages{Context: ctx, Screen: u.Progress(), Unit: unit}
}

// Leave erases what is drawn before the process ends at once. It does not wait for a terminal
// that was stopped.
func (u *UI) Leave() {
	erased := make(chan struct{})
	go func() {
		u.Screen.Erase()
		close(erased)
	}()
	select {
	case <-erased:
	case <-time.After(100 * time.Millisecond):
	}
}

// Finish prints the error, if any, and returns the exit code.
func (u *UI) Finish(ctx context.Context, err error) int {
	u.Screen.Erase()
	switch code := CodeOf(ctx, err); code {
	case ExitOK:
		return code
	case ExitInterrupted:
		u.Say("", "interrupted")
		return code
	}
	u.Say("error", OneLine(err))
	var hinted *hint.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		u.Say("hint", hinted.Hint)
	}
	return ExitCode(err)
}

// CodeOf returns the exit code for an error of a verb.
func CodeOf(ctx context.Context, err error) int {
	switch {
	case err == nil, errors.Is(err, ErrReaderGone): // `winnow rank G | head`: the reader has what it wanted
		return ExitOK
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitCode(err)
}

// OneLine keeps a message on one line: errors.Join puts its parts on several.
func OneLine(err error) string {
	return strings.Join(strings.Split(strings.TrimSpace(err.Error()), "\n"), "; ")
}

// ErrReaderGone is the error of a write after the reader of standard output has closed it.
var ErrReaderGone = errors.New("standard output was closed by its reader")

// Output is standard output. It remembers its first failure, for verbs that print
// a few lines and do not look at every write.
type Output struct {
	w        io.Writer
	terminal *os.File // what w writes to; nil: no terminal
	err      error
}

// Err returns the first failure.
func (o *Output) Err() error { return o.err }

// Terminal returns the terminal that is written to, nil if it is none.
func (o *Output) Terminal() *os.File { return o.terminal }

// Write writes to standard output. It writes nothing after a failure.
func (o *Output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	switch {
	case errors.Is(err, syscall.EPIPE):
		o.err = ErrReaderGone
	case err != nil:
		o.err = fmt.Errorf("write to standard output: %w", err)
	}
	return n, o.err
}

// ASCIIOnly reports whether the user's locale promises no more than ASCII.
func ASCIIOnly() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
		}
	}
	return true
}

// Exit codes. They are a contract with scripts (help.go shows them to users).
const (
	ExitOK          = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitMissing     = 3
	ExitInterrupted = 130
)

// A UsageError reports a command line that cannot be carried out.
type UsageError struct{ err error }

func (e *UsageError) Error() string { return e.err.Error() }
func (e *UsageError) Unwrap() error { return e.err }

// A MissingError reports a command that finished without a part of its result: a
// report not written, one policy of several failed, a violation found by verify.
type MissingError struct{ err error }

func (e *MissingError) Error() string { return e.err.Error() }
func (e *MissingError) Unwrap() error { return e.err }

// Usage makes an error a usage error (exit 2).
func Usage(err error) error { return &UsageError{err} }

// Usagef returns a usage error (exit 2).
func Usagef(format string, args ...any) error {
	return Usage(fmt.Errorf(format, args...))
}

// Missingf returns an error for a result with something missing (exit 3).
func Missingf(format string, args ...any) error {
	return &MissingError{fmt.Errorf(format, args...)}
}

// WithHint adds a hint to an error of any kind.
func WithHint(err error, format string, args ...any) error {
	return &hint.Error{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// ExitCode returns the exit code of a verb that returned err.
func ExitCode(err error) int {
	var usage *UsageError
	var missing *MissingError
	var short *rank.ToleranceError
	switch {
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &missing), errors.As(err, &short):
		return ExitMissing
	}
	return ExitError
}
