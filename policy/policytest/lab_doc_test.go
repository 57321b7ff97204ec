package policytest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPolicyInDocs does what docs/lab.md tells the reader to do: it puts the policy printed
// there into a file of package policy, adds it to the table, and runs the conformance suite
// over it. The files exist for the compiler only (go test -overlay).
func TestPolicyInDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the compiler")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(readText(t, filepath.Join(root, "docs", "lab.md")), "\n## Write a policy\n")
	_, block, _ := strings.Cut(section, "\n```go\n")
	source, _, ok := strings.Cut(block, "\n```\n")
	if !ok || !strings.HasPrefix(source, "package policy\n") {
		t.Fatalf("docs/lab.md has no file of package policy:\n%.200s", section)
	}
	const table = "return []*Spec{\n"
	registry := filepath.Join(root, "policy", "registry.go")
	text := readText(t, registry)
	if !strings.Contains(text, table) {
		t.Fatal("policy/registry.go has no table")
	}
	overlay := overlayOf(t, map[string]string{
		filepath.Join(root, "policy", "short_out.go"): source,
		registry: strings.Replace(text, table, table+"\t\tshortOutSpec(),\n", 1),
	})
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-short", "-v", "-run", "^TestPolicies$/^short-out$", ".")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestPolicies/short-out/") {
		t.Errorf("%v\n%s", err, out)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// overlayOf writes the texts of files to other files, and a file that tells the go command to
// read these instead.
func overlayOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range files {
		replace[name] = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(replace[name], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o644); err != nil {
		t.Fatal(err)
	}
	return overlay
}
