package archive

import (
	"bytes"
	"strings"
)

// appendSent appends the head of a response as the server sent it: names, their case, their order,
// repetitions, and the bytes of values. Three things differ: lines end in CR LF, a line that
// continues another one is joined to it by a space, and other control characters are spaces, so
// that every reader sees the same fields. A transfer coding, which the stored body has not, gets
// another name. It appends nothing if there is no such head or it cannot be read.
func appendSent(b, head []byte, want int) []byte {
	begin := len(b)
	first := true
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case first:
			if n, _ := status(line); n != want || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
				return b[:begin]
			}
			first = false
			b = append(appendValue(b, string(line)), "\r\n"...)
		case len(line) == 0:
			return append(b, "\r\n"...)
		case line[0] == ' ' || line[0] == '\t':
			b = append(bytes.TrimSuffix(b, []byte("\r\n")), ' ')
			b = append(appendValue(b, string(bytes.TrimLeft(line, " \t"))), "\r\n"...)
		default:
			name, _, ok := bytes.Cut(line, []byte(":"))
			if !ok || len(name) == 0 || !isToken(name) {
				return b[:begin]
			}
			if strings.EqualFold(string(name), "Transfer-Encoding") {
				b = append(b, origPrefix...)
			}
			b = append(appendValue(b, string(line)), "\r\n"...)
		}
	}
	return b[:begin] // it has no end
}

func isToken(name []byte) bool {
	for _, c := range name {
		if !token(c) {
			return false
		}
	}
	return true
}
