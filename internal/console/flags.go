package console

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/show"
)

// Span is a flag for a duration: 15s, 1m30s, or a bare number of seconds.
type Span time.Duration

func (s *Span) Type() string { return "duration" }

// String returns "" for 0, since the help describes the default in words.
func (s *Span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

func (s *Span) Set(text string) error {
	var d config.Duration
	err := d.Set(text)
	*s = Span(d.Duration)
	return err
}

// MarshalJSON writes seconds.
func (s *Span) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(*s).Seconds()) }

// Fraction is a flag for a part of 1, such as 0.1 or 1/10.
type Fraction float64

func (f *Fraction) Type() string   { return "fraction" }
func (f *Fraction) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

func (f *Fraction) Set(text string) error {
	var exact show.Fraction
	err := exact.Set(text)
	*f = Fraction(exact.Float())
	return err
}

// Numbers is a flag for several positive numbers, separated by commas.
type Numbers []float64

func (n *Numbers) Type() string { return "numbers" }

func (n *Numbers) String() string {
	var parts []string
	for _, v := range *n {
		parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(parts, ",")
}

func (n *Numbers) Set(text string) error {
	var all []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%q: want numbers above 0 such as 1,3,10", text)
		}
		all = append(all, v)
	}
	*n = all
	return nil
}

// Whole adds a flag for a number of things, such as 5000 or 10k.
func Whole(f *pflag.FlagSet, value *int, name string, normal int, usage string) {
	*value = normal
	f.Var((*show.Whole)(value), name, usage)
}

// Bounded is a flag that is a whole number, with its bounds.
type Bounded struct {
	name               string
	value, least, most int
}

// Within returns a flag with its value and its bounds.
func Within(name string, value, least, most int) Bounded { return Bounded{name, value, least, most} }

// CheckNumbers refuses numbers out of their bounds.
func CheckNumbers(u *UI, flags *pflag.FlagSet, all ...Bounded) error {
	for _, b := range all {
		name := "--" + b.name
		switch {
		case !flags.Changed(b.name):
		case b.value > b.most:
			err := Usagef("%s %d: it can be %s at most", name, b.value, show.Grouped(int64(b.most)))
			return WithHint(err, "try: %s", u.WithFlag(name, strconv.Itoa(b.most)))
		case b.value < b.least:
			try := u.WithoutFlag(name)
			if normal := flags.Lookup(b.name).DefValue; normal != "0" {
				try = u.WithFlag(name, normal)
			}
			return WithHint(Usagef("%s %d: it must be at least %d", name, b.value, b.least), "try: %s", try)
		}
	}
	return nil
}

// NotEmpty refuses flags that were given without a value, such as --out "$NOWHERE".
func NotEmpty(u *UI, flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) && flags.Lookup(name).Value.String() == "" {
			return WithHint(Usagef("--%s: its value is empty", name), "try: %s", u.WithoutFlag("--"+name))
		}
	}
	return nil
}

// OrList returns "a, b or c".
func OrList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
