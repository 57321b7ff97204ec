package index

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// A crawl that ended by itself has an index of each file, however large. One that somebody
// stopped leaves out what takes long, and says so; a file that cannot be read does not
// keep the others from theirs.
func TestIndexes(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, layout.ArchiveDir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return archive.IndexName(path)
	}
	text := gzipped(warcRecord("response", "http://a.example/", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"))
	bad := put("winnow-20260131235959-00000.warc.gz", text[:len(text)/2])
	good := put("winnow-20260131235959-00001.warc.gz", text)
	there := func(name string) bool { _, err := os.Stat(name); return err == nil }
	quick := &pace{}
	quick.hurry.Store(true)
	if n, err := writeAll(dir, int64(len(text)), quick); n != 0 || !errors.Is(err, errLater) {
		t.Errorf("in a hurry: %d, %v", n, err)
	}
	x, told := Indexer{dir: dir, pace: &pace{}}, 0
	warn := func(string, ...any) { told++ }
	if x.Finish(false, warn); !there(good) || there(bad) || told != 1 {
		t.Errorf("index of the good file: %t, of the bad one: %t, said %d times", there(good), there(bad), told)
	}
}

// The lines that a session gathers are the index that reading the file gives. Lines that were
// not all written, or that a killed session left, are dropped and the file is read.
func TestGatheredLines(t *testing.T) {
	for name, spoil := range map[string]func(f *lineFile){
		"whole": func(*lineFile) {}, "broken": func(f *lineFile) { f.broken = true },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			archived := filepath.Join(dir, layout.ArchiveDir)
			left := filepath.Join(archived, archive.PartName("winnow-20260131235959-00000.warc.gz"))
			if err := errors.Join(os.MkdirAll(archived, 0o755), os.WriteFile(left, []byte("x"), 0o644)); err != nil {
				t.Fatal(err)
			}
			x := New(dir, 0, "")
			b := archive.NewBuilder(archive.ID{1}, archive.SHA1)
			var files [2][]byte
			file := func(i int) string { return fmt.Sprintf("winnow-20260131235959-%05d.warc.gz", i) }
			for i := range 1200 { // several blocks of lines
				of := i / 800
				url := fmt.Sprintf("http://%d.example/%d", i%7, i)
				r, err := b.Build(nil, &archive.Exchange{URL: url, Time: time.Unix(int64(i), 0), Response: archive.Response{Status: 200, Body: []byte(url)}})
				if err != nil {
					t.Fatal(err)
				}
				x.Add(file(of), int64(len(files[of])), &r)
				files[of] = append(files[of], r.Bytes...)
			}
			for i, data := range files {
				if i == 0 || name == "whole" {
					data = data[:10] // nobody reads it
				}
				if err := os.WriteFile(filepath.Join(archived, file(i)), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			spoil(x.open)
			x.Finish(false, func(s string, more ...any) { t.Error(s, more) })
			for i, data := range files {
				want, err := archive.Index(archive.NewReader(bytes.NewReader(data), ""), file(i))
				got, err2 := os.ReadFile(archive.IndexName(filepath.Join(archived, file(i))))
				if err != nil || err2 != nil || !bytes.Equal(got, want) {
					t.Errorf("file %d: %d bytes, want %d; %v, %v", i, len(got), len(want), err, err2)
				}
			}
			if all, _ := os.ReadDir(archived); len(all) != 4 {
				t.Errorf("left: %v", all)
			}
		})
	}
}

// What a session that was killed has left of its lines is continued by the next one, so that the file
// is not read again: not when a record follows, and not when none does.
func TestLinesOfKilled(t *testing.T) {
	for _, more := range []int{0, 300} {
		dir := t.TempDir()
		archived := filepath.Join(dir, layout.ArchiveDir)
		if err := os.MkdirAll(archived, 0o755); err != nil {
			t.Fatal(err)
		}
		const file = "winnow-20260131235959-00000.warc.gz"
		b, all := archive.NewBuilder(archive.ID{1}, archive.SHA1), []byte(nil)
		add := func(x *Indexer, from, to int) {
			for i := from; i < to; i++ {
				url := fmt.Sprintf("http://%d.example/%d", i%7, i)
				r, err := b.Build(nil, &archive.Exchange{URL: url, Time: time.Unix(int64(i), 0), Response: archive.Response{Status: 200, Body: []byte(url)}})
				if err != nil {
					t.Fatal(err)
				}
				x.Add(file, int64(len(all)), &r)
				all = append(all, r.Bytes...)
			}
		}
		x := New(dir, 0, "")
		add(x, 0, 800)
		committed := int64(len(all))
		add(x, 800, 850) // lost
		x.Wait()
		all = all[:committed]
		part := filepath.Join(archived, archive.PartName(file))
		info, err := os.Stat(part)
		if err == nil {
			err = os.Truncate(part, info.Size()*3/4) // some lines were not written
		}
		spoiled := append(bytes.Repeat([]byte("x"), len(all)/2), all[len(all)/2:]...) // nobody reads the first half
		if err := errors.Join(err, os.WriteFile(filepath.Join(archived, file+archive.OpenSuffix), spoiled, 0o644)); err != nil {
			t.Fatal(err)
		}
		x = New(dir, committed, file)
		add(x, 850, 850+more)
		x.turn()
		for _, f := range x.full { // its lines are written
			err := <-f.done
			f.done <- err
		}
		spoiled = append(spoiled, all[len(spoiled):]...)
		if err := errors.Join(os.Remove(filepath.Join(archived, file+archive.OpenSuffix)), os.WriteFile(filepath.Join(archived, file), spoiled, 0o644)); err != nil {
			t.Fatal(err)
		}
		x.Finish(true, func(s string, more ...any) { t.Error(s, more) })
		want, err := archive.Index(archive.NewReader(bytes.NewReader(all), ""), file)
		got, err2 := os.ReadFile(archive.IndexName(filepath.Join(archived, file)))
		if err != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%d more: %d bytes, want %d; %v, %v", more, len(got), len(want), err, err2)
		}
		if list, _ := os.ReadDir(archived); len(list) != 2 {
			t.Errorf("left: %v", list)
		}
	}
}

// Records that are copied from file to file have their lines, too, and no file is read for them: that
// would take long when somebody stops a crawl that has copied much.
func TestLinesOfCopied(t *testing.T) {
	dir := t.TempDir()
	archived := filepath.Join(dir, layout.ArchiveDir)
	const from, file = "winnow-20260131235959-00000.warc.gz", "winnow-20260131235959-00001.warc.gz"
	b := archive.NewBuilder(archive.ID{1}, archive.SHA1)
	var old, all []byte
	var moved []archive.Moved
	build := func(i int) archive.Records {
		url := fmt.Sprintf("http://%d.example/%d", i%7, i)
		r, err := b.Build(nil, &archive.Exchange{URL: url, Time: time.Unix(int64(i), 0), Response: archive.Response{Status: 200, Body: []byte(url)}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for i := range 300 {
		r := build(i)
		if i%3 > 0 {
			moved = append(moved, archive.Moved{From: int64(len(old)), Length: int64(r.Main)})
		}
		old = append(old, r.Bytes...)
	}
	source := filepath.Join(archived, from)
	if err := errors.Join(os.MkdirAll(archived, 0o755), os.WriteFile(source, old, 0o644)); err != nil {
		t.Fatal(err)
	}
	x := New(dir, 0, "")
	for i := range 20 {
		r := build(1000 + i)
		x.Add(file, int64(len(all)), &r)
		all = append(all, r.Bytes...)
		part := moved[10*i : 10*i+10]
		for j := range part {
			part[j].To = int64(len(all))
			all = append(all, old[part[j].From:part[j].From+part[j].Length]...)
		}
		x.Copied(file, 0, part, i == 19)
	}
	if err := errors.Join(os.Remove(source), os.WriteFile(filepath.Join(archived, file), all[:10], 0o644)); err != nil { // nobody reads it
		t.Fatal(err)
	}
	x.Finish(true, func(s string, more ...any) { t.Error(s, more) })
	want, err := archive.Index(archive.NewReader(bytes.NewReader(all), ""), file)
	got, err2 := os.ReadFile(archive.IndexName(filepath.Join(archived, file)))
	if err != nil || err2 != nil || !bytes.Equal(got, want) || bytes.Count(got, []byte("\n")) != 220 {
		t.Errorf("%d bytes, want %d; %v, %v", len(got), len(want), err, err2)
	}
	if list, _ := os.ReadDir(archived); len(list) != 2 || len(x.names) != 1 {
		t.Errorf("left: %v, %v", list, x.names)
	}
}

// warcRecord returns a record as other crawlers write them, uncompressed.
func warcRecord(kind, url, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
		"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\nContent-Type: application/http;msgtype=%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, url, kind, len(block), block)
}

// gzipped compresses a text.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}
