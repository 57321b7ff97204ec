package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/stored"
)

// testCrawl crawls a small site whose first page is a redirect, and returns its archive and seed.
func testCrawl(t *testing.T) (*stored.Archive, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/start", http.StatusFound)
		case "/start":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>The start</title><h1>Welcome to these pages</h1>")
			for i := range 30 {
				fmt.Fprintf(w, "<a href=/p%d>%d</a> ", i, i)
			}
		case "/robots.txt":
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>Page %s</title><p>%s", r.URL.Path, strings.Repeat("some words of "+r.URL.Path+" ", 50))
		}
	}))
	t.Cleanup(server.Close)
	c := config.Default()
	c.Contact, c.AllowPrivate = "me@example.org", true
	c.Delay, c.DelayFactor, c.IPDelay, c.Traps = config.Seconds(0.001), 0, config.Seconds(0), false
	dir := t.TempDir()
	if _, err := crawl.Run(context.Background(), crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{server.URL + "/"}}); err != nil {
		t.Fatal(err)
	}
	a, err := stored.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return a, server.URL + "/"
}

var now = time.Date(2026, 11, 17, 1, 2, 3, 0, time.UTC)

// The file has all parts, each with its size and hash, the WARC files and the index not packed
// again, the seeds before the other pages, and a signature that its public key verifies.
func TestWrite(t *testing.T) {
	a, seed := testCrawl(t)
	key, made, err := ReadKey(filepath.Join(t.TempDir(), "key.pem"))
	if err != nil || !made {
		t.Fatal(made, err)
	}
	var b bytes.Buffer
	sum, err := Write(context.Background(), a, &b, Options{Title: "T", Software: "winnow test", Seeds: []string{seed}, Key: key, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Files != 1 || sum.Pages != 31 || sum.Records != 33 || !sum.Signed {
		t.Errorf("%+v", sum)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if parts[f.Name], err = io.ReadAll(in); err != nil { // also compares the CRC
			t.Fatal(err)
		}
		if packed := strings.HasSuffix(f.Name, ".gz"); packed != (f.Method == zip.Store) {
			t.Errorf("%s has method %d", f.Name, f.Method)
		}
	}
	checkManifest(t, parts)
	checkSignature(t, parts, key)
	checkIndex(t, parts)
	checkPages(t, parts, seed)
	var again bytes.Buffer
	if _, err := Write(context.Background(), a, &again, Options{Title: "T", Software: "winnow test", Seeds: []string{seed}, Now: now}); err != nil {
		t.Fatal(err)
	}
	var third bytes.Buffer
	Write(context.Background(), a, &third, Options{Title: "T", Software: "winnow test", Seeds: []string{seed}, Now: now})
	if !bytes.Equal(again.Bytes(), third.Bytes()) {
		t.Error("the same archive gives another file")
	}
}

func checkManifest(t *testing.T, parts map[string][]byte) {
	t.Helper()
	var data struct {
		Profile     string
		WaczVersion string `json:"wacz_version"`
		Created     string
		Resources   []resource
	}
	if err := json.Unmarshal(parts["datapackage.json"], &data); err != nil {
		t.Fatal(err)
	}
	if data.Profile != "data-package" || data.WaczVersion != "1.1.1" || data.Created != "2026-11-17T01:02:03Z" {
		t.Errorf("%+v", data)
	}
	var names []string
	for _, r := range data.Resources {
		names = append(names, r.Path)
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(parts[r.Path])); got != r.Hash || int64(len(parts[r.Path])) != r.Bytes {
			t.Errorf("%s: %s and %d bytes, not %s and %d", r.Path, got, len(parts[r.Path]), r.Hash, r.Bytes)
		}
	}
	if len(names) != len(parts)-2 || len(names) < 5 {
		t.Errorf("resources: %v of %d parts", names, len(parts))
	}
}

// checkSignature verifies as the replayer of Webrecorder does.
func checkSignature(t *testing.T, parts map[string][]byte, key *ecdsa.PrivateKey) {
	t.Helper()
	var d digestFile
	if err := json.Unmarshal(parts["datapackage-digest.json"], &d); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(parts["datapackage.json"])); d.Path != "datapackage.json" || d.Hash != want || d.Signed.Hash != want {
		t.Errorf("%+v, want %s", d, want)
	}
	der, _ := base64.StdEncoding.DecodeString(d.Signed.PublicKey)
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil || !key.PublicKey.Equal(public) {
		t.Fatal(err)
	}
	raw, _ := base64.StdEncoding.DecodeString(d.Signed.Signature)
	hash := sha256.Sum256([]byte(d.Hash))
	r, s := new(big.Int).SetBytes(raw[:48]), new(big.Int).SetBytes(raw[48:])
	if len(raw) != 96 || !ecdsa.Verify(&key.PublicKey, hash[:], r, s) {
		t.Error("the signature is wrong")
	}
}

// checkIndex looks up every line of the index by its block, and the record of every line.
func checkIndex(t *testing.T, parts map[string][]byte) {
	t.Helper()
	idx := bufio.NewScanner(bytes.NewReader(parts["indexes/index.idx"]))
	if !idx.Scan() || idx.Text() != `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` {
		t.Fatal(idx.Text())
	}
	var lines [][]byte
	for idx.Scan() {
		first, object, _ := strings.Cut(idx.Text(), " {")
		var x struct {
			Offset, Length int
			Digest         string
		}
		if err := json.Unmarshal([]byte("{"+object), &x); err != nil {
			t.Fatal(err)
		}
		block := parts["indexes/index.cdx.gz"][x.Offset:][:x.Length]
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(block)); got != x.Digest {
			t.Errorf("block at %d has %s, not %s", x.Offset, got, x.Digest)
		}
		in, err := gzip.NewReader(bytes.NewReader(block))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || !bytes.HasPrefix(text, []byte(first+" {")) {
			t.Fatalf("block at %d begins with %.60q, not %q: %v", x.Offset, text, first, err)
		}
		lines = slices.AppendSeq(lines, bytes.Lines(text))
	}
	if !slices.IsSortedFunc(lines, bytes.Compare) || len(lines) != 33 {
		t.Errorf("%d lines, not sorted or not all", len(lines))
	}
	for _, line := range lines {
		l, err := archive.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		warc := parts["archive/"+l.File]
		rec, err := archive.NewReaderAt(bytes.NewReader(warc), l.Offset, l.File).Next()
		if err != nil || rec.URL != l.URL {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func checkPages(t *testing.T, parts map[string][]byte, seed string) {
	t.Helper()
	read := func(name string) (head map[string]any, list []page) {
		for i, line := range bytes.Split(bytes.TrimSpace(parts[name]), []byte("\n")) {
			var p page
			var err error
			if i == 0 {
				err = json.Unmarshal(line, &head)
			} else if err = json.Unmarshal(line, &p); err == nil {
				list = append(list, p)
			}
			if err != nil {
				t.Fatal(name, err)
			}
		}
		return head, list
	}
	head, seeds := read("pages/pages.jsonl")
	if head["format"] != "json-pages-1.0" || head["id"] != "pages" || head["hasText"] != true {
		t.Errorf("%v", head)
	}
	if len(seeds) != 1 || seeds[0].URL != seed+"start" || seeds[0].Title != "The start" || !strings.Contains(seeds[0].Text, "Welcome") || seeds[0].Time == "" || seeds[0].ID == "" {
		t.Errorf("%+v", seeds)
	}
	if _, others := read("pages/extraPages.jsonl"); len(others) != 30 {
		t.Errorf("%d other pages", len(others))
	}
	if !bytes.Contains(parts["datapackage.json"], []byte(`"mainPageUrl": "`+seed+`start"`)) {
		t.Errorf("%s", parts["datapackage.json"])
	}
}

// A key is made once and read again; what is no key for P-384 is refused.
func TestReadKey(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key.pem")
	key, _, err := ReadKey(name)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if again, made, err := ReadKey(name); err != nil || made || !again.Equal(key) {
		t.Error(made, err)
	}
	small, _ := ecdsa.GenerateKey(elliptic.P256(), nil)
	der, err := x509.MarshalECPrivateKey(small)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string][]byte{"P-256": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), "PEM": []byte("x")} {
		os.WriteFile(name, text, 0o600)
		if _, _, err := ReadKey(name); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An independent replayer shows a page of the file in a browser, and verifies its signature.
// scripts/replay.sh install fetches the replayer.
func TestReplay(t *testing.T) {
	script := filepath.Join("..", "..", "..", "scripts", "replay.sh")
	if testing.Short() || exec.Command(script, "check").Run() != nil {
		t.Skip("no replayer or no browser: scripts/replay.sh install")
	}
	a, seed := testCrawl(t)
	dir := t.TempDir()
	key, _, err := ReadKey(filepath.Join(dir, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "x.wacz")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(context.Background(), a, f, Options{Seeds: []string{seed}, Key: key, Now: now}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(script, "show", name, seed+"p7").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{`"title":"Page /p7"`, `"words":200`, `"pages/pages.jsonl"`, `"signature"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}
