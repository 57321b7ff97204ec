package input

import (
	"bytes"
	"encoding/csv"
	"strings"
)

// IsURL reports whether a text looks like an absolute URL: a scheme, "://", a host, and no
// blanks.
func IsURL(text []byte) bool {
	scheme, rest, ok := bytes.Cut(text, []byte("://"))
	if !ok || len(scheme) == 0 || len(rest) == 0 || rest[0] == '/' || bytes.ContainsFunc(text, func(r rune) bool { return r <= ' ' }) {
		return false
	}
	for i, c := range bytes.ToLower(scheme) {
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return true
}

// ArePairs reports whether a list has URLs in its first line, or in its second if the first
// names the columns. Empty lines and lines that begin with # do not count.
func ArePairs(f *File) (bool, error) {
	seen, found := 0, false
	err := f.each(func(line []byte) error {
		if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
			return nil
		}
		source, _ := pair(line)
		seen, found = seen+1, IsURL(source)
		if found || seen == 2 || !isHeader(line) {
			return errStop
		}
		return nil
	})
	if e, ok := err.(*Error); ok && e.Err == errStop {
		err = nil
	}
	return found, err
}

// errStop ends the reading of a file.
var errStop = &Error{Msg: "stop"}

// isHeader reports whether a line names the columns of a table: text, a comma or a tab, text,
// none of it a number or a URL.
func isHeader(line []byte) bool {
	a, b := pair(line)
	return bytes.ContainsAny(line, ",\t") && line[0] != '#' && isName(a) && isName(b)
}

func isName(text []byte) bool {
	return len(text) > 0 && !IsURL(text) && !bytes.ContainsFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
}

// Pairs reads a list of links between URLs and calls fn for each. A line is "source target"
// with a tab, blanks or a comma between, maybe in the quotes of CSV; further columns are
// ignored, and so are empty lines, lines that begin with #, and a first line that names the
// columns. Lines that are something else go to bad. An error from fn gets file and line added.
func Pairs(f *File, fn func(source, target []byte) error, bad func(line int, text []byte)) error {
	first := true
	return f.each(func(line []byte) error {
		if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
			return nil
		}
		source, target := pair(line)
		header := first && isHeader(line)
		first = false
		switch {
		case IsURL(source) && IsURL(target):
			return fn(source, target)
		case !header:
			bad(f.line, line)
		}
		return nil
	})
}

// pair returns the first two columns of a line.
func pair(line []byte) (source, target []byte) {
	text := bytes.TrimSpace(line)
	switch {
	case bytes.IndexByte(text, '"') == 0:
		r := csv.NewReader(strings.NewReader(string(text)))
		if cells, err := r.Read(); err == nil && len(cells) > 1 {
			return []byte(strings.TrimSpace(cells[0])), []byte(strings.TrimSpace(cells[1]))
		}
	case bytes.ContainsAny(text, " \t") && !bytes.Contains(text, []byte(", ")):
		source, rest := field(text)
		target, _ = field(rest)
		return source, target
	}
	i := nextColumn(text)
	if i < 0 {
		return text, nil
	}
	source, rest := text[:i], text[i+1:]
	if j := bytes.IndexByte(rest, ','); j >= 0 && (!IsURL(rest) || nextColumn(rest) >= 0) {
		if j = nextColumn(rest); j >= 0 {
			rest = rest[:j]
		}
	}
	return bytes.TrimSpace(source), bytes.TrimSpace(rest)
}

// nextColumn returns the place of the comma that ends the first column, or -1. A URL may have
// commas, so one before another URL counts first.
func nextColumn(text []byte) int {
	for i, c := range text {
		if c == ',' && IsURL(firstCell(text[i+1:])) {
			return i
		}
	}
	return bytes.IndexByte(text, ',')
}

func firstCell(text []byte) []byte {
	cell, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte(","))
	return cell
}
