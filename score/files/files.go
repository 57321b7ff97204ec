// Package files reads what scores need from files of the user.
package files

import (
	"fmt"

	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/score"
)

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
