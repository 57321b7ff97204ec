package crawl

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// headerWeb is a web that notes which hosts got which headers: a seed that links and
// redirects elsewhere, and a host whose robots.txt moved to a third.
func headerWeb(t *testing.T, names ...string) (w *handWeb, got func(host, name string) string) {
	seen := map[string]string{}
	var mu sync.Mutex
	note := func(f http.HandlerFunc) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			for _, name := range names {
				seen[r.Host+name] += r.Header.Get(name)
			}
			mu.Unlock()
			f(rw, r)
		}
	}
	away := func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(rw, r, "http://redirected.test/", http.StatusFound)
			return
		}
		ownPage("http://evil.test/", "/away", "http://www.a.example/", "http://hops.test/", "http://team.test/")(rw, r)
	}
	w = newHandWeb(t, map[string]http.HandlerFunc{
		"a.example": note(away), "www.a.example": note(ownPage()), "evil.test": note(ownPage()), "redirected.test": note(ownPage()),
		"hops.test": note(movedRobots("http://third.test/rules.txt")), "third.test": note(ownPage()), "team.test": note(ownPage()),
	}, "http://a.example/")
	return w, func(host, name string) string { return seen[host+name] }
}

// A header that is a secret goes to the sites of the seeds, not where links, redirects or
// a robots.txt lead; others go everywhere. A [[site]] table names sites itself.
func TestCaseHeaderEverywhere(t *testing.T) {
	all := []string{"a.example", "www.a.example", "evil.test", "redirected.test", "hops.test", "third.test", "team.test"}
	for _, test := range []struct {
		scope  string
		secret []string // who gets it
		plain  []string
	}{
		{config.HeadersAuto, all[:2], all}, {config.HeadersSeeds, all[:2], all[:2]}, {config.HeadersAny, all, all},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, got := headerWeb(t, "Authorization", "Accept-Language", "X-Team")
			w.o.Config.Scope, w.o.Config.HeaderScope = config.ScopeAny, test.scope
			w.o.Config.Header = []string{"Authorization: Bearer s3cret", "Accept-Language: de"}
			w.o.Config.Site = []config.Override{{Match: "team.test", Header: []string{"X-Team: us"}}}
			w.run(t)
			for _, host := range all {
				if has := got(host, "Authorization") != ""; has != strings.Contains(strings.Join(test.secret, " ")+" ", host+" ") {
					t.Errorf("%s: %s got the secret: %t", test.scope, host, has)
				}
				if has := got(host, "Accept-Language") != ""; has != strings.Contains(strings.Join(test.plain, " ")+" ", host+" ") {
					t.Errorf("%s: %s got the language: %t", test.scope, host, has)
				}
				if has := got(host, "X-Team") != ""; has != (host == "team.test") {
					t.Errorf("%s: %s got the header of a table: %t", test.scope, host, has)
				}
			}
		})
	}
}

// What goes to https does not go to http of the same host: all the way could read it.
func TestTrustedSites(t *testing.T) {
	c := config.Default()
	c.Header = []string{"Cookie: a=b"}
	c.Seeds = []string{"https://a.example/x", "http://b.example/", "http://c.example:8080/", "www.d.example"}
	h := config.NewSiteHeaders(&c)
	for site, want := range map[string]bool{
		"https://a.example": true, "https://www.a.example": true, "http://a.example": false, "https://a.example:8443": false, "https://sub.a.example": false,
		"http://b.example": true, "https://b.example": true, "http://c.example:8080": true, "https://c.example:8080": false, "http://c.example": false,
		"https://d.example": true, "https://www.d.example": true, "https://evil.test": false, "https://a.example.evil.test": false,
	} {
		if got := h.Of([]byte(site)).Get("Cookie") != ""; got != want {
			t.Errorf("%s gets the cookie: %t", site, got)
		}
	}
	if len(h.All()) > 0 || len(h.Exposed()) > 0 {
		t.Errorf("to all go %v, exposed are %v", h.All(), h.Exposed())
	}
	c.HeaderScope = config.HeadersAny
	if h := config.NewSiteHeaders(&c); h.All().Get("Cookie") == "" || len(h.Exposed()) != 1 {
		t.Errorf("to all go %v, exposed are %v", h.All(), h.Exposed())
	}
}

// Secrets are sent, but no archive has them.
func TestSecretsNotArchived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, got := headerWeb(t, "X-Api-Key")
		w.o.Config.Header = []string{"X-Api-Key: s3cret", "Accept-Language: de"}
		w.run(t)
		if got("a.example", "X-Api-Key") == "" {
			t.Fatal("the secret was not sent")
		}
		text := unpackedArchive(t, w.disk[layout.ArchiveDir])
		if !bytes.Contains(text, []byte("Accept-Language: de")) {
			t.Error("the archive does not tell which headers were sent")
		}
		if bytes.Contains(text, []byte("s3cret")) || bytes.Contains(text, []byte("X-Api-Key")) {
			t.Error("the archive has the secret")
		}
	})
}

// unpackedArchive is all that is in WARC files.
func unpackedArchive(t *testing.T, d disk.Dir) (text []byte) {
	list, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		f, err := d.Open(e.Name, disk.Read)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(io.NewSectionReader(f, 0, e.Size))
		if err != nil {
			continue // an index
		}
		b, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
		f.Close()
	}
	return text
}

// Nobody else may read what a crawl writes. A configuration of an earlier version, with
// secrets that others could read, is without them when it is written again, and closed to
// others.
func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	dir := filepath.Join(t.TempDir(), "a.crawl")
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": ownPage("/x")}, "http://a.example/")
		w.o.Dir, w.o.Machine.Disk = dir, nil
		w.o.Config.Header, w.o.Config.Pages, w.o.Config.DiskReserve = []string{"Cookie: s3cret"}, 1, 0
		w.run(t)
		earlier, err := w.o.Config.Marshal()
		if err == nil {
			name := filepath.Join(dir, layout.ConfigFile)
			err = cmp.Or(os.WriteFile(name, earlier, 0o644), os.Chmod(name, 0o644), os.Remove(filepath.Join(dir, config.SecretsFile)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if w.o.Config, _, err = history.ReadConfig(dir); err != nil {
			t.Fatal(err)
		}
		w.o.Config.Pages = 0
		w.run(t)
	})
	if text, err := os.ReadFile(filepath.Join(dir, layout.ConfigFile)); err != nil || bytes.Contains(text, []byte("s3cret")) {
		t.Errorf("%v, the configuration is\n%s", err, text)
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		found = append(found, e.Name())
		if err == nil && info.Mode().Perm() != 0o600 {
			err = fmt.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{layout.ConfigFile, config.SecretsFile, layout.LockFile, layout.StatusFile, "00000000.wj", layout.URLFile} {
		if !strings.Contains(strings.Join(found, " "), name) {
			t.Errorf("%s is not there: %v", name, found)
		}
	}
}
