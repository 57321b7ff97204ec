package page

import (
	"fmt"
	"strings"
	"testing"
)

// TestMetaRobots: what is said to all and what is said to us is kept as written, in
// order (W15); what others are told is not.
func TestMetaRobots(t *testing.T) {
	s, p := NewScanner(ScanOptions{Agent: "winnow"}), new(Page)
	for range 2 { // a page that is used again holds nothing of the one before
		s.Scan([]byte(`<meta content="noindex, &#110;one" name=ROBOTS><meta name=otherbot content=noarchive>`+
			`<meta name=" WinNow " content=nofollow><meta name=robots content=""><meta name=winnowbot content=noindex>`), p)
		if got := fmt.Sprintf("%q", p.Robots); got != `["noindex, none" "nofollow"]` {
			t.Errorf("got %s", got)
		}
	}
	NewScanner(ScanOptions{}).Scan([]byte(`<meta name content=none><meta name="" content=none><meta content=none>`), p)
	if len(p.Robots) != 0 {
		t.Errorf("nameless meta: got %q", p.Robots)
	}
	s.Scan([]byte(strings.Repeat("<meta name=robots content="+strings.Repeat("x", 5000)+">", 2*maxRobots)), p)
	if len(p.Robots) != maxRobots || len(p.Robots[0]) != 1024 {
		t.Errorf("%d values, the first of %d bytes", len(p.Robots), len(p.Robots[0]))
	}
}

// TestAlternate: an alternate is a page unless its type says otherwise.
func TestAlternate(t *testing.T) {
	s, p := NewScanner(ScanOptions{}), new(Page)
	s.Scan([]byte(`<link rel=alternate href=a><link rel=alternate type="Text/HTML; charset=utf-8" href=b>`+
		`<link rel=alternate type=application/rss+xml href=c><link rel=next type=application/pdf href=d>`), p)
	want := []Rel{RelAlternate, RelAlternate, RelAlternate | RelResource | RelFeed, RelNext}
	for i, l := range p.Links {
		if l.Rel != want[i] {
			t.Errorf("link %d: rel %b, want %b", i, l.Rel, want[i])
		}
	}
	if len(p.Links) != len(want) {
		t.Errorf("%d links", len(p.Links))
	}
}

func TestRefresh(t *testing.T) {
	for content, want := range map[string]string{
		"5":                      "5 ",
		"5; url=/a":              "5 /a",
		"0;URL='/a b'":           "0 /a b",
		`0; url = "/a" b`:        "0 /a",
		" 1.5 , /a":              "1 /a",
		"5 /a":                   "5 /a",
		".5;/a":                  "0 /a",
		"5;":                     "5 ",
		"5; url":                 "5 url",
		"5; urlx":                "5 urlx",
		"5; url='/a":             "5 /a",
		"5;;/a":                  "5 ;/a",
		"99999999999999999999;x": "31536000 x",
		"":                       "-1 ",
		"x; url=/a":              "-1 ",
		"5x; url=/a":             "-1 ",
	} {
		p := new(Page)
		NewScanner(ScanOptions{}).Scan([]byte(`<meta http-equiv=Refresh content="`+strings.ReplaceAll(content, `"`, "&quot;")+`">`), p)
		got := fmt.Sprint(p.Refresh, " ")
		for _, l := range p.Links {
			got += string(p.Href(l))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

func TestRel(t *testing.T) {
	p := new(Page)
	NewScanner(ScanOptions{}).Scan([]byte("<a rel='NoFollow\tugc sponsored' href=1><link rel='shortcut icon' href=2><link rel=canonical href=3>"+
		"<link rel=canonical href=4><a rel='next,prev nofollowed' href=5><link rel=preload href=6><link rel='&#110;ext' href=7>"), p)
	want := []Rel{RelNofollow | RelUGC | RelSponsored, RelIcon, RelCanonical, RelCanonical, RelNext | RelPrev, RelResource, RelNext}
	for i, l := range p.Links {
		if l.Rel != want[i] {
			t.Errorf("link %d: got %b, want %b", i+1, l.Rel, want[i])
		}
	}
	if len(p.Links) != len(want) {
		t.Errorf("%d links", len(p.Links))
	}
}
