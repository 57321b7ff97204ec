// Package files reads what scores need from files of the user.
package files

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/score"
)

// The keys of the configuration that say what pages are worth. Flags have hyphens in their
// place.
const (
	KeyScore  = "score"
	KeyFile   = "score_file"
	KeyValues = "import_values"
	KeyRules  = "location_rules"
)

// An Error is about one of the keys. It may wrap a *score.Error.
type Error struct {
	Key  string
	Hint string // what can be done about it; "" if that follows from Err
	Err  error
}

func (e *Error) Error() string {
	return "--" + strings.ReplaceAll(e.Key, "_", "-") + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Function returns the function of a text or, if it is not empty, of a file; nil if both are
// empty. The text is explicit (see score.Explicit). What the file holds need not be; but if it holds
// that text, it means the same. An error is an *Error.
func Function(text, file string) (*score.Function, error) {
	key := KeyScore
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, &Error{Key: KeyFile, Err: err}
		}
		key, text = KeyFile, Explicit(strings.TrimSpace(string(b)), text)
	} else if text == "" {
		return nil, nil
	}
	f, err := score.Compile(text)
	switch {
	case err != nil && file != "":
		return nil, &Error{Key: key, Err: fmt.Errorf("%s: %w", file, err)}
	case err != nil:
		return nil, &Error{Key: key, Err: err}
	}
	return f, nil
}

// Explicit returns what a text of the user means. What is in force already, and what is wrong, stays.
func Explicit(text, last string) string {
	if x, err := score.Explicit(text); err == nil && text != last {
		return x
	}
	return text
}

// Check returns an error if the files of values and rules, "" for none, and the terms of the
// functions do not fit. Functions may be nil.
func Check(values, rules string, fs ...*score.Function) error {
	uses := func(t score.Term) bool {
		return slices.ContainsFunc(fs, func(f *score.Function) bool { return f != nil && f.Uses(t) })
	}
	switch {
	case values != "" && !uses(score.Import):
		return &Error{Key: KeyValues, Hint: fmt.Sprintf("leave it out, or use %s in the expression", score.Import), Err: fmt.Errorf("no expression has the term %s", score.Import)}
	case rules != "" && !uses(score.Location):
		return &Error{Key: KeyRules, Hint: fmt.Sprintf("leave it out, or use %s in the expression", score.Location), Err: fmt.Errorf("no expression has the term %s", score.Location)}
	}
	return CheckValues(values, fs...)
}

// CheckValues returns an error if a function needs imported values and there is no file of them.
func CheckValues(values string, fs ...*score.Function) error {
	if values != "" || !slices.ContainsFunc(fs, func(f *score.Function) bool { return f != nil && f.Uses(score.Import) }) {
		return nil
	}
	return &Error{Key: KeyScore, Hint: "give them with --import-values FILE", Err: fmt.Errorf("the term %s needs values", score.Import)}
}

// Provide gives the functions the values and rules of files. Functions may be nil. An error is an
// *Error.
func Provide(values, rules string, fs ...*score.Function) error {
	imported, err := Imported(values)
	if err != nil {
		return &Error{Key: KeyValues, Err: err}
	}
	points, err := Rules(rules)
	if err != nil {
		return &Error{Key: KeyRules, Err: err}
	}
	for _, f := range fs {
		if f == nil {
			continue
		}
		if f.Imported = imported; points != nil {
			f.Rules = points
		}
	}
	return nil
}

// Imported reads lines "key TAB value" for the term imported. It returns nil if the name is empty.
func Imported(name string) (*score.Imported, error) {
	if name == "" {
		return nil, nil
	}
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var keys []string
	var values []float64
	err = input.Values(f, func(key []byte, value float64) error {
		keys, values = append(keys, string(key)), append(values, value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	m, err := score.NewImported(keys, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Rules reads the rules of the term location, one on each line. It returns nil if the name is
// empty.
func Rules(name string) (*score.Rules, error) {
	if name == "" {
		return nil, nil
	}
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := score.NewRules()
	err = input.Lines(f, func(_ int, text []byte) error { return r.Add(string(text)) })
	return r, err
}
