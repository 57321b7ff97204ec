package graph

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReadInfo: the header alone says what the opened graph says.
func TestReadInfo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.wg")
	lists := [][]Page{{0, 1, 2}, {2}, {}}
	urls := []string{"http://a.example/", "http://a.example/1", "http://b.example/"}
	err := Write(context.Background(), Source{
		Pages: 3,
		Lists: func(emit func(Page, []Page) error) error {
			for p, l := range lists {
				if err := emit(Page(p), l); err != nil {
					return err
				}
			}
			return nil
		},
		URLs: func(emit func([]byte) error) error {
			for _, u := range urls {
				if err := emit([]byte(u)); err != nil {
					return err
				}
			}
			return nil
		},
	}, WriteOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	g, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	got, err := ReadInfo(path)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Info{
		Pages: 3, Links: 4, Sites: 2, SitesKnown: true, SelfLinks: 1,
		BytesForward: g.Forward().Bytes(), BytesBackward: g.Backward().Bytes(),
		BytesURLs: g.BytesURLs(), BytesFile: st.Size(),
	}
	if got != want || g.Info() != want {
		t.Errorf("%+v and %+v, want %+v", got, g.Info(), want)
	}
	if _, err := ReadInfo(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
