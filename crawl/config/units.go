package config

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that is written "2s" in files and on command lines. A
// bare number is seconds. It is a flag too. It is a struct because a decoder would take
// the bare number 2 for two nanoseconds if it were an integer.
type Duration struct{ time.Duration }

// Seconds returns a Duration of so many seconds.
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

// UnmarshalText reads a value of a file.
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
	n, err := parseCount(text)
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

// UnmarshalText reads a quoted value of a file.
func (d *Depth) UnmarshalText(text []byte) error { return d.Set(string(text)) }

// Within reports whether a page so many links from a seed is within the limit.
func (d Depth) Within(links int) bool { return d < 0 || links <= int(d) }

// Size is a number of bytes that is written "10MiB" in files and on command lines. K,
// M, G and T, alone or with iB, are powers of 1024; KB, MB, GB and TB are powers of
// 1000. It is a flag too.
type Size int64

// Set reads "64M", "1.5GiB" or "1000000".
func (s *Size) Set(text string) error {
	trimmed := strings.TrimSpace(text)
	unitAt := len(strings.TrimRight(trimmed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	number := strings.TrimSpace(trimmed[:unitAt])
	factor, ok := unitSize(strings.ToUpper(trimmed[unitAt:]))
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || strings.Trim(number, "0123456789.") != "" {
		return fmt.Errorf("%q: want a size such as 64M, 1.5GiB or 10MB", text)
	}
	if v *= factor; v >= math.MaxInt64 {
		return fmt.Errorf("%q: it is too large", text)
	}
	*s = Size(v)
	return nil
}

// unitSize returns the number of bytes of a unit in upper case.
func unitSize(unit string) (float64, bool) {
	if unit == "" || unit == "B" {
		return 1, true
	}
	power := float64(strings.IndexByte("KMGTPE", unit[0]) + 1)
	switch rest := unit[1:]; {
	case power == 0:
		return 0, false
	case rest == "" || rest == "IB":
		return math.Pow(1024, power), true
	case rest == "B":
		return math.Pow(1000, power), true
	}
	return 0, false
}

// String writes it exactly, in the largest unit that divides it: 10MiB, 1500.
func (s Size) String() string {
	if s == 0 {
		return "0"
	}
	power := min(bits.TrailingZeros64(uint64(s))/10, 6)
	if power == 0 {
		return strconv.FormatInt(int64(s), 10)
	}
	return strconv.FormatInt(int64(s)>>(10*power), 10) + "KMGTPE"[power-1:power] + "iB"
}

// Type names the kind of value in the help of flags.
func (s Size) Type() string { return "size" }

// MarshalText writes it for a file.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a value of a file.
func (s *Size) UnmarshalText(text []byte) error { return s.Set(string(text)) }
