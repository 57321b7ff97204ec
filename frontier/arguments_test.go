package frontier

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/policy"
)

// arguments are the words of a command: plain ones, key=value, and links after ->.
type arguments struct {
	s     *script
	words []string
	keys  map[string]string
	links []string
}

func (s *script) arguments(words []string) *arguments {
	a := &arguments{s: s, keys: map[string]string{}}
	if i := slices.Index(words, "->"); i >= 0 {
		a.links, words = words[i+1:], words[:i]
	}
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			a.keys[key] = value
		} else {
			a.words = append(a.words, w)
		}
	}
	return a
}

func (a *arguments) one() string {
	if len(a.words) == 0 {
		a.s.fatalf("a name is missing")
	}
	return a.words[0]
}

func (a *arguments) has(word string) bool { return slices.Contains(a.words, word) }

func (a *arguments) take(key string) (string, bool) {
	v, ok := a.keys[key]
	delete(a.keys, key)
	return v, ok
}

func (a *arguments) duration(key string) time.Duration {
	v, ok := a.take(key)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		a.s.fatalf("%s: %v", key, err)
	}
	return d
}

func (a *arguments) number(key string) float64 {
	v, ok := a.take(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		a.s.fatalf("%s: %v", key, err)
	}
	return n
}

// finish complains about keys that no command used.
func (a *arguments) finish() {
	for key := range a.keys {
		a.s.fatalf("unknown key %q", key)
	}
}

func (a *arguments) choice(key string) *policy.Choice {
	name, ok := a.take(key)
	if !ok {
		return nil
	}
	c, err := policy.Choose(name)
	if err != nil {
		a.s.fatalf("%v", err)
	}
	return c
}
