package trap

import "bytes"

// appendGroup appends the form of path and query of a page: what pages have in common that
// one program, or one person with a plan, has made. It keeps directories without numbers and
// ids, the ending of a file name, and the names of the parameters of a query.
//
//	/blog/2024/05/rice.html     /blog/#/#/*.html
//	/again/0f3a9c21b7/          /again/*/
//	/list.php?f=1&f=2           /list.php?f&f
func appendGroup(b, rest []byte) []byte {
	path, query, dynamic := bytes.Cut(rest, []byte("?"))
	last := lastSegment(path)
	if dynamic {
		b = appendFolded(b, path)
		return appendKeys(append(b, '?'), query)
	}
	b = appendFolded(b, path[:last])
	b = append(b, '*')
	name := path[last:]
	if bytes.HasSuffix(name, []byte("/")) {
		return append(b, '/')
	}
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 && len(name)-dot <= maxEnding {
		b = append(b, name[dot:]...)
	}
	return b
}

// maxEnding is the length of the ending of a file name, with its dot.
const maxEnding = 6

// lastSegment returns where the last segment of a path begins: that of /a/b/ is b/.
func lastSegment(path []byte) int {
	end := len(path)
	if end > 0 && path[end-1] == '/' {
		end--
	}
	return bytes.LastIndexByte(path[:end], '/') + 1
}

// idLength is the number of letters and digits from which a word with digits is an id, which
// is folded as a whole. A shorter word may be a name with a number.
const idLength = 6

// appendFolded appends a path in which numbers and ids are "#".
func appendFolded(b, path []byte) []byte {
	for len(path) > 0 {
		n, digits := word(path)
		switch {
		case n == 0:
			b, n = append(b, path[0]), 1
		case digits == 0:
			b = append(b, path[:n]...)
		case digits == n || n >= idLength:
			b = append(b, '#')
		default:
			b = appendNumbered(b, path[:n])
		}
		path = path[n:]
	}
	return b
}

// word returns the number of letters and digits that text begins with, and how many of them
// are digits.
func word(text []byte) (n, digits int) {
	for n < len(text) {
		switch c := text[n]; {
		case isDigit(c):
			digits++
		case c|0x20 < 'a' || c|0x20 > 'z':
			return n, digits
		}
		n++
	}
	return n, digits
}

// sureLength is the number of letters and digits from which a word with both is certainly an
// id: the name of a session, or a hash.
const sureLength = 10

// hasID reports whether path and query have such a word.
func hasID(rest []byte) bool {
	for len(rest) > 0 {
		n, digits := word(rest)
		if n >= sureLength && digits > 1 && digits < n {
			return true
		}
		rest = rest[max(n, 1):]
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// appendNumbered appends a word with "#" for each number in it.
func appendNumbered(b, word []byte) []byte {
	for i, c := range word {
		switch {
		case !isDigit(c):
			b = append(b, c)
		case i == 0 || !isDigit(word[i-1]):
			b = append(b, '#')
		}
	}
	return b
}

// appendKeys appends the names of the parameters of a query.
func appendKeys(b, query []byte) []byte {
	for more := true; more; {
		var param []byte
		param, query, more = bytes.Cut(query, []byte("&"))
		key, _, _ := bytes.Cut(param, []byte("="))
		b = append(append(b, key...), '&')
	}
	return b[:len(b)-1]
}

// place returns the part of a site in which a page lies, and how deep in it: for a path the
// first directory and the number of directories, for a query the program and the number of
// parameters. Pages at the top of a site lie in no place.
func place(rest []byte) (name []byte, depth int) {
	if path, query, dynamic := bytes.Cut(rest, []byte("?")); dynamic {
		return rest[:len(path)+1], 1 + bytes.Count(query, []byte("&"))
	}
	if depth = bytes.Count(rest, []byte("/")) - 1; depth == 0 {
		return nil, 0
	}
	return rest[:bytes.IndexByte(rest[1:], '/')+2], depth
}

// Deeper reports whether a page lies below another one of the same site, as pages of a place
// without end do: in a directory below its own, or with its query and more.
func Deeper(below, page []byte) bool {
	if path, query, dynamic := bytes.Cut(page, []byte("?")); dynamic {
		return len(below) > len(page) && bytes.HasPrefix(below, path) && below[len(path)] == '?' &&
			bytes.HasPrefix(below[len(path)+1:], query) && below[len(page)] == '&'
	}
	dir := page[:bytes.LastIndexByte(page, '/')+1]
	path, _, _ := bytes.Cut(below, []byte("?"))
	return bytes.HasPrefix(path, dir) && bytes.IndexByte(path[len(dir):], '/') >= 0
}
