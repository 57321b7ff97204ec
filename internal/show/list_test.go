package show

import (
	"strings"
	"syscall"
	"testing"
)

func TestTable(t *testing.T) {
	table := NewList("site", "pages", "share")
	table.Add("http://a.example", Grouped(1200), "12.5 %")
	table.Add("http://bücher.example", 7, "-")
	table.Add("all")
	var b strings.Builder
	if err := table.Print(&b); err != nil {
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
	table := NewList()
	table.Add("pages", "12", "2.5 links a page")
	table.Add("links", "30", "0.451 bytes a link")
	var b strings.Builder
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	if want := "pages  12  2.5 links a page\nlinks  30  0.451 bytes a link\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestTableWithoutHeading(t *testing.T) {
	table := NewList()
	table.Add("pages", 12)
	table.Add("links", 3456)
	var b strings.Builder
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	if want := "pages    12\nlinks  3456\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if err := table.Print(fullDisk{}); err == nil {
		t.Error("no error on a full disk")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
