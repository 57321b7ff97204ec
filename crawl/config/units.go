package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/internal/show"
)

// Duration is a time.Duration that is written "2s" in files and on command lines. A
// bare number is seconds. It is a flag too. It is a struct because a decoder would take
// the bare number 2 for two nanoseconds if it were an integer.
type Duration struct{ time.Duration }

// Seconds returns a Duration of n seconds.
func Seconds(n float64) Duration { return Duration{time.Duration(n * float64(time.Second))} }

// Set reads "1m30s", "250ms" or a number of seconds; also days, as "7d".
func (d *Duration) Set(text string) error {
	v, err := parseDuration(strings.TrimSpace(text))
	if err != nil {
		return fmt.Errorf("%q: want a duration such as 2s, 250ms or 7d; a bare number is seconds", text)
	}
	if v < 0 {
		return fmt.Errorf("%q: a duration cannot be negative", text)
	}
	*d = Duration{v}
	return nil
}

func parseDuration(text string) (time.Duration, error) {
	unit := time.Second
	number, days := strings.CutSuffix(text, "d")
	if days {
		unit = 24 * time.Hour
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return time.ParseDuration(text)
	}
	if v *= float64(unit); !(math.Abs(v) < math.MaxInt64) {
		return 0, fmt.Errorf("%q is too long", text)
	}
	return time.Duration(math.Round(v)), nil
}

// String writes it without parts that are zero: 1h, not 1h0m0s.
func (d Duration) String() string {
	text := d.Duration.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Type names the kind of value in the help of flags.
func (d Duration) Type() string { return "duration" }

// MarshalText writes it for a file.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the value in a file.
func (d *Duration) UnmarshalText(text []byte) error { return d.Set(string(text)) }

// Depth is a number of links from a seed, or NoDepth. It is written as a number in files,
// and read as "none", too. It is a flag.
type Depth int

// NoDepth is no limit.
const NoDepth Depth = -1

// Set reads "none", "-1" or a number.
func (d *Depth) Set(text string) error {
	if text == "none" || text == "-1" {
		*d = NoDepth
		return nil
	}
	n, err := show.ParseCount(text)
	if err != nil || n > mostDepth {
		return fmt.Errorf("%q: want a whole number from 0 to %d, or none", text, mostDepth)
	}
	*d = Depth(n)
	return nil
}

// String writes it as Set reads it.
func (d Depth) String() string {
	if d < 0 {
		return "none"
	}
	return strconv.Itoa(int(d))
}

// UnmarshalText reads the value that a file has in quotes.
func (d *Depth) UnmarshalText(text []byte) error { return d.Set(string(text)) }

// Within reports whether a number of links from a seed is allowed.
func (d Depth) Within(links int) bool { return d < 0 || links <= int(d) }

// A Size is a number of bytes that is written "10MiB" in files and on command lines.
type Size = show.Size
