package archive

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWarcio has a reader that is not ours read what the writer wrote: all records at
// the same offsets, and the same index. It is optional: the reader is an npm package.
func TestWarcio(t *testing.T) {
	script, err := filepath.Abs("../../scripts/warcio.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(script, "check").Run(); err != nil {
		t.Skip("warcio is not installed: scripts/warcio.sh install")
	}
	name := filepath.Join(t.TempDir(), "x.warc.gz")
	if err := os.WriteFile(name, sample(t), 0o644); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, r := range mustRead(t, sample(t)) {
		fmt.Fprintf(&want, `{"offset":%d,"warc-type":%q`, r.Offset, r.Type)
		if r.URL != "" {
			fmt.Fprintf(&want, `,"warc-target-uri":%q`, r.URL)
		}
		want.WriteString("}\n")
	}
	if got := output(t, script, "index", name); got != want.String() {
		t.Errorf("index:\n%s\nwant\n%s", got, want.String())
	}
	lines := strings.SplitAfter(output(t, script, "cdx-index", name), "\n")
	slices.Sort(lines)
	if err := WriteIndex(name); err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(IndexName(name))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines, ""); got != string(ours) {
		t.Errorf("cdx-index:\n%s\nours\n%s", got, ours)
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var errs strings.Builder
	c := exec.Command(name, args...)
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, errs.String())
	}
	return string(out)
}

// TestWget reads what a writer that is not ours wrote: WARC 1.0, chunks kept, targets in
// brackets. It is optional: wget must be there.
func TestWget(t *testing.T) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Skip("wget is not installed")
	}
	pages := map[string]string{"/plain": "<p>plain", "/chunked": strings.Repeat("<p>chunked", 1000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, pages[r.URL.Path])
		w.(http.Flusher).Flush() // no length: chunks
	}))
	defer server.Close()
	for _, args := range [][]string{{"--warc-file=w"}, {"--warc-file=w", "--no-warc-compression"}} {
		dir := t.TempDir()
		c := exec.Command(wget, append(args, "--quiet", "--no-proxy", server.URL+"/plain", server.URL+"/chunked")...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("wget: %v\n%s", err, out)
		}
		names, _ := filepath.Glob(filepath.Join(dir, "w.warc*"))
		if len(names) != 1 {
			t.Fatalf("files %q", names)
		}
		checkWget(t, names[0], server.URL, pages)
	}
}

func checkWget(t *testing.T, name, base string, pages map[string]string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, found := NewReader(f, name), 0
	for {
		r, err := z.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Type != "response" {
			continue
		}
		h, body, err := r.Response()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		if want := pages[strings.TrimPrefix(r.URL, base)]; err != nil || h.Status != 200 || string(got) != want || want == "" {
			t.Errorf("%s: status %d, %d bytes, want %d, %v", r.URL, h.Status, len(got), len(want), err)
		}
		found++
	}
	if found != len(pages) {
		t.Errorf("%d of %d pages", found, len(pages))
	}
	verifyFile(t, name)
}

// verifyFile checks every digest of a file.
func verifyFile(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := NewReader(f, name)
	for {
		r, err := z.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Verify(); err != nil {
			t.Error(err)
		}
	}
}
