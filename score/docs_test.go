package score

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTermsInDocs checks that docs/score.md has the table of terms and of rules.
func TestTermsInDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/score.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range Table() {
		if row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", info.Name, info.Meaning, info.Unit, info.Source); !strings.Contains(string(text), row) {
			t.Errorf("docs/score.md lacks the row\n%s", row)
		}
	}
	for _, kind := range RuleKinds() {
		if !strings.Contains(string(text), "| `"+kind[0]+"` |") {
			t.Errorf("docs/score.md lacks the rule %s", kind[0])
		}
	}
}
