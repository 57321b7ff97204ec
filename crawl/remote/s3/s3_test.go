package s3_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/crawl/remote/s3test"
	"github.com/winnow-crawler/winnow/internal/hint"
)

func open(t *testing.T, place string) *s3.Store {
	t.Helper()
	p, err := remote.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	s, err := s3.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sums(t *testing.T, b []byte) *remote.Sums {
	t.Helper()
	s, err := remote.SumFile(t.Context(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// big returns bytes of three parts.
func big() []byte {
	b := make([]byte, 33<<20)
	for i := range b {
		b[i] = byte(i>>8 ^ i)
	}
	return b
}

// TestPut stores a small object and one of several parts, and reads them.
func TestPut(t *testing.T) {
	srv := s3test.New(t)
	s := open(t, "s3://archive/p?endpoint="+srv.URL)
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(srv.Objects(t)); n != 0 {
		t.Errorf("the check left %d objects", n)
	}
	if _, err := s.Stat(t.Context(), "p/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat of nothing: %v", err)
	}
	for name, b := range map[string][]byte{"small": []byte("hello"), "big": big()} {
		key := "p/" + name + ".warc.gz"
		if err := s.Put(t.Context(), key, bytes.NewReader(b), sums(t, b), true); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o, err := s.Stat(t.Context(), key)
		if err != nil || o.Size != int64(len(b)) || o.ETag == "" {
			t.Fatalf("%s: %+v, %v", name, o, err)
		}
		body, err := s.Get(t.Context(), key, 1, int64(len(b))-2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		body.Close()
		if err != nil || !bytes.Equal(got, b[1:len(b)-1]) {
			t.Errorf("%s: read %d bytes, %v", name, len(got), err)
		}
	}
}

// TestPutContinues breaks an upload of parts off, and sends only what is missing.
func TestPutContinues(t *testing.T) {
	srv := s3test.New(t)
	s, b := open(t, "s3://archive/p?endpoint="+srv.URL), big()
	ctx, stop := context.WithCancel(t.Context())
	srv.Do(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") == "3" {
			stop()
			panic(http.ErrAbortHandler)
		}
		return false
	})
	if err := s.Put(ctx, "p/x.warc.gz", bytes.NewReader(b), sums(t, b), true); err == nil {
		t.Fatal("it did not break off")
	}
	var sent []string
	srv.Do(func(_ http.ResponseWriter, r *http.Request) bool {
		if n := r.URL.Query().Get("partNumber"); n != "" && r.Method == http.MethodPut {
			sent = append(sent, n)
		}
		return false
	})
	if err := s.Put(t.Context(), "p/x.warc.gz", bytes.NewReader(b), sums(t, b), true); err != nil {
		t.Fatal(err)
	}
	if strings.Join(sent, " ") != "3" {
		t.Errorf("parts sent again: %v, want 3 only", sent)
	}
	if got := srv.Objects(t)["p/x.warc.gz"]; got != int64(len(b)) {
		t.Errorf("the object has %d bytes", got)
	}
}

// TestRefused checks that what waiting does not fix is distinguished from weather, with a hint and without
// a secret.
func TestRefused(t *testing.T) {
	srv := s3test.New(t)
	for _, c := range []struct{ name, place, key, secret, says, hint string }{
		{"bucket", "s3://elsewhere/p", "key", "secret", `no bucket "elsewhere"`, "create the bucket"},
		{"secret", "s3://archive/p", "key", "hush-hush", "credentials", "AWS_SECRET_ACCESS_KEY"},
		{"key", "s3://archive/p", "nobody", "hush-hush", "credentials", "AWS_ACCESS_KEY_ID"},
		{"none", "s3://archive/p", "", "", "no credentials", "AWS_PROFILE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", c.key)
			t.Setenv("AWS_SECRET_ACCESS_KEY", c.secret)
			if c.key == "" { // the service of a cloud is not there
				t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/")
			}
			err := open(t, c.place+"?endpoint="+srv.URL).Check(t.Context())
			var advice *hint.Error
			if !errors.Is(err, remote.ErrRefused) || !errors.As(err, &advice) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(advice.Hint, c.hint) {
				t.Errorf("%v\nhint: %s", err, advice.Hint)
			}
			if strings.Contains(err.Error()+advice.Hint, "hush") {
				t.Errorf("the secret is told: %v", err)
			}
		})
	}
	srv.Down()
	began := time.Now()
	if err := open(t, "s3://archive/p?endpoint="+srv.URL).Check(t.Context()); err == nil || errors.Is(err, remote.ErrRefused) {
		t.Errorf("a server that is down: %v", err)
	}
	if d := time.Since(began); d > 15*time.Second {
		t.Errorf("a server that is down was found out after %v", d)
	}
}
