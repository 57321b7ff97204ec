package show

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

type integer interface{ ~int | ~int64 }

// Grouped writes a whole number in groups of three digits: 3,216,152.
func Grouped[N integer](n N) string {
	digits, sign := strconv.FormatInt(int64(n), 10), ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Counted writes a number of things: 1 site, 2,000 sites.
func Counted[N integer](n N, thing string) string { return Grouped(n) + " " + Plural(n, thing) }

// Plural returns the name of n things: site, sites.
func Plural[N integer](n N, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

// Short writes a number with three digits: 3.22M. Use it for progress, where more
// digits are useless.
func Short[N integer](n N) string {
	return scaled(int64(n), 1000, []string{"", "k", "M", "G", "T", "P", "E"})
}

// Bytes writes an amount of memory or disk space with three digits: 64 MiB, 1.5 GiB.
func Bytes[N integer](n N) string {
	return scaled(int64(n), 1024, []string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"})
}

// scaled divides n by base until it has fewer than four digits.
func scaled(n int64, base float64, units []string) string {
	if n < 0 {
		return "-" + scaled(-max(n, -math.MaxInt64), base, units)
	}
	v, i := float64(n), 0
	for v >= 999.5 && i < len(units)-1 {
		v /= base
		i++
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	if decimals := 3 - len(text); i > 0 && decimals > 0 {
		text = strconv.FormatFloat(v, 'f', decimals, 64)
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + units[i]
}

// Rate writes a number per second, with one decimal below 10.
func Rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return Short(int64(perSecond + 0.5))
}

// Duration writes a duration in at most two units: 350ms, 4.2s, 3m20s, 2h05m, 3d04h.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-max(d, -math.MaxInt64))
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	}
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
}

// A Size is a number of bytes that is written "10MiB" in files and on command lines. K,
// M, G and T, alone or with iB, are powers of 1024; KB, MB, GB and TB are powers of 1000,
// as in coreutils. It implements the Value interface of flags.
type Size int64

// Set reads a size such as "64M", "1.5GiB" or "1000000".
func (s *Size) Set(text string) error {
	trimmed := strings.TrimSpace(text)
	unitAt := len(strings.TrimRight(trimmed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	number := strings.TrimSpace(trimmed[:unitAt])
	factor, ok := bytesIn(strings.ToUpper(trimmed[unitAt:]))
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

// bytesIn returns the number of bytes in a unit, which is in upper case.
func bytesIn(unit string) (factor float64, ok bool) {
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

// String writes the size exactly, in the largest unit that divides it: 10MiB, 1500.
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

// MarshalText writes the size for a file.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the size from a file.
func (s *Size) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// ParseCount reads a whole number such as 5000, 10k or 2.5M: k, M and G are powers of
// 1000.
func ParseCount(text string) (int64, error) {
	number, factor := text, int64(1)
	if len(text) > 1 {
		if at := strings.IndexByte("kmg", text[len(text)-1]|0x20); at >= 0 {
			number, factor = text[:len(text)-1], []int64{1e3, 1e6, 1e9}[at]
		}
	}
	v, ok := new(big.Rat).SetString(number)
	if ok = ok && strings.Trim(number, "0123456789.") == ""; ok {
		v.Mul(v, new(big.Rat).SetInt64(factor))
	}
	if !ok || !v.IsInt() || !v.Num().IsInt64() {
		return 0, fmt.Errorf("%q: want a whole number such as 5000, 10k or 2.5M", text)
	}
	return v.Num().Int64(), nil
}

// A Whole is a flag for a number of things, or 0: 10k is 10,000.
type Whole int

// Type names the kind of value in the help of flags.
func (n *Whole) Type() string { return "number" }

// String writes the number with all its digits.
func (n *Whole) String() string { return strconv.Itoa(int(*n)) }

// Set reads what ParseCount reads, perhaps with a minus sign: verbs know their bounds.
func (n *Whole) Set(text string) error {
	number, below := strings.CutPrefix(text, "-")
	v, err := ParseCount(number)
	switch {
	case err != nil:
		return fmt.Errorf("%q: want a whole number such as 5000, 10k or 2.5M", text)
	case below:
		v = -v
	}
	*n = Whole(v)
	return nil
}

// A Number is a flag for a number of things, at least one: 10M is 10,000,000.
type Number int64

// Type names the kind of value in the help of flags.
func (n *Number) Type() string { return "number" }

// String writes the number with three digits.
func (n *Number) String() string { return Short(int64(*n)) }

// Set reads what ParseCount reads.
func (n *Number) Set(text string) error {
	v, err := ParseCount(text)
	if err == nil && v < 1 {
		err = fmt.Errorf("%q: want a whole number such as 5000, 10k or 2.5M", text)
	}
	if err == nil {
		*n = Number(v)
	}
	return err
}

// A Fraction is a flag for a part of 1, which papers write as 1/7 or 0.9. It is exact
// until it is used, so that --jump 1/7 and --follow 6/7 are the same number.
type Fraction struct{ v *big.Rat }

// Type names the kind of value in the help of flags.
func (f *Fraction) Type() string { return "fraction" }

// String writes the fraction; "" if it was not set.
func (f *Fraction) String() string {
	if f == nil || f.v == nil {
		return ""
	}
	return f.v.RatString()
}

// Set reads a number such as 0.9 or 1/7.
func (f *Fraction) Set(text string) error {
	v, ok := new(big.Rat).SetString(text)
	if !ok || strings.Trim(text, "0123456789./") != "" {
		return fmt.Errorf("%q: want a number such as 0.9 or 1/7", text)
	}
	f.v = v
	return nil
}

// Float returns the value, 0 if it was not set.
func (f *Fraction) Float() float64 {
	if f.v == nil {
		return 0
	}
	v, _ := f.v.Float64()
	return v
}

// Rest returns 1 minus the value.
func (f *Fraction) Rest() float64 {
	v, _ := new(big.Rat).Sub(big.NewRat(1, 1), f.v).Float64()
	return v
}
