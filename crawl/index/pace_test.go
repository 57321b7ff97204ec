package index

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A file is read as far as is granted, slowly beyond that, at once in a hurry, and not at
// all when nobody wants it any more.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pace{}
		r := p.through(strings.NewReader(strings.Repeat("x", 40<<20)))
		read := func(n int64) time.Duration {
			began := time.Now()
			if _, err := io.CopyN(io.Discard, r, n); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		p.grant(10 << 20)
		if d := read(10 << 20); d != 0 {
			t.Errorf("what is granted takes %v", d)
		}
		if d := read(5 << 20); d < 3*time.Second || d > 6*time.Second {
			t.Errorf("4 MiB that nobody granted take %v", d)
		}
		p.quit.Store(true)
		if _, err := r.Read(make([]byte, 10)); !errors.Is(err, errQuit) {
			t.Errorf("given up: %v", err)
		}
		p.hurry.Store(true)
		if d := read(20 << 20); d != 0 {
			t.Errorf("in a hurry it takes %v", d)
		}
	})
}
