package show

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestFormatNumbers(t *testing.T) {
	for _, test := range []struct {
		n                   int64
		count, short, bytes string
	}{
		{0, "0", "0", "0 B"},
		{7, "7", "7", "7 B"},
		{999, "999", "999", "999 B"},
		{1000, "1,000", "1k", "0.98 KiB"},
		{1024, "1,024", "1.02k", "1 KiB"},
		{12345, "12,345", "12.3k", "12.1 KiB"},
		{999_499, "999,499", "999k", "976 KiB"},
		{999_500, "999,500", "1M", "976 KiB"},
		{3_216_152, "3,216,152", "3.22M", "3.07 MiB"},
		{64 << 20, "67,108,864", "67.1M", "64 MiB"},
		{3 << 29, "1,610,612,736", "1.61G", "1.5 GiB"},
		{-1500, "-1,500", "-1.5k", "-1.46 KiB"},
		{math.MaxInt64, "9,223,372,036,854,775,807", "9.22E", "8 EiB"},
		{math.MinInt64, "-9,223,372,036,854,775,808", "-9.22E", "-8 EiB"},
	} {
		count, short, bytes := Grouped(test.n), Short(test.n), Bytes(test.n)
		if count != test.count || short != test.short || bytes != test.bytes {
			t.Errorf("%d: %q, %q, %q, want %q, %q, %q", test.n, count, short, bytes, test.count, test.short, test.bytes)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                  "0s",
		350 * time.Millisecond:             "350ms",
		4230 * time.Millisecond:            "4.2s",
		42*time.Second + 300*1e6:           "42s",
		200 * time.Second:                  "3m20s",
		2*time.Hour + 5*time.Minute + 9e9:  "2h05m",
		76*time.Hour + 59*time.Minute:      "3d04h",
		-5 * time.Second:                   "-5s",
		time.Minute - 100*time.Millisecond: "1m0s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1000000": 1e6, "17B": 17,
		"64M": 64 << 20, "64m": 64 << 20, "64MiB": 64 << 20, "64mib": 64 << 20, "64 MiB": 64 << 20,
		"64MB": 64e6, "1.5GiB": 3 << 29, "6G": 6 << 30, "0.5K": 512, "2T": 2 << 40, ".5k": 512,
		"1.9B": 1,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("Set(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseSizeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "want a size", "M": "want a size", "-1M": "want a size", "+1M": "want a size", "1e9": "want a size",
		"1.2.3M": "want a size", "0x10": "want a size", "64Q": "want a size", "64Mi": "want a size",
		"64MiBs": "want a size", "inf": "want a size", "8E": "too large", "9999999P": "too large",
	} {
		if n, err := parseSize(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d, error %v, want %q", text, n, err, want)
		}
	}
}

func parseSize(text string) (int64, error) {
	var s Size
	err := s.Set(text)
	return int64(s), err
}

// FuzzParseSize: nothing panics, and what is accepted is never negative.
func FuzzParseSize(f *testing.F) {
	for _, text := range []string{"64M", "1.5GiB", "0", "8E", "7.999999999999EiB", "1e3", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseSize(text)
		if err == nil && n < 0 {
			t.Errorf("Set(%q) = %d", text, n)
		}
	})
}
