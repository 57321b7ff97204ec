package group

import (
	"bytes"

	"github.com/zeebo/xxh3"
)

// A Path is the look of the path and query of a URL. It may be used again.
type Path struct {
	Dirs    int    // directories
	Index   bool   // the page that stands for its directory
	Query   bool   // it has a query
	Numbers bool   // the name of the file has digits
	Look    uint64 // hash of what kind of file it is, whatever its directory

	text    []byte
	ends    []int // of the directories in text
	kind    uint64
	pattern uint64
	room    []byte
}

// Dir returns directory i, from 0.
func (p *Path) Dir(i int) []byte {
	start := 1
	if i > 0 {
		start = p.ends[i-1] + 1
	}
	return p.text[start:p.ends[i]]
}

// Parse reads the part of a URL behind the site. The path refers to it.
func (p *Path) Parse(text []byte) {
	text, _, _ = bytes.Cut(text, []byte("#"))
	text, query, asks := bytes.Cut(text, []byte("?"))
	*p = Path{text: text, ends: p.ends[:0], room: p.room[:0], Query: asks && len(query) > 0}
	file := text
	for i, c := range text {
		if c != '/' {
			continue
		}
		if i > 0 {
			p.ends = append(p.ends, i)
		}
		file = text[i+1:]
	}
	p.Dirs = len(p.ends)
	p.readFile(file, query)
}

// readFile describes the name of a file and the names of a query.
func (p *Path) readFile(file, query []byte) {
	p.Index = isIndex(file)
	p.room = append(p.room[:0], '?')
	for part := range bytes.SplitSeq(query, []byte("&")) {
		name, _, _ := bytes.Cut(part, []byte("="))
		p.room = append(squash(append(p.room, '&'), name), 0)
	}
	names := len(p.room)
	p.room = append(lower(p.room, ending(file)), 0)
	p.kind = xxh3.Hash(p.room)
	p.room = squash(append(p.room[:names], 1), file)
	p.pattern = xxh3.Hash(p.room)
	p.Numbers = hasDigit(file)
	marks := byte(0)
	for i, is := range []bool{p.Index, p.Numbers, p.Dirs == 0} {
		if is {
			marks |= 1 << i
		}
	}
	p.Look = xxh3.HashSeed([]byte{marks}, p.kind)
}

// ending returns what follows the last dot of a name.
func ending(file []byte) []byte {
	if i := bytes.LastIndexByte(file, '.'); i >= 0 {
		return file[i+1:]
	}
	return nil
}

// isIndex reports whether a file is the one that a server shows for its directory.
func isIndex(file []byte) bool {
	if len(file) == 0 {
		return true
	}
	name := ""
	switch file[0] | 0x20 {
	case 'i':
		name = "index."
	case 'd':
		name = "default."
	case 'h':
		name = "home."
	case 'w':
		name = "welcome."
	}
	return name != "" && len(file) >= len(name) && bytes.EqualFold(file[:len(name)], []byte(name))
}

func hasDigit(text []byte) bool {
	for _, c := range text {
		if c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}

// squash appends a text with every run of digits as one mark.
func squash(b, text []byte) []byte {
	for i, c := range text {
		switch {
		case c < '0' || c > '9':
			b = append(b, c)
		case i == 0 || text[i-1] < '0' || text[i-1] > '9':
			b = append(b, '#')
		}
	}
	return b
}

// lower appends a text in lower case.
func lower(b, text []byte) []byte {
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}
