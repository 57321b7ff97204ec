// Package data finds the real web graphs that tests run against when they are there. They
// are too large, and not ours, to be part of the repository: they lie next to the checkout,
// and a test that uses one must have a generated or hand-made graph to fall back on.
package data

import (
	"os"
	"path/filepath"
)

// Dir returns the directory with the graphs: $WINNOW_DATA if that is set, else
// ../shared/data seen from the module root. ok is false when it is not there.
func Dir() (dir string, ok bool) {
	dir = os.Getenv("WINNOW_DATA")
	if dir == "" {
		root, found := moduleRoot()
		if !found {
			return "", false
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// File returns the path of one file below Dir, such as File("hollins", "hollins.edges.gz").
// ok is false when it is not there.
func File(elem ...string) (name string, ok bool) {
	dir, ok := Dir()
	if !ok {
		return "", false
	}
	name = filepath.Join(append([]string{dir}, elem...)...)
	_, err := os.Stat(name)
	return name, err == nil
}

// moduleRoot walks up from the working directory, which is the package's own
// while its tests run, to the directory with go.mod.
func moduleRoot() (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
