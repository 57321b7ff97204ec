package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	table := newTable("site", "pages", "share")
	table.add("http://a.example", formatCount(1200), "12.5 %")
	table.add("http://bücher.example", 7, "-")
	table.add("all")
	var b strings.Builder
	if err := table.print(&b); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"site                   pages   share",
		"http://a.example       1,200  12.5 %",
		"http://bücher.example      7       -",
		"all",
		"",
	}, "\n")
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
}

// TestTableRemarks: a remark that begins with a number is text.
func TestTableRemarks(t *testing.T) {
	table := newTable()
	table.add("pages", "12", "2.5 links a page")
	table.add("links", "30", "0.451 bytes a link")
	var b strings.Builder
	if err := table.print(&b); err != nil {
		t.Fatal(err)
	}
	if want := "pages  12  2.5 links a page\nlinks  30  0.451 bytes a link\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestTableWithoutHeading(t *testing.T) {
	table := newTable()
	table.add("pages", 12)
	table.add("links", 3456)
	var b strings.Builder
	if err := table.print(&b); err != nil {
		t.Fatal(err)
	}
	if want := "pages    12\nlinks  3456\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if err := table.print(&output{w: fullDisk{}}); err == nil {
		t.Error("no error on a full disk")
	}
}
