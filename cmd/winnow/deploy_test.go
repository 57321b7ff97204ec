package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/console"
)

// TestUnit: systemd accepts the unit, and winnow accepts the command line in it.
func TestUnit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "winnow.service"))
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/winnow crawl (.+)$`).FindSubmatch(text)
	if start == nil || !bytes.Contains(text, []byte("\nSuccessExitStatus=130\n")) {
		t.Fatal("no command line, or the exit code of SIGTERM is a failure")
	}
	cmd := newCrawlCommand(console.New(nil, nil, nil))
	if err := cmd.ParseFlags(strings.Fields(string(start[1]))); err != nil {
		t.Error(err)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("/usr/local/bin/winnow"), []byte(self)) // it must exist
	text = regexp.MustCompile(`(?m)^Documentation=.*\n`).ReplaceAll(text, nil)   // so must man pages
	unit := filepath.Join(t.TempDir(), "winnow.service")
	if err := os.WriteFile(unit, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
