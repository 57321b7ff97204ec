package main

// This file holds every message to users. The rules are:
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

// A ui has the streams, the flags common to all verbs and the messages. Verbs use it
// instead of os.Stdout. One ui serves one command line.
type ui struct {
	stdin  io.Reader
	stdout *output
	args   []string // the command line, for hints that correct it

	asJSON  bool // --json: one object per line on standard output
	quiet   bool // --quiet: no notes, no progress
	verbose bool // -v: more notes

	sizes crawl.Sizes // of the files of a crawl; the zero value but in tests

	// started is set when a verb's own run function begins: any failure before that is a
	// usage error.
	started bool

	screen show.Screen // standard error
	height func() int  // of its window; nil if it is not a terminal
}

func newUI(stdin io.Reader, stdout, stderr io.Writer) *ui {
	u := &ui{stdin: stdin, stdout: &output{w: stdout}, screen: show.Screen{W: stderr}}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		u.stdout.w, u.stdout.terminal = &show.Terminal{W: f}, f
	}
	if f, ok := stderr.(*os.File); ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) {
		u.screen.Width, u.height = func() int { return terminalWidth(f) }, func() int { return terminalHeight(f) }
		if os.Getenv("NO_COLOR") == "" {
			u.screen.Paint = terminal.Paint
		}
	}
	return u
}

// terminalWidth returns the width of a terminal. It is called at every drawing, since
// windows are resized.
func terminalWidth(f *os.File) int {
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

func (u *ui) addCommonFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&u.asJSON, "json", false, "print results as JSON, one object per line; no notes, no progress")
	flags.BoolVar(&u.quiet, "quiet", false, "no notes and no progress, only results and errors")
	flags.BoolVarP(&u.verbose, "verbose", "v", false, "print more details and notes")
}

// printf writes a part of the result. A failing write is remembered and ends the
// command with an error (execute), so its callers need not look.
func (u *ui) printf(format string, args ...any) {
	fmt.Fprintf(u.stdout, format, args...)
}

// json writes one result as one line.
func (u *ui) json(v any) error { return show.JSON(u.stdout, v, "") }

// result writes the result of a verb: an object with --json, else the tagged fields of the
// struct, one to a line.
func (u *ui) result(v any) error {
	if u.asJSON {
		return u.json(v)
	}
	t := show.NewList()
	t.AddFields(v)
	return t.Print(u.stdout)
}

// notef prints a note about what the command does.
func (u *ui) notef(format string, args ...any) {
	if !u.quiet && !u.asJSON {
		u.say("", fmt.Sprintf(format, args...))
	}
}

// verbosef prints a note only with -v.
func (u *ui) verbosef(format string, args ...any) {
	if u.verbose {
		u.notef(format, args...)
	}
}

// say writes one message line to standard error.
func (u *ui) say(kind, text string) { u.screen.Say(kind, text) }

// progress returns where progress is shown: nil with --quiet and --json.
func (u *ui) progress() *show.Screen {
	if u.quiet || u.asJSON {
		return nil
	}
	return &u.screen
}

// stages shows work that has several stages, until the context ends.
func (u *ui) stages(ctx context.Context) *show.Stages {
	unit := func(stage string) string {
		switch stage {
		case graph.StageRead:
			return show.UnitBytes
		case graph.StageFeed:
			return ""
		}
		return "pages"
	}
	return &show.Stages{Context: ctx, Screen: u.progress(), Unit: unit}
}

// leave erases what is drawn before the process ends at once. It does not wait for a terminal
// that was stopped.
func (u *ui) leave() {
	erased := make(chan struct{})
	go func() {
		u.screen.Erase()
		close(erased)
	}()
	select {
	case <-erased:
	case <-time.After(100 * time.Millisecond):
	}
}

// finish prints the error, if any, and returns the exit code.
func (u *ui) finish(ctx context.Context, err error) int {
	u.screen.Erase()
	switch code := codeOf(ctx, err); code {
	case exitOK:
		return code
	case exitInterrupted:
		u.say("", "interrupted")
		return code
	}
	u.say("error", oneLine(err))
	var hinted *hint.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		u.say("hint", hinted.Hint)
	}
	return exitCode(err)
}

// codeOf returns the exit code for an error of a verb.
func codeOf(ctx context.Context, err error) int {
	switch {
	case err == nil, errors.Is(err, errReaderGone): // `winnow rank G | head`: the reader has what it wanted
		return exitOK
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitCode(err)
}

// oneLine keeps a message on one line: errors.Join puts its parts on several.
func oneLine(err error) string {
	return strings.Join(strings.Split(strings.TrimSpace(err.Error()), "\n"), "; ")
}

// errReaderGone is the error of a write after the reader of standard output has closed it.
var errReaderGone = errors.New("standard output was closed by its reader")

// output is standard output. It remembers its first failure, for verbs that print
// a few lines and do not look at every write.
type output struct {
	w        io.Writer
	terminal *os.File // what w writes to; nil: no terminal
	err      error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	switch {
	case errors.Is(err, syscall.EPIPE):
		o.err = errReaderGone
	case err != nil:
		o.err = fmt.Errorf("write to standard output: %w", err)
	}
	return n, o.err
}

// Exit codes. They are a contract with scripts (help.go shows them to users).
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitMissing     = 3
	exitInterrupted = 130
)

// A usageError reports a command line that cannot be carried out.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// A missingError reports a command that finished without a part of its result: a
// report not written, one policy of several failed, a violation found by verify.
type missingError struct{ err error }

func (e *missingError) Error() string { return e.err.Error() }
func (e *missingError) Unwrap() error { return e.err }

// usagef returns a usage error (exit 2).
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// missingf returns an error for a result with something missing (exit 3).
func missingf(format string, args ...any) error {
	return &missingError{fmt.Errorf(format, args...)}
}

// withHint adds a hint to an error of any kind.
func withHint(err error, format string, args ...any) error {
	return &hint.Error{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// exitCode returns the exit code of a verb that returned err.
func exitCode(err error) int {
	var usage *usageError
	var missing *missingError
	var short *rank.ToleranceError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &missing), errors.As(err, &short):
		return exitMissing
	}
	return exitError
}
