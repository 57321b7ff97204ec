package main

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/internal/show"
)

// formatCount writes a number exactly, in groups of three: 3,216,152.
func formatCount(n int64) string { return show.Grouped(n) }

// counted writes a number of things: 1 seed, 2,000 seeds.
func counted(n int64, thing string) string { return show.Counted(n, thing) }

// formatShort writes a number to three digits: 3.22M. It is for progress, where
// nobody reads more.
func formatShort(n int64) string {
	return scaled(n, 1000, []string{"", "k", "M", "G", "T", "P", "E"})
}

// formatBytes writes an amount of memory or disk to three digits: 64 MiB, 1.5 GiB.
func formatBytes(n int64) string {
	return scaled(n, 1024, []string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"})
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

// formatDuration writes a duration to two units: 350ms, 4.2s, 3m20s, 2h05m, 3d04h.
func formatDuration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + formatDuration(-max(d, -math.MaxInt64))
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

// byteSize is a flag for an amount of memory or disk. K, M, G and T, alone or with
// iB, are powers of 1024; KB, MB, GB and TB are powers of 1000, as in coreutils.
type byteSize int64

func (b *byteSize) Type() string { return "size" }

func (b *byteSize) String() string { return strings.ReplaceAll(formatBytes(int64(*b)), " ", "") }

func (b *byteSize) Set(text string) error {
	n, err := parseBytes(text)
	if err == nil {
		*b = byteSize(n)
	}
	return err
}

// parseBytes reads an amount such as 64M, 1.5GiB, 6G or 1000000.
func parseBytes(text string) (int64, error) {
	unitAt := len(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	number, unit := strings.TrimSpace(text[:unitAt]), text[unitAt:]
	factor, ok := byteUnit(unit)
	if !ok {
		return 0, fmt.Errorf("size %q: unknown unit %q, use K, M, G or T (powers of 1024) or KB, MB, GB, TB (of 1000)", text, unit)
	}
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return 0, fmt.Errorf("size %q: want a number and a unit, such as 64M or 1.5GiB", text)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("size %q: want a number and a unit, such as 64M or 1.5GiB", text)
	}
	if v *= factor; v >= math.MaxInt64 {
		return 0, fmt.Errorf("size %q is too large", text)
	}
	return int64(v), nil
}

// byteUnit is the number of bytes in a unit, in any case.
func byteUnit(unit string) (factor float64, ok bool) {
	unit = strings.ToUpper(unit)
	if unit == "" || unit == "B" {
		return 1, true
	}
	power := strings.IndexByte("KMGTPE", unit[0]) + 1
	switch rest := unit[1:]; {
	case power == 0:
		return 0, false
	case rest == "" || rest == "IB":
		return math.Pow(1024, float64(power)), true
	case rest == "B":
		return math.Pow(1000, float64(power)), true
	}
	return 0, false
}

// count is a flag for a number of things: 10M is 10,000,000.
type count int64

func (c *count) Type() string   { return "number" }
func (c *count) String() string { return formatShort(int64(*c)) }

func (c *count) Set(text string) error {
	number, factor := text, int64(1)
	for i, unit := range []string{"k", "M", "G"} {
		if n, found := strings.CutSuffix(strings.ToLower(text), strings.ToLower(unit)); found {
			number, factor = n, []int64{1e3, 1e6, 1e9}[i]
		}
	}
	n, err := parseCount(number, factor)
	if err != nil {
		return fmt.Errorf("%q: want a whole number such as 5000, 10k or 2.5M", text)
	}
	*c = count(n)
	return nil
}

// parseCount reads a decimal number and multiplies it by a power of ten; what comes
// out must be whole and at least 1.
func parseCount(number string, factor int64) (int64, error) {
	v, ok := new(big.Rat).SetString(number)
	if !ok || number == "" || strings.Trim(number, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is not a number", number)
	}
	v.Mul(v, new(big.Rat).SetInt64(factor))
	if !v.IsInt() || !v.Num().IsInt64() || v.Sign() <= 0 {
		return 0, fmt.Errorf("%q is not a count", number)
	}
	return v.Num().Int64(), nil
}
