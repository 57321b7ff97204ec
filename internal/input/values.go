package input

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Values reads lines "key TAB value" and calls fn for each: ranks to start from,
// teleport weights, histories. The key is an id or a URL, which may itself hold
// tabs: the last one counts. It is handed on untouched, and valid until fn
// returns; ParseID reads it if it is an id. The value is a finite decimal number
// of either sign: what it may be is the caller's business. Empty lines and lines
// that begin with # are passed over. An error from fn gets file and line added.
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
