package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Decision 0003 has a row for every module that go.mod requires directly, and for no other.
func TestModules(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	required := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read("go.mod"), -1) {
		required[m[1]] = true
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \|`).FindAllStringSubmatch(read("docs/decisions/0003-dependencies.md"), -1) {
		listed[m[1]] = true
	}
	if len(required) == 0 {
		t.Fatal("no module found in go.mod")
	}
	for m := range required {
		if !listed[m] {
			t.Errorf("decision 0003 does not name %s, which go.mod requires", m)
		}
	}
	for m := range listed {
		if !required[m] {
			t.Errorf("decision 0003 names %s, which go.mod does not require", m)
		}
	}
}
