package terminal

import (
	"bytes"
	"testing"

	webcount "github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/internal/show"
)

// TestWaste: what visitors wasted is printed, and nothing where they did not.
func TestWaste(t *testing.T) {
	for _, test := range []struct {
		m    webcount.Summary
		want string
	}{
		{webcount.Summary{Traps: 30, TrapShare: 0.015, TrapKinds: map[string]int64{"farm": 20, "calendar": 10}, Copies: 7, Hidden: 2, Repeats: 3},
			"in traps  30  1.5 % of all requests: farm 20, calendar 10\ncopies     7  2 pages that only copies lead to\nrepeats    3  full answers for pages that had been answered\n"},
		{webcount.Summary{Requests: 5}, ""},
	} {
		table, out := show.NewList(), new(bytes.Buffer)
		addWaste(table, &test.m)
		if err := table.Print(out); err != nil || out.String() != test.want {
			t.Errorf("printed %q, %v, want %q", out, err, test.want)
		}
	}
}
