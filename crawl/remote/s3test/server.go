// Package s3test runs a small S3 server in the process of a test.
package s3test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
)

// A Server has one bucket, and one pair of keys.
type Server struct {
	URL     string
	Backend gofakes3.Backend
	before  atomic.Pointer[func(w http.ResponseWriter, r *http.Request) (answered bool)]
	http    *httptest.Server
}

// Bucket is the name of the bucket.
const Bucket = "archive"

// New starts a server, and sets the environment of the test so that it is used.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for name, value := range s.Env() {
		t.Setenv(name, value)
	}
	return s
}

// Start starts a server.
func Start() (*Server, error) {
	s := &Server{Backend: s3mem.New()}
	if err := s.Backend.CreateBucket(context.Background(), Bucket); err != nil {
		return nil, err
	}
	fake := gofakes3.New(s.Backend, gofakes3.WithV4Auth(map[string]string{"key": "secret"})).Server()
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := s.before.Load(); f != nil && (*f)(w, r) {
			return
		}
		fake.ServeHTTP(w, r)
	}))
	s.URL = s.http.URL
	return s, nil
}

// Close ends the server.
func (s *Server) Close() { s.http.Close() }

// Env returns the environment in which the server is used.
func (s *Server) Env() map[string]string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL_S3": s.URL, "AWS_REGION": "",
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	}
}

// Do sets what is done before each request, and may answer it; nil: nothing.
func (s *Server) Do(f func(w http.ResponseWriter, r *http.Request) bool) {
	if f == nil {
		s.before.Store(nil)
		return
	}
	s.before.Store(&f)
}

// Down lets every connection break, until Do is called.
func (s *Server) Down() {
	s.Do(func(w http.ResponseWriter, _ *http.Request) bool {
		panic(http.ErrAbortHandler)
	})
}

// Objects returns the keys in the bucket, and their sizes.
func (s *Server) Objects(t testing.TB) map[string]int64 {
	t.Helper()
	list, err := s.Backend.ListBucket(t.Context(), Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for _, x := range list.Contents {
		found[x.Key] = x.Size
	}
	return found
}
