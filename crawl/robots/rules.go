package robots

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unsafe"
)

// Rules holds the rules of one robots.txt for one product token. The zero value allows
// everything. A crawler keeps one for every site, so it is one string, which is also its
// form on disk:
//
//	format   1 byte, 1
//	delay    uvarint, Crawl-delay in milliseconds
//	rules    the one that counts first, each:
//	    head     uvarint, length of text << 3 | wild << 2 | anchored << 1 | allow
//	    line     uvarint, in the robots.txt
//	    text     the pattern in normal form; wild: has a *; anchored: ends with $
//
// Rules are sorted when they are packed, so that the first that matches decides and no
// lengths need to be compared.
type Rules struct{ packed string }

// format numbers the layouts that Decode reads. 1: the first.
const format = 1

const (
	flagAllow = 1 << iota
	flagAnchored
	flagWild
	flagBits = iota
)

// A Verdict is the answer for one path.
type Verdict struct {
	Allowed bool
	// Rule is the pattern that decided, in normal form; "" if none matched, and for
	// /robots.txt. Line is its line in the file, from 1; 0 without a rule.
	Rule string
	Line int
}

// DisallowAll returns the rules for a site whose robots.txt is unavailable.
func DisallowAll() Rules { return pack([]rule{{pattern: "/"}}, 0) }

// Delay returns the Crawl-delay, at most MaxDelay; 0 if there is none.
func (r Rules) Delay() time.Duration {
	if r.packed == "" {
		return 0
	}
	ms, _ := uvarint(r.packed, 1)
	return time.Duration(ms) * time.Millisecond
}

// Test answers for a path with its query, in any spelling. It takes time linear in the
// length of the rules and, for each rule, of the path; it allocates only for paths that
// are over 1 KiB long and not in normal form.
func (r Rules) Test(path string) Verdict {
	if isNormal(path) {
		return r.test(path)
	}
	return r.testOther(path)
}

// testOther normalises the path first. The string shares the buffer, which
// nothing changes while test reads it and which test does not keep.
func (r Rules) testOther(path string) Verdict {
	var room [1 << 10]byte
	b := appendPath(room[:0], path)
	return r.test(unsafe.String(unsafe.SliceData(b), len(b)))
}

func (r Rules) test(path string) Verdict {
	if r.packed == "" || path == "/robots.txt" {
		return Verdict{Allowed: true}
	}
	_, i := uvarint(r.packed, 1)
	for i < len(r.packed) {
		head, line, text := uint64(0), uint64(0), ""
		head, i = uvarint(r.packed, i)
		line, i = uvarint(r.packed, i)
		text, i = r.packed[i:i+int(head>>flagBits)], i+int(head>>flagBits)
		if match(text, path, head) {
			return Verdict{head&flagAllow != 0, text, int(line)}
		}
	}
	return Verdict{Allowed: true}
}

// match reports whether the pattern matches the path from its first octet on. Between two
// stars the leftmost occurrence is as good as any other: what it leaves of the path
// contains what any other would leave. So there is no backtracking, and the time is linear
// in pattern and path.
func match(pattern, path string, flags uint64) bool {
	anchored := flags&flagAnchored != 0
	if anchored {
		pattern = pattern[:len(pattern)-1]
	}
	if flags&flagWild == 0 {
		return strings.HasPrefix(path, pattern) && (!anchored || len(path) == len(pattern))
	}
	piece, rest, _ := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, piece) {
		return false
	}
	path = path[len(piece):]
	for {
		piece, after, more := strings.Cut(rest, "*")
		if !more && anchored {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 || !more {
			return i >= 0
		}
		path, rest = path[i+len(piece):], after
	}
}

// uvarint reads a number at s[i:] that Decode or pack has checked, and returns the
// position after it.
func uvarint(s string, i int) (uint64, int) {
	v, shift := uint64(0), 0
	for s[i] >= 0x80 {
		v |= uint64(s[i]&0x7f) << shift
		shift += 7
		i++
	}
	return v | uint64(s[i])<<shift, i + 1
}

// AppendBinary appends the rules in the form that Decode reads. It never fails; the error
// is that of encoding.BinaryAppender.
func (r Rules) AppendBinary(dst []byte) ([]byte, error) {
	if r.packed == "" {
		return append(dst, format, 0), nil
	}
	return append(dst, r.packed...), nil
}

// Size returns the memory of the rules in bytes, without the Rules value itself.
func (r Rules) Size() int { return len(r.packed) }

var errCut = errors.New("decode robots rules: cut short or damaged")

// Decode reads what AppendBinary wrote. Damage that would make Test misbehave is an error;
// other damage must be found by the checksum of the store.
func Decode(data []byte) (Rules, error) {
	if len(data) == 0 {
		return Rules{}, errCut
	}
	if data[0] != format {
		return Rules{}, fmt.Errorf("decode robots rules: format %d, want %d", data[0], format)
	}
	rest := data[1:]
	ms, ok := number(&rest, uint64(MaxDelay/time.Millisecond))
	for ok && len(rest) > 0 {
		ok = skipRule(&rest)
	}
	switch {
	case !ok:
		return Rules{}, errCut
	case ms == 0 && len(data) == 2:
		return Rules{}, nil
	}
	return Rules{string(data)}, nil
}

// skipRule checks one rule and moves behind it.
func skipRule(rest *[]byte) bool {
	head, ok1 := number(rest, math.MaxInt32)
	_, ok2 := number(rest, math.MaxInt32)
	n := int(head >> flagBits)
	if !ok1 || !ok2 || n == 0 || n > len(*rest) {
		return false
	}
	text := string((*rest)[:n])
	*rest = (*rest)[n:]
	return head>>1<<1 == flagsOf(text)|uint64(n)<<flagBits
}

// number reads a uvarint of at most limit and moves behind it.
func number(rest *[]byte, limit uint64) (uint64, bool) {
	v, n := binary.Uvarint(*rest)
	if n <= 0 || v > limit {
		return 0, false
	}
	*rest = (*rest)[n:]
	return v, true
}

// flagsOf returns the flags that a pattern itself implies.
func flagsOf(pattern string) (flags uint64) {
	if strings.HasSuffix(pattern, "$") {
		flags |= flagAnchored
	}
	if strings.Contains(pattern, "*") {
		flags |= flagWild
	}
	return flags
}
