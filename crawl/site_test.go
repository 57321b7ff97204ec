package crawl

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// siteWeb answers with pages of all kinds: a long one, a slow one, one that is no HTML.
func siteWeb(rw http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		ownPage("/docs/1", "/docs/old/1", "/other", "/docs/a.pdf", "/docs/long", "/docs/slow")(rw, r)
	case "/docs/a.pdf":
		rw.Header().Set("Content-Type", "application/pdf")
		rw.Write([]byte("%PDF-1.4"))
	case "/docs/long":
		rw.Header().Set("Content-Type", "text/html")
		rw.Write([]byte("<p>" + strings.Repeat(ownWords(r.Host), 20)))
	case "/docs/slow":
		time.Sleep(5 * time.Second)
		ownPage()(rw, r)
	default:
		ownPage()(rw, r)
	}
}

// A table changes what is requested of its sites and how long it may take, and nothing
// elsewhere.
func TestSiteTables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": siteWeb, "b.example": siteWeb}, "http://a.example/", "http://b.example/")
		w.o.Config.Scope, w.o.Config.Retries, w.o.Config.Exclude = config.ScopeAny, 0, []string{"/other"}
		w.o.Config.Site = []config.Override{{
			Match: "a.example", Include: []string{"/docs/"}, Exclude: []string{"/old/"}, Types: config.TypesAll,
			MaxBody: 2000, FirstByte: config.Seconds(2),
		}}
		sum := w.run(t)
		for url, want := range map[string]bool{
			"http://a.example/docs/1": true, "http://a.example/docs/old/1": false, "http://a.example/other": false, "http://a.example/docs/a.pdf": true,
			"http://b.example/docs/1": true, "http://b.example/docs/old/1": true, "http://b.example/other": false, "http://b.example/docs/a.pdf": false,
			"http://b.example/docs/long": true, "http://b.example/docs/slow": true,
		} {
			if got := slices.Contains(w.asked, url); got != want {
				t.Errorf("%s was requested: %t", url, got)
			}
		}
		if sum.FailedBy[event.TooLarge.String()] != 1 || sum.FailedBy[event.Timeout.String()] != 1 || sum.Failed != 2 {
			t.Errorf("failed: %v", sum.FailedBy)
		}
		if len(sum.Caps) != 1 || sum.Caps[0].Key != "site.max_body" || sum.Caps[0].Left != 1 {
			t.Errorf("limits that left something out: %+v", sum.Caps)
		}
		clean(t, w.verify(t))
		// Larger limits and other patterns fetch what was refused.
		w.o.Seeds = nil
		w.resume(t, func(c *config.Config) { c.Site = []config.Override{{Match: "a.example", MaxBody: 1 << 20}} })
		for _, url := range []string{"http://a.example/docs/old/1", "http://a.example/docs/long"} {
			if !slices.Contains(w.asked[len(w.asked)-6:], url) {
				t.Errorf("%s was not requested with the new table: %v", url, w.asked)
			}
		}
	})
}

// receivedWeb notes which hosts received which secrets.
type receivedWeb struct {
	*handWeb
	mu   sync.Mutex
	seen map[string]string // by host
}

// newReceivedWeb returns a web whose hosts link to each other and redirect elsewhere.
func newReceivedWeb(t *testing.T, hosts ...string) *receivedWeb {
	r := &receivedWeb{seen: map[string]string{}}
	handlers, links := map[string]http.HandlerFunc{}, []string{"/away", "/2"}
	for _, host := range hosts {
		links = append(links, "http://"+host+"/")
	}
	for _, host := range hosts {
		handlers[host] = func(rw http.ResponseWriter, q *http.Request) {
			r.mu.Lock()
			for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "X-Team"} {
				if v := q.Header.Get(name); v != "" && !strings.Contains(r.seen[host], v) {
					r.seen[host] += name + ": " + v + "\n"
				}
			}
			r.mu.Unlock()
			if q.URL.Path == "/away" {
				http.Redirect(rw, q, "http://evil.test/from-"+host, http.StatusFound)
				return
			}
			ownPage(links...)(rw, q)
		}
	}
	r.handWeb = newHandWeb(t, handlers, "http://a.example/", "http://plain.example/")
	r.o.Config.Scope = config.ScopeAny
	return r
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// secretTables are tables with secrets of each kind. What they send is in wantSecrets.
func secretTables(t *testing.T) []config.Override {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []config.Override{
		{Match: "basic.example", User: "me", Password: "s3cret-basic", OverHTTP: true},
		{Match: "bearer.example", TokenFile: file, OverHTTP: true},
		{Match: "env.example", User: "me", PasswordEnv: "WINNOW_TEST_PASSWORD", OverHTTP: true},
		{Match: "cookie.example", Cookie: []string{"a=s3cret-1", "b=s3cret-2"}, OverHTTP: true},
		{Match: "key.example", Header: []string{"X-Api-Key: s3cret-key", "X-Team: us"}, OverHTTP: true},
		{Match: "plain.example", Token: "s3cret-plain", Header: []string{"X-Team: them"}},
	}
}

var wantSecrets = map[string]string{
	"a.example":      "Authorization: Bearer s3cret-global\n",
	"basic.example":  "Authorization: " + basic("me", "s3cret-basic") + "\n",
	"bearer.example": "Authorization: Bearer s3cret-file\n",
	"env.example":    "Authorization: " + basic("me", "s3cret-env") + "\n",
	"cookie.example": "Cookie: a=s3cret-1; b=s3cret-2\n",
	"key.example":    "X-Api-Key: s3cret-key\nX-Team: us\n",
	"plain.example":  "X-Team: them\n", // http
	"evil.test":      "",
}

// Each site receives the secrets of its table and no others. None is in a file of the crawl
// but secrets.toml, and none is logged. The crawl resumes with them, and without the file
// it says what is missing.
func TestSiteSecrets(t *testing.T) {
	t.Setenv("WINNOW_TEST_PASSWORD", "s3cret-env")
	dir := filepath.Join(t.TempDir(), "a.crawl")
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		w := newReceivedWeb(t, slices.Sorted(maps.Keys(wantSecrets))...)
		w.o.Dir, w.o.Machine.Disk, w.o.Config.DiskReserve = dir, nil, 0
		w.logTo(&log)
		w.o.Config.Header, w.o.Config.Site = []string{"Authorization: Bearer s3cret-global"}, secretTables(t)
		w.o.Config.Proxy = "http://me:s3cret-proxy@proxy.example:3128"
		w.o.Config.Pages = 6
		w.run(t)
		w.o.Seeds, w.o.Config = nil, config.Config{}
		clear(w.seen)
		for _, pages := range []int64{12, 0} {
			if pages == 0 { // from the journal
				if err := os.Remove(filepath.Join(dir, layout.ConfigFile)); err != nil {
					t.Fatal(err)
				}
			}
			c, found, err := history.ReadConfig(dir)
			if !found || err != nil {
				t.Fatal(found, err)
			}
			w.o.Config = c
			w.o.Config.Pages = pages
			w.run(t)
		}
		if w.o.Config.Proxy != "http://me:s3cret-proxy@proxy.example:3128" {
			t.Errorf("the proxy is %s", w.o.Config.Proxy)
		}
		for host, want := range wantSecrets {
			if got := w.seen[host]; got != want {
				t.Errorf("%s received\n%swant\n%s", host, got, want)
			}
		}
		missingSecrets(t, w)
	})
	if strings.Contains(log.String(), "s3cret") || !strings.Contains(log.String(), "secrets_over_http") {
		t.Errorf("the log: %s", &log)
	}
	noSecrets(t, dir)
}

// missingSecrets resumes a crawl without its file of secrets.
func missingSecrets(t *testing.T, w *receivedWeb) {
	name := filepath.Join(w.o.Dir, config.SecretsFile)
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Rename(name, name+".away"); err != nil {
		t.Fatal(err)
	}
	defer os.Rename(name+".away", name)
	c, _, err := history.ReadConfig(w.o.Dir)
	if err != nil || len(c.Missing()) == 0 {
		t.Fatalf("%v, %v", c.Missing(), err)
	}
	w.o.Config = c
	_, err = Run(t.Context(), w.o)
	var advice *hint.Error
	if !errors.As(err, &advice) || !strings.Contains(advice.Text, "header/Authorization") || !strings.Contains(advice.Hint, config.SecretsFile) {
		t.Errorf("without the file: %v", err)
	}
}

// noSecrets looks for secrets in the files of a crawl.
func noSecrets(t *testing.T, dir string) {
	texts := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != config.SecretsFile {
			texts[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	texts["archive"] = unpackedArchive(t, disk.OS(filepath.Join(dir, layout.ArchiveDir)))
	_, err = journal.Read(disk.OS(filepath.Join(dir, filepath.FromSlash(layout.JournalDir))), 0, func(r *journal.Record) error {
		if s := r.Facts.Session; s != nil {
			texts["sessions"] = append(texts["sessions"], s.Config...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		for _, secret := range []string{"s3cret", strings.Fields(basic("me", "s3cret-basic"))[1], strings.Fields(basic("me", "s3cret-env"))[1]} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has a secret", name)
			}
		}
	}
	if !bytes.Contains(texts["sessions"], []byte("basic.example")) || !bytes.Contains(texts["archive"], []byte("X-Team: us")) {
		t.Error("the search found nothing at all")
	}
}
