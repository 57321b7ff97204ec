package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/show"
)

// The numbers that the largest site is compared with: the known URLs of Cho et al. 1998,
// section 5.2, and those on their largest server.
const (
	ChoKnown  = 784_592
	ChoServer = 352_944
)

// A Trapped counts the pages that a crawl skipped as traps for one reason.
type Trapped struct {
	Bar    event.Bar
	Pages  int64
	Places []history.Trap // those with most pages
}

// Skipped returns what a crawl skipped as traps, by reason, the largest first.
func Skipped(s *history.Status) (list []Trapped) {
	for b := range event.Bar(event.Bars()) {
		x := Trapped{Bar: b, Pages: s.RefusedBy[b.String()]}
		for _, t := range s.Traps {
			if t.Reason == b.String() {
				x.Places = append(x.Places, t)
			}
		}
		if trap.IsTrap(b) && x.Pages > 0 {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b Trapped) int { return cmp.Compare(b.Pages, a.Pages) })
	return list
}

// CapName returns a limit with its value, as on the command line.
func CapName(x *state.Cap) string {
	if table, key, ok := strings.Cut(x.Key, "."); ok {
		return fmt.Sprintf("%s of a [[%s]]", key, table)
	}
	return capFlag(x.Key) + " " + x.Value
}

// capFlag returns the flag of a key.
func capFlag(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

// CapWhere returns the places where a limit left out most.
func CapWhere(x *state.Cap) string {
	var parts []string
	rest := x.Left
	for _, p := range x.Where {
		parts = append(parts, show.Grouped(p.Left)+" of "+p.Name)
		rest -= p.Left
	}
	if len(parts) > 0 && rest > 0 {
		parts = append(parts, show.Grouped(rest)+" elsewhere")
	}
	return strings.Join(parts, ", ")
}

// CapRaise returns the flag with which the limit would have left out nothing, "" if there
// is none.
func CapRaise(x *state.Cap) string {
	if x.Key == "" || x.Raise == "" {
		return ""
	}
	return capFlag(x.Key) + " " + x.Raise
}
