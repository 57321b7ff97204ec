package live

import (
	"fmt"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/show"
)

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
