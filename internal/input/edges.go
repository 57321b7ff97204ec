package input

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// MaxID is the largest id of a page: the number above it means "no page".
const MaxID uint32 = math.MaxUint32 - 1

// ErrNotNumber is wrapped by the error for text in the place of an id.
var ErrNotNumber = errors.New("is not a number")

// Edges reads an edge list and calls fn for every link. A line is "source
// target", two ids from 0 to MaxID with blanks (spaces or tabs) or a comma between
// them and maybe blanks around them; empty lines and lines that begin with # are
// skipped, and so are a first line that names the columns and, after commas, further
// columns. An error from fn gets file and line added.
func Edges(f *File, fn func(src, dst uint32) error) error {
	return f.chunks(func(lines []byte) error { return f.links(lines, fn) })
}

// links parses whole lines. The first part knows the one form that nearly every line has,
// digits, one blank, digits, line feed, and takes it in a single pass over the bytes; all
// other lines, good or bad, go to link.
func (f *File) links(b []byte, fn func(src, dst uint32) error) error {
	for i := 0; i < len(b); {
		f.line++
		src, j := digits(b, i)
		if uint(j-i-1) < maxDigits && src <= uint64(MaxID) && (b[j] == ' ' || b[j] == '\t') {
			dst, k := digits(b, j+1)
			if uint(k-j-2) < maxDigits && dst <= uint64(MaxID) && b[k] == '\n' {
				if err := fn(uint32(src), uint32(dst)); err != nil {
					return err
				}
				i = k + 1
				continue
			}
		}
		n := bytes.IndexByte(b[i:], '\n')
		line := trimReturn(b[i : i+n])
		if f.line > 1 || !isHeader(line) {
			if err := link(line, fn); err != nil {
				return err
			}
		}
		i += n + 1
	}
	return nil
}

// maxDigits is the length of the largest id in decimal. Numbers of more digits may
// still be ids, with leading zeros; they take the slower way.
const maxDigits = 10

// digits reads a decimal number at b[i:] up to the first byte that is no digit, of
// which b must have one (a line feed ends it). With more than 19 digits the value
// is wrong.
func digits(b []byte, i int) (value uint64, end int) {
	for i < len(b) {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		value = value*10 + uint64(d)
		i++
	}
	return value, i
}

// link parses one line of an edge list in any form allowed.
func link(line []byte, fn func(src, dst uint32) error) error {
	first, rest := field(line)
	if len(first) == 0 || first[0] == '#' {
		return nil
	}
	if bytes.IndexByte(line, ',') >= 0 {
		return commaLink(line, fn)
	}
	src, err := ParseID(first)
	if err != nil {
		return fmt.Errorf("source %w", err)
	}
	second, rest := field(rest)
	if len(second) == 0 {
		return fmt.Errorf("only one column, %s: a link is \"source target\"", Quote(first))
	}
	dst, err := ParseID(second)
	if err != nil {
		return fmt.Errorf("target %w", err)
	}
	if third, _ := field(rest); len(third) > 0 {
		return fmt.Errorf("a third column, %s: a link is \"source target\"", Quote(third))
	}
	return fn(src, dst)
}

// commaLink parses a line whose columns have commas between them.
func commaLink(line []byte, fn func(src, dst uint32) error) error {
	first, second := pair(line)
	src, err := ParseID(first)
	if err != nil {
		return fmt.Errorf("source %w", err)
	}
	dst, err := ParseID(second)
	if err != nil {
		return fmt.Errorf("target %w", err)
	}
	return fn(src, dst)
}

// field cuts the first field, up to a blank, from a line; it is empty when there
// are only blanks.
func field(line []byte) (first, rest []byte) {
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	j := i
	for j < len(line) && !isBlank(line[j]) {
		j++
	}
	return line[i:j], line[j:]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// ParseID reads an id, 0 to MaxID, in decimal digits. The error quotes the text
// and can follow the name of a column.
func ParseID(text []byte) (uint32, error) {
	var v uint64
	for i, c := range text {
		d := c - '0'
		if d > 9 {
			return 0, notID(text, i)
		}
		if v = v*10 + uint64(d); v > uint64(MaxID) {
			v = uint64(MaxID) + 1 // and stays above in what follows
		}
	}
	if v > uint64(MaxID) {
		return 0, fmt.Errorf("%s is too large: ids are 0 to %d", Quote(text), MaxID)
	}
	if len(text) == 0 {
		return 0, errors.New("is empty: expected an id")
	}
	return uint32(v), nil
}

// notID returns the error for a negative number, or for text that is no number; text[i]
// is the first byte that is no digit.
func notID(text []byte, i int) error {
	if i == 0 && text[0] == '-' && len(text) > 1 {
		if _, end := digits(text, 1); end == len(text) {
			return fmt.Errorf("%s is negative: ids are 0 to %d", Quote(text), MaxID)
		}
	}
	return fmt.Errorf("%s %w", Quote(text), ErrNotNumber)
}

// IDs reads a list of ids, one per line, by the rules of Edges, and calls fn for
// each.
func IDs(f *File, fn func(id uint32) error) error {
	return f.each(func(line []byte) error {
		first, rest := field(line)
		if len(first) == 0 || first[0] == '#' {
			return nil
		}
		id, err := ParseID(first)
		if err != nil {
			return fmt.Errorf("id %w", err)
		}
		if second, _ := field(rest); len(second) > 0 {
			return fmt.Errorf("a second column, %s: one id per line", Quote(second))
		}
		return fn(id)
	})
}

// Values reads lines "key TAB value" and calls fn for each: ranks to start from, teleport
// weights, histories. The key is an id or a URL, which may itself hold tabs: the last one
// counts. It is handed on untouched, and valid until fn returns; ParseID reads it if it is
// an id. The value is a finite decimal number of either sign; the caller decides what is
// allowed. Empty lines and lines that begin with # are skipped. An error from fn gets file
// and line added.
func Values(f *File, fn func(key []byte, value float64) error) error {
	return f.each(func(line []byte) error {
		if first, _ := field(line); len(first) == 0 || line[0] == '#' {
			return nil
		}
		i := bytes.LastIndexByte(line, '\t')
		if i < 0 {
			return fmt.Errorf("no tab in %s: expected key, tab, value", Quote(line))
		}
		if i == 0 {
			return errors.New("nothing before the tab: expected key, tab, value")
		}
		v, err := number(bytes.Trim(line[i+1:], " "))
		if err != nil {
			return err
		}
		return fn(line[:i], v)
	})
}

// number parses a decimal number. strconv would also take 0x1p-2, 1_000, inf and
// nan, which in such a file are mistakes.
func number(text []byte) (float64, error) {
	if len(text) == 0 {
		return 0, errors.New("nothing after the tab: expected key, tab, value")
	}
	for _, c := range text {
		if (c < '0' || c > '9') && bytes.IndexByte([]byte("+-.eE"), c) < 0 {
			return 0, notNumber(text)
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("value %s is too large", Quote(text))
	}
	if err != nil {
		return 0, notNumber(text)
	}
	return v, nil
}

func notNumber(text []byte) error {
	if v, err := strconv.ParseFloat(string(text), 64); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return fmt.Errorf("value %s is not finite", Quote(text))
	}
	return fmt.Errorf("value %s is not a number", Quote(text))
}
