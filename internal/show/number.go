package show

import (
	"fmt"
	"math"
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
func Counted[N integer](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(n) + " " + thing
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
