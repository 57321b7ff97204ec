package remote_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/crawl/remote/s3test"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

const (
	first  = "winnow-20260102030405-00000.warc.gz"
	second = "winnow-20260102030406-00001.warc.gz"
	third  = "winnow-20260102030407-00002.warc.gz"
)

// all is the position after three files of a test.
var all = archive.Position{File: 3, Size: 1}

// files writes WARC files with their indexes.
func files(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		for _, x := range []string{name, archive.IndexName(name)} {
			if err := os.WriteFile(filepath.Join(dir, x), content(x), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// content returns the bytes of a file of a test.
func content(name string) []byte { return bytes.Repeat([]byte(name+"\n"), 20_000) }

// uploader returns one to the bucket of a test, which tries again at once.
func uploader(t *testing.T, dir disk.Dir) *remote.Uploader {
	t.Helper()
	p, err := remote.Parse("s3://archive/a/b")
	if err == nil {
		p, err = p.Complete(os.Getenv)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &remote.Uploader{Dir: dir, Place: p, Dial: s3.Dial, Every: 10 * time.Millisecond, Pause: 10 * time.Millisecond}
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not happen: " + what)
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		list = append(list, e.Name())
	}
	return list
}

// checkSent checks that files are in the store and not here, that their indexes are in both, and that
// their bytes can be read.
func checkSent(t *testing.T, srv *s3test.Server, path string, sent ...string) {
	t.Helper()
	var here, there []string
	dir := remote.Dir(t.Context(), disk.OS(path), s3.Dial)
	for _, name := range sent {
		here = append(here, archive.IndexName(name), remote.RecordName(name))
		there = append(there, "a/b/"+name, "a/b/"+archive.IndexName(name))
		f, err := dir.Open(name, disk.Read)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 7, 1<<40))
		if f.Close(); err != nil || !bytes.Equal(got, content(name)[7:]) {
			t.Errorf("%s: read %d bytes, %v", name, len(got), err)
		}
	}
	slices.Sort(there)
	if got := names(t, path); !slices.Equal(got, here) {
		t.Errorf("here are %v, want %v", got, here)
	}
	if got := slices.Sorted(maps.Keys(srv.Objects(t))); !slices.Equal(got, there) {
		t.Errorf("there are %v, want %v", got, there)
	}
}

// TestUpload sends what is finished, indexed and committed, and nothing else.
func TestUpload(t *testing.T) {
	srv := s3test.New(t)
	dir := files(t, first, second, third)
	last := filepath.Join(dir, third)
	if err := os.Rename(last, last+archive.OpenSuffix); err != nil {
		t.Fatal(err)
	}
	u := uploader(t, disk.OS(dir)).Start(t.Context())
	defer u.Close()
	time.Sleep(50 * time.Millisecond)
	if n := len(srv.Objects(t)); n != 0 {
		t.Fatalf("%d objects before anything is committed", n)
	}
	u.Look(archive.Position{File: 1, Size: int64(len(content(second))) - 1})
	until(t, "the first is sent", func() bool { return u.Status().Files == 1 })
	time.Sleep(50 * time.Millisecond)
	if s := u.Status(); s.Files != 1 || s.Waiting != 1 || s.Size != int64(len(content(second))) {
		t.Errorf("the second is not committed to its end: %+v", s)
	}
	u.Look(archive.Position{File: 1, Size: int64(len(content(second)))})
	until(t, "the second is sent", func() bool { return u.Status().Files == 2 })
	if err := os.Rename(last+archive.OpenSuffix, last); err != nil {
		t.Fatal(err)
	}
	u.Look(all)
	if err := u.Finish(); err != nil {
		t.Fatal(err)
	}
	checkSent(t, srv, dir, first, second, third)
	a, err := remote.Check(t.Context(), disk.OS(dir), s3.Dial)
	if err != nil || a.Unasked != nil || len(a.Wrong) > 0 || a.Files != 3 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestKeep leaves the local files, and a later uploader removes them without sending them again.
func TestKeep(t *testing.T) {
	srv := s3test.New(t)
	dir := files(t, first)
	u := uploader(t, disk.OS(dir))
	u.Keep = true
	u.Start(t.Context()).Look(all)
	if err := u.Finish(); err != nil {
		t.Fatal(err)
	}
	u.Close()
	if _, err := os.Stat(filepath.Join(dir, first)); err != nil || len(srv.Objects(t)) != 2 {
		t.Fatalf("%v, %v", err, srv.Objects(t))
	}
	puts := 0
	srv.Do(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			puts++
		}
		return false
	})
	u = uploader(t, disk.OS(dir)).Start(t.Context())
	u.Look(all)
	if err := u.Finish(); err != nil || puts > 0 {
		t.Fatalf("%v, %d objects sent again", err, puts)
	}
	u.Close()
	checkSent(t, srv, dir, first)
}

// TestWeather lets the store be away, refuse, and damage what it gets. Local files stay until it has
// them.
func TestWeather(t *testing.T) {
	for name, trouble := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"down":    func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		"refuses": answers(http.StatusForbidden, "AccessDenied"),
		"full":    answers(http.StatusInsufficientStorage, "XMinioStorageFull"),
	} {
		srv := s3test.New(t)
		dir := files(t, first)
		srv.Do(trouble)
		u := uploader(t, disk.OS(dir))
		var told []string
		u.Warn = func(text string, _ ...any) { told = append(told, text) }
		u.Start(t.Context()).Look(all)
		until(t, name+" is noticed", func() bool { return u.Status().Error != "" })
		if s := u.Status(); s.Waiting != 1 || s.Since == nil || s.Next == nil {
			t.Errorf("%s: %+v", name, s)
		}
		if _, err := os.Stat(filepath.Join(dir, first)); err != nil {
			t.Fatal(err)
		}
		srv.Do(nil)
		until(t, name+" is over", func() bool { s := u.Status(); return s.Error == "" && s.Files == 1 })
		u.Close()
		checkSent(t, srv, dir, first)
		if len(told) != 2 || !strings.Contains(told[1], "again") {
			t.Errorf("%s: told %q", name, told)
		}
	}
}

// answers returns a function that answers with an error of S3.
func answers(status int, code string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		io.WriteString(w, "<Error><Code>"+code+"</Code><Message>no</Message></Error>")
		return true
	}
}

// TestDamage lets the store keep other bytes than it got: the local file stays.
func TestDamage(t *testing.T) {
	srv := s3test.New(t)
	dir := files(t, first)
	srv.Do(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, first) {
			if _, err := srv.Backend.PutObject(r.Context(), s3test.Bucket, "a/b/"+first, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}, strings.NewReader("other"), 5); err != nil {
				t.Error(err)
			}
			w.Header().Set("ETag", `"0"`)
			return true
		}
		return false
	})
	u := uploader(t, disk.OS(dir)).Start(t.Context())
	u.Look(all)
	if err := u.Finish(); err == nil {
		t.Error("nobody noticed that the store has other bytes")
	}
	srv.Do(nil)
	err := u.Finish()
	var advice *hint.Error
	if !errors.As(err, &advice) || !strings.Contains(err.Error(), "another object") {
		t.Errorf("an object of another crawl would be replaced: %v", err)
	}
	u.Close()
	if got := names(t, dir); !slices.Equal(got, []string{archive.IndexName(first), first}) {
		t.Errorf("here are %v", got)
	}
}

// TestReadBack reads what was sent from a store that reports no checksum.
func TestReadBack(t *testing.T) {
	srv := s3test.New(t)
	dir := files(t, first)
	reads := 0
	srv.Do(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, first) {
			reads++
		}
		if r.Method == http.MethodHead {
			o, err := srv.Backend.HeadObject(r.Context(), s3test.Bucket, strings.TrimPrefix(r.URL.Path, "/archive/"))
			if err != nil {
				return false
			}
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.Header().Set("ETag", `"encrypted"`)
			w.Header().Set("Content-Length", strconv.FormatInt(o.Size, 10))
			return true
		}
		return false
	})
	u := uploader(t, disk.OS(dir)).Start(t.Context())
	u.Look(all)
	if err := u.Finish(); err != nil {
		t.Fatal(err)
	}
	u.Close()
	r, err := remote.ReadRecord(disk.OS(dir), first)
	if err != nil || r.Verified != "read" || reads != 1 {
		t.Errorf("%+v, %v, read %d times", r, err, reads)
	}
	checkSent(t, srv, dir, first)
}

// TestLost sends a file again that the store has lost, and reports one that is only there.
func TestLost(t *testing.T) {
	srv := s3test.New(t)
	dir := files(t, first, second)
	u := uploader(t, disk.OS(dir))
	u.Keep = true
	u.Start(t.Context()).Look(all)
	if err := u.Finish(); err != nil {
		t.Fatal(err)
	}
	u.Close()
	remove := func(name string) {
		if _, err := srv.Backend.DeleteObject(t.Context(), s3test.Bucket, "a/b/"+name); err != nil {
			t.Fatal(err)
		}
	}
	remove(first)
	u = uploader(t, disk.OS(dir)).Start(t.Context())
	u.Look(all)
	until(t, "it is sent again", func() bool { s := u.Status(); return s.Files == 2 && len(names(t, dir)) == 4 })
	u.Close()
	checkSent(t, srv, dir, first, second)
	remove(second)
	a, err := remote.Check(t.Context(), disk.OS(dir), s3.Dial)
	if err != nil || a.Unasked != nil || len(a.Wrong) != 1 || !strings.Contains(a.Wrong[0], second) {
		t.Errorf("%+v, %v", a, err)
	}
	srv.Down()
	f, err := remote.Dir(t.Context(), disk.OS(dir), s3.Dial).Open(first, disk.Read)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.ReadAt(make([]byte, 10), 0)
	var advice *hint.Error
	if !errors.As(err, &advice) || !strings.Contains(err.Error(), "s3://archive/a/b/"+first) {
		t.Errorf("the message does not say where the file is: %v", err)
	}
	if a, err := remote.Check(t.Context(), disk.OS(dir), s3.Dial); err != nil || a.Unasked == nil || a.Files != 2 {
		t.Errorf("a store that is away: %+v, %v", a, err)
	}
	if _, err := remote.Dir(t.Context(), disk.OS(dir), s3.Dial).Open(third, disk.Read); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is nowhere: %v", err)
	}
}
