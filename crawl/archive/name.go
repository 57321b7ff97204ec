package archive

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	Suffix      = ".warc.gz" // of a finished file
	openSuffix  = ".open"    // while the file is written
	indexSuffix = ".cdxj"
)

// fileName is PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz: names sort by time, and the number is
// what the journal calls the file.
func fileName(prefix string, at time.Time, number int) string {
	return fmt.Sprintf("%s-%s-%05d%s", prefix, at.UTC().Format("20060102150405"), number, Suffix)
}

// IndexName is the name of the index of a WARC file.
func IndexName(name string) string { return strings.TrimSuffix(name, Suffix) + indexSuffix }

// FileNumber returns the number in the name of a WARC file, finished or not.
func FileNumber(name string) (number int, ok bool) {
	stem, ok := strings.CutSuffix(strings.TrimSuffix(name, openSuffix), Suffix)
	number, err := strconv.Atoi(stem[strings.LastIndexByte(stem, '-')+1:])
	return number, ok && err == nil
}

// IsAside reports whether a file name is that of bytes which Open set aside.
func IsAside(name string) bool {
	_, number, ok := strings.Cut(name, Suffix+asideSuffix+"-")
	return ok && digits(number)
}

// parseName takes a file name of the archive apart: its number, and what follows it. Other
// names are not ours and are left alone.
func parseName(prefix, name string) (number int, tail string, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix+"-")
	if !ok || len(rest) < 15 || rest[14] != '-' || !digits(rest[:14]) {
		return 0, "", false
	}
	stem, tail, _ := strings.Cut(rest[15:], ".")
	if len(stem) < 5 || len(stem) > 9 || !digits(stem) {
		return 0, "", false
	}
	number, err := strconv.Atoi(stem)
	return number, "." + tail, err == nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// checkPrefix keeps names inside the directory and readable by other tools.
func checkPrefix(prefix string) error {
	for i := range len(prefix) {
		c := prefix[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0) {
			return fmt.Errorf("archive: prefix %q: only letters, digits, '-', '_' and '.'", prefix)
		}
	}
	if prefix == "" {
		return fmt.Errorf("archive: empty prefix")
	}
	return nil
}
