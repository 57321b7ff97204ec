package input

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// emptyReads is the number of times in a row that a reader may return no bytes and no
// error.
const emptyReads = 100

// fill reads once into the free part of the buffer. An error goes to f.err.
func (f *File) fill() {
	for range emptyReads {
		n, err := f.text.Read(f.buf[f.end : len(f.buf)-1])
		f.end += n
		f.err = err
		if n > 0 || err != nil {
			return
		}
	}
	f.err = io.ErrNoProgress
}

// next returns the next whole lines, as many as the buffer holds. The slice ends
// with a line feed, which a last line without one has been given, and is valid
// until the next call; it is empty at the end of the file.
func (f *File) next() ([]byte, error) {
	for {
		if i := bytes.LastIndexByte(f.buf[f.pos:f.end], '\n'); i >= 0 {
			chunk := f.buf[f.pos : f.pos+i+1]
			f.pos += i + 1
			return chunk, nil
		}
		if f.err != nil {
			return f.last()
		}
		if err := f.room(); err != nil {
			return nil, err
		}
		f.fill()
	}
}

// last returns the text after the last line feed, once.
func (f *File) last() ([]byte, error) {
	if f.err != io.EOF {
		return nil, f.broken(f.err)
	}
	if f.pos == f.end {
		return nil, nil
	}
	f.buf[f.end] = '\n'
	chunk := f.buf[f.pos : f.end+1]
	f.pos = f.end
	return chunk, nil
}

// room moves the unread text, which has no line feed, to the front of the buffer
// and doubles the buffer when that text fills it. The buffer never holds more
// than MaxLine bytes and one line feed, so no line that fits is too long.
func (f *File) room() error {
	f.end = copy(f.buf, f.buf[f.pos:f.end])
	f.pos = 0
	if f.end < len(f.buf)-1 {
		return nil
	}
	if f.end > MaxLine {
		return &Error{File: f.name, Line: f.line + 1,
			Msg: fmt.Sprintf("the line is longer than %d bytes", MaxLine)}
	}
	larger := make([]byte, min(2*len(f.buf), MaxLine+2))
	copy(larger, f.buf[:f.end])
	f.buf = larger
	return nil
}

// each calls fn for every line, without its terminator, and adds file and line to
// the error fn returns. The line is valid until fn returns.
func (f *File) each(fn func(line []byte) error) error {
	return f.chunks(func(lines []byte) error {
		for len(lines) > 0 {
			i := bytes.IndexByte(lines, '\n')
			f.line++
			if err := fn(trimReturn(lines[:i])); err != nil {
				return err
			}
			lines = lines[i+1:]
		}
		return nil
	})
}

// chunks calls fn with whole lines, many at a time, and adds file and line to the error
// fn returns.
func (f *File) chunks(fn func(lines []byte) error) error {
	for {
		lines, err := f.next()
		if err != nil || len(lines) == 0 {
			return err
		}
		if err := fn(lines); err != nil {
			return f.at(err)
		}
	}
}

// at adds file and current line to an error.
func (f *File) at(err error) error {
	return &Error{File: f.name, Line: f.line, Msg: err.Error(), Err: err}
}

func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// Lines calls fn for every line with its number, from 1, and its text without
// terminator, otherwise untouched: empty lines count, nothing is a comment, blanks
// stay. This is the form of URL lists, where a line's place is its meaning. The
// text is valid until fn returns; an error from fn gets file and line added.
func Lines(f *File, fn func(line int, text []byte) error) error {
	return f.each(func(text []byte) error { return fn(f.line, text) })
}

// An Error reports an error in a file of the user, with its place.
type Error struct {
	File string
	Line int    // from 1; 0 when no line is meant
	Msg  string // the whole message, without file and line
	Err  error  // the cause, if there is one; Msg already includes it
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", printable(e.File), e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", printable(e.File), e.Line, e.Msg)
}

func (e *Error) Unwrap() error { return e.Err }

// printable returns name unchanged, or quoted if it holds bytes that a terminal
// might obey.
func printable(name string) string {
	if q := strconv.Quote(name); q[1:len(q)-1] != name {
		return q
	}
	return name
}

// shownBytes is the number of bytes of a bad field that an error shows.
const shownBytes = 40

// Quote shows text of a file in an error: shortened, and with everything but
// printable characters escaped.
func Quote(text []byte) string {
	if len(text) > shownBytes {
		return strconv.Quote(string(text[:shownBytes])) + "..."
	}
	return strconv.Quote(string(text))
}
