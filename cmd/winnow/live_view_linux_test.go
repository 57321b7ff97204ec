package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/internal/console"
	"golang.org/x/sys/unix"
)

// A window is a terminal of its own, in which a command runs. Gone has a value when it has
// ended and all that it wrote was read.
type window struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	gone chan error

	mu  sync.Mutex
	raw bytes.Buffer // all that was written to it
}

// openWindow runs winnow in a window of so many columns.
func openWindow(t *testing.T, columns int, env []string, args ...string) *window {
	t.Helper()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	w := &window{t: t, pty: pty, cmd: exec.CommandContext(t.Context(), "winnow", args...), gone: make(chan error, 1)}
	t.Cleanup(func() { pty.Close() })
	number, err := unix.IoctlGetInt(int(pty.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(pty.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.resize(columns)
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = tty, tty, tty
	w.cmd.Env = append(append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm"), env...)
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		w.read()
		w.gone <- w.cmd.Wait()
	}()
	return w
}

func (w *window) resize(columns int) {
	w.t.Helper()
	if err := unix.IoctlSetWinsize(int(w.pty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *window) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := w.pty.Read(b)
		w.mu.Lock()
		w.raw.Write(b[:n])
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// written returns what was written to the window since a byte.
func (w *window) written(since int) (text string, end int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raw.String()[since:], w.raw.Len()
}

// shown returns what a reader sees.
func (w *window) shown() string {
	s := &screen{t: w.t}
	text, _ := w.written(0)
	for _, code := range []string{"0", "2", "31", "32", "33", "36"} {
		text = strings.ReplaceAll(text, "\x1b["+code+"m", "")
	}
	s.Write([]byte(text))
	return s.String()
}

// await waits until a part of a text is written to the window.
func (w *window) await(since int, part string) {
	w.t.Helper()
	for range 600 {
		if text, _ := w.written(since); strings.Contains(text, part) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := w.written(0)
	w.t.Fatalf("no %q in %q", part, text)
}

// A crawl in a window is drawn in place, follows the size of the window, and leaves nothing
// but messages and its summary when it is stopped.
func TestLiveView(t *testing.T) {
	at, _ := startWeb(t, "--pages", "400", "--sites", "8", "--mixed")
	dir := filepath.Join(t.TempDir(), "a.crawl")
	args := append(rudely(at, dir, at.Seeds[0]), "--delay", "300ms")
	w := openWindow(t, 100, nil, args...)
	w.await(0, "\x1b[33mheld by\x1b[0m")
	w.resize(40)
	time.Sleep(600 * time.Millisecond)
	_, narrow := w.written(0)
	w.await(narrow, "waiting")
	text, _ := w.written(narrow)
	for line := range strings.Lines(text) {
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '\r' || r == '\x1b' }) {
			if n := utf8.RuneCountInString(part); n > 60 { // with the codes of colours
				t.Errorf("%d columns in a window of 40: %q", n, part)
			}
		}
	}
	for _, name := range []string{"fetched  ", "held by  ", "in all  "} {
		if got := strings.Count("\n"+w.shown(), "\n"+name); got != 1 {
			t.Errorf("%q is on the screen %d times:\n%s", name, got, w.shown())
		}
	}
	w.pty.Write([]byte{3}) // Ctrl-C
	<-w.gone
	end := w.shown()
	if code := w.cmd.ProcessState.ExitCode(); code != console.ExitInterrupted || strings.Contains(end, "held by") || !inOrder(end, "winnow: stopping", "state", "paused: interrupted", "to resume: winnow crawl", "winnow: interrupted") {
		t.Errorf("exit %d:\n%s", code, end)
	}
}

// NO_COLOR and TERM=dumb are obeyed.
func TestLiveViewPlain(t *testing.T) {
	at, _ := startWeb(t, "--pages", "60", "--sites", "4")
	args := append(rudely(at, filepath.Join(t.TempDir(), "a.crawl"), at.Seeds[0]), "--delay", "200ms")
	w := openWindow(t, 100, []string{"NO_COLOR=1"}, args...)
	w.await(0, "held by  ")
	if text, _ := w.written(0); strings.Contains(text, "\x1b[0m") {
		t.Errorf("colours in %q", text)
	}
	w.cmd.Process.Kill()
	<-w.gone
	args = append(rudely(at, filepath.Join(t.TempDir(), "b.crawl"), at.Seeds[0]), "--pages", "10")
	dumb := openWindow(t, 100, []string{"TERM=dumb"}, args...)
	<-dumb.gone
	if text, _ := dumb.written(0); strings.Contains(text, "\x1b") {
		t.Errorf("sequences in %q", text)
	}
}
