// Package files reads files of other nodes over the bus.
//
// A node serves the archives of the partitions that it has, or has had ([Serve]). A [Reader] asks for
// lists and for pieces: each question has a number, and is asked again if there is no answer. A
// piece has a hash. Questions go to the subject f.NODE, answers to one that the question names.
package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io"
	"io/fs"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// PieceSize is the largest number of bytes in an answer, listSize that of names.
const PieceSize, listSize = 512 << 10, 2000

// A question asks for the names of files, or for a piece of one.
type question struct {
	Number    uint64
	Reply     string // the subject of the answer
	Partition int
	Name      string // "": list the files
	After     string // list those after this name
	Offset    int64
	Size      int // of the piece
}

// An answer is that to the question of the same number.
type answer struct {
	Number uint64
	Failed string       // why there is none; "": there is one
	None   bool         // there is no such file
	List   []disk.Entry // files of the partition
	More   bool         // the list goes on
	Piece  []byte       // shorter than asked for at the end of the file
	Sum    [sha256.Size]byte
}

func encode(x any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(x); err != nil {
		panic(err) // these types can be encoded
	}
	return b.Bytes()
}

func decode(data []byte, x any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(x) }

func subject(node string) string { return "f." + node }

// Serve answers questions about the files of a node until stop is called. open opens the directory
// of a partition.
func Serve(bus cluster.Bus, node string, open func(partition int) (disk.Dir, error)) (stop func(), err error) {
	return bus.Subscribe(subject(node), func(data []byte) {
		var q question
		if decode(data, &q) != nil || q.Reply == "" {
			return
		}
		a, err := q.answer(open)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			a = answer{None: true}
		case err != nil:
			a = answer{Failed: err.Error()}
		}
		a.Number = q.Number
		_ = bus.Publish(q.Reply, encode(a)) // what is lost is asked for again
	})
}

func (q *question) answer(open func(int) (disk.Dir, error)) (a answer, err error) {
	dir, err := open(q.Partition)
	if err != nil {
		return a, err
	}
	if q.Name == "" {
		return q.list(dir)
	}
	if !fs.ValidPath(q.Name) || bytes.ContainsAny([]byte(q.Name), `/\`) {
		return a, fs.ErrNotExist
	}
	f, err := dir.Open(q.Name, disk.Read)
	if err != nil {
		return a, err
	}
	defer f.Close()
	a.Piece = make([]byte, max(0, min(q.Size, PieceSize)))
	n, err := f.ReadAt(a.Piece, q.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return a, err
	}
	a.Piece = a.Piece[:n]
	a.Sum = sha256.Sum256(a.Piece)
	return a, nil
}

func (q *question) list(dir disk.Dir) (a answer, err error) {
	all, err := dir.List()
	for _, e := range all {
		if e.Name <= q.After {
			continue
		}
		if len(a.List) == listSize {
			a.More = true
			break
		}
		a.List = append(a.List, e)
	}
	return a, err
}
