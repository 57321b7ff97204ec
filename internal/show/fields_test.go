package show

import (
	"strings"
	"testing"
)

type counts struct {
	Pages int64 `show:"pages"`
	Links int64 `show:"links" remark:"{/Pages} a page, {/Pages.3} exactly, {Pages: page} on {Sites: site}"`
}

type result struct {
	Name string
	counts
	Dangling int64   `show:"dangling" remark:"{%Pages} of {Pages} pages have none"`
	Bytes    int64   `show:"size,bytes"`
	Spilled  int64   `show:"on disk,bytes omitzero"`
	Seconds  float64 `show:"time,seconds"`
	Known    bool    `show:"sites,unless" remark:"not known"`
	Sites    uint32  `show:"sites,if=Known"`
}

// TestAddFields: labels, formats, remarks; what is zero, unknown or without a tag is left
// out.
func TestAddFields(t *testing.T) {
	for _, test := range []struct {
		r    result
		want string
	}{
		{result{counts: counts{2000, 5000}, Dangling: 500, Bytes: 64 << 20, Seconds: 90, Known: true, Sites: 1}, `
pages      2,000
links      5,000  2.5 a page, 2.500 exactly, 2,000 pages on 1 site
dangling     500  25.0 % of 2,000 pages have none
size      64 MiB
time       1m30s
sites          1
`},
		{result{Spilled: 1}, `
pages       0
links       0
dangling    0
size      0 B
on disk   1 B
time       0s
sites       -  not known
`},
	} {
		var b strings.Builder
		l := NewList()
		l.AddFields(&test.r)
		if err := l.Print(&b); err != nil || "\n"+b.String() != test.want {
			t.Errorf("%v, got\n%swant%s", err, b.String(), test.want)
		}
	}
}

func TestRows(t *testing.T) {
	var b strings.Builder
	type row struct {
		Site  string `show:"largest sites"`
		ID    int
		Pages int64 `show:"pages"`
	}
	err := Rows([]row{{"http://a.example", 1, 1200}, {"http://b.example", 2, 7}}).Print(&b)
	if want := "largest sites     pages\nhttp://a.example  1,200\nhttp://b.example      7\n"; err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, b.String(), want)
	}
}
