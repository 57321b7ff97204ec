package terminal

import (
	"strings"

	"github.com/winnow-crawler/winnow/crawl/fetch"
)

// Command writes arguments so that a shell reads them back. Secrets are masked.
func Command(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range fetch.MaskSecrets(args) {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&|;<>()*?[]{}`!#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		quoted[i] = a
	}
	return strings.Join(quoted, " ")
}
