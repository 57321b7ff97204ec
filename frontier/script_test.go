package frontier

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the output in testdata/*.txt")

// TestScripts runs the scripts in testdata. Lines at the margin are commands, and the
// indented lines below a command are what it must print; testdata/README says what
// commands there are. With -update the output is written again: only commit it if you
// understand the difference.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { runScript(t, name) })
	}
}

func runScript(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := replayScript(t, name, string(text))
	if got == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s: %s", name, firstDifference(string(text), got))
}

// replayScript runs the commands of a script and returns it with their output.
func replayScript(t *testing.T, name, text string) string {
	var out strings.Builder
	s := newScript(t)
	defer s.close()
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "    ") {
			continue // output of the last time
		}
		fmt.Fprintln(&out, line)
		if line == "" || line[0] == '#' {
			continue
		}
		s.at = fmt.Sprintf("%s:%d", name, i+1)
		s.command(strings.Fields(line))
		for _, l := range s.printed {
			fmt.Fprintln(&out, "    "+l)
		}
		s.printed = s.printed[:0]
	}
	return out.String()
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	command := ""
	for i := 0; i < len(w) && i < len(g); i++ {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d, after %q: got %q, want %q", i+1, command, g[i], w[i])
		}
		if w[i] != "" && w[i][0] != ' ' && w[i][0] != '#' {
			command = w[i]
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}
