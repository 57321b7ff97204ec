package data

import (
	"os"
	"path/filepath"
	"testing"
)

// tree makes files below a new directory and gives its path.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBesideTheCheckout(t *testing.T) {
	t.Setenv("WINNOW_DATA", "")
	dir := tree(t, "checkout/go.mod", "checkout/graph/bv/a.go", "shared/data/small/small.edges")
	t.Chdir(filepath.Join(dir, "checkout", "graph", "bv"))
	if name, ok := File("small", "small.edges"); !ok {
		t.Errorf("File = %q, false", name)
	}
	if name, ok := File("small", "small.urls.gz"); ok {
		t.Errorf("File = %q, true for a file that is not there", name)
	}
}

func TestNotThere(t *testing.T) {
	t.Setenv("WINNOW_DATA", "")
	t.Chdir(tree(t, "go.mod"))
	if dir, ok := Dir(); ok {
		t.Errorf("Dir = %q, true", dir)
	}
	if name, ok := File("a"); ok {
		t.Errorf("File = %q, true", name)
	}
}

func TestEnvironmentWins(t *testing.T) {
	dir := tree(t, "go.mod", "elsewhere/a")
	t.Chdir(dir)
	t.Setenv("WINNOW_DATA", filepath.Join(dir, "elsewhere"))
	if name, ok := File("a"); !ok || name != filepath.Join(dir, "elsewhere", "a") {
		t.Errorf("File = %q, %v", name, ok)
	}
	t.Setenv("WINNOW_DATA", filepath.Join(dir, "elsewhere", "a"))
	if got, ok := Dir(); ok {
		t.Errorf("Dir = %q, true for a file", got)
	}
}
