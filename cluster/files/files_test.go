package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/internal/disk"
)

func write(t *testing.T, d disk.Dir, name string, data []byte) {
	t.Helper()
	if err := disk.Replace(d, name, name+".tmp", false, func(f disk.File) error {
		_, err := f.WriteAt(data, 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// A file arrives as it is though questions and answers are lost, late and repeated; and what a node
// does not have is told from a node that is silent.
func TestRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(1, memory.Faults{Delay: time.Second, Lost: 0.1, Repeat: 0.2})
		root := disk.NewMemory()
		data := make([]byte, 3*PieceSize+7)
		rand.NewChaCha8([32]byte{1}).Read(data)
		write(t, root.Sub("1"), "x.warc.gz", data)
		for i := range listSize + 5 {
			write(t, root.Sub("2"), fmt.Sprintf("%05d", i), nil)
		}
		stop, err := Serve(b.Client("a", nil).Engine().Bus, "a", func(p int) (disk.Dir, error) { return root.Sub(fmt.Sprint(p)), nil })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		r, err := NewReader(b.Client("user", nil).Engine().Bus)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		ctx := t.Context()
		if list, err := r.List(ctx, "a", 1); err != nil || len(list) != 1 || list[0].Size != int64(len(data)) {
			t.Errorf("partition 1 has %v, %v", list, err)
		}
		if list, err := r.List(ctx, "a", 2); err != nil || len(list) != listSize+5 {
			t.Errorf("partition 2 has %d files, %v", len(list), err)
		}
		var got []byte
		for _, part := range [][2]int64{{0, 1000}, {1000, int64(len(data))}} {
			if err := r.Read(ctx, "a", 1, "x.warc.gz", part[0], part[1], func(at int64, p []byte) error {
				if at != int64(len(got)) {
					t.Errorf("a piece at %d follows %d bytes", at, len(got))
				}
				got = append(got, p...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, data) {
			t.Error("the file is not as it was")
		}
		nothing := func(int64, []byte) error { return nil }
		if err := r.Read(ctx, "a", 1, "x.warc.gz", 0, int64(len(data))+1, nothing); err == nil {
			t.Error("a file was longer than it is")
		}
		for _, name := range []string{"y.warc.gz", "../2/00001"} {
			if err := r.Read(ctx, "a", 1, name, 0, 1, nothing); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := r.List(ctx, "b", 1); !errors.Is(err, ErrSilent) {
			t.Errorf("a node that is not there: %v", err)
		}
	})
}
