package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The verbs that read a crawl read the directories of all versions.
func TestReadVersions(t *testing.T) {
	files, err := filepath.Glob("../../crawl/testdata/versions/*.zip")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded directories, %v", len(files), err)
	}
	for _, file := range files {
		z, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		temp := t.TempDir()
		if err := os.CopyFS(temp, z); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(temp, "crawl")
		for _, verb := range []string{"status", "pages", "sites", "log", "frontier", "verify", "report"} {
			code, stdout, stderr := tryRun(t.Context(), verb, dir)
			if code != 0 || stdout == "" && verb != "frontier" { // nothing may be left
				t.Errorf("winnow %s of %s ends with %d:\n%s%s", verb, filepath.Base(file), code, stdout, stderr)
			}
			if verb == "pages" {
				fields := strings.Fields(strings.Split(stdout, "\n")[1])
				if code, stdout, stderr = tryRun(t.Context(), "explain", dir, fields[len(fields)-1]); code != 0 || !strings.Contains(stdout, "links in") {
					t.Errorf("winnow explain of %s ends with %d:\n%s%s", filepath.Base(file), code, stdout, stderr)
				}
			}
		}
	}
}
