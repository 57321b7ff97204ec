package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// An archiveWalk reads the WARC files from one end to the other, in step with the journal:
// answers are stored in the order of their records. Between two answers are only the
// requests and metadata that belong to the first, and the warcinfo of the file.
type archiveWalk struct {
	v     *verifier
	dir   disk.Dir
	files map[int]disk.Entry

	number int // of the file that is being read
	file   disk.File
	r      *archive.Reader // nil: no file, or the rest cannot be read
	at     int64           // end of the last record
	main   string          // id of the last answer

	absent []int         // numbers of the missing files
	passed map[int]int64 // answers in missing files
	gone   map[int]bool  // files that were to be removed: see verify_kept.go
	sent   map[int]bool  // files that are in a store: see package remote

	aside      int64 // files that an earlier run set aside
	asideBytes int64
}

// list lists the directory. The files of a running crawl grow, and their names change.
func (w *archiveWalk) list() error {
	all, err := w.dir.List()
	if err != nil {
		return err
	}
	w.files, w.sent = map[int]disk.Entry{}, map[int]bool{}
	w.aside, w.asideBytes = 0, 0
	for _, e := range all {
		if archive.IsAside(e.Name) {
			w.aside++
			w.asideBytes += e.Size
		}
		warc, sent := remote.OfRecord(e.Name)
		if n, ok := archive.FileNumber(warc); ok && sent {
			w.sent[n] = true
		}
		if n, ok := archive.FileNumber(e.Name); ok {
			w.files[n] = e
		}
	}
	return nil
}

// stored checks the stored answer of a record. It must be called before the record is
// applied, while the state knows what was requested.
func (v *verifier) stored(r *journal.Record) {
	if r.Event.Kind == event.Moved {
		v.archive.moved(r)
		return
	}
	url, ok := v.requested(r)
	if !ok {
		return
	}
	p := r.Facts.Place
	keeps := v.conf().KeepsPages()
	switch {
	case p.Length == 0 && keeps && r.Facts.Status != 0 && r.Facts.Note == "":
		v.general(FindArchive, "the answer for %s has status %d and is not stored", url, r.Facts.Status)
	case p.Length > 0:
		v.archive.answer(r, url)
	}
}

// requested returns the URL whose request ends with a record.
func (v *verifier) requested(r *journal.Record) (url string, ok bool) {
	s, e := v.state, &r.Event
	switch e.Kind {
	case event.Ruled:
		if s.IsForeign(e.Site) {
			return "", false
		}
		if h, ok := s.Robots.HopAt(e.For, e.Site); ok {
			return h.URL, true
		}
		return string(s.Table.Name(e.Site)) + "/robots.txt", true
	case event.Listed:
		if f := s.Sitemaps.Files[e.Site]; len(f) > 0 {
			return f[0], true
		}
		v.found(FindEvent, e.Site, graph.NoPage, "a sitemap file was fetched, but none was known")
	case event.Brought:
		if p, url := s.RequisiteURL(e.Site); p.Rest != "" {
			return url, true
		}
		v.found(FindEvent, e.Site, graph.NoPage, "a requisite was fetched, but none was known")
	case event.Done:
		return string(s.AppendURL(nil, e.Page)), true
	}
	return "", false
}

// answer checks the stored answer of a record.
func (w *archiveWalk) answer(r *journal.Record, url string) {
	if x := w.read(r.Facts.Place, url); x != nil {
		w.compare(r, x, url)
	}
}

// read reads the answer at a place. It returns nil unless it is there.
func (w *archiveWalk) read(p journal.Place, url string) *archive.Record {
	if int(p.File) < w.number || int(p.File) == w.number && p.Offset < w.at {
		w.v.general(FindArchive, "the answer for %s is at %d:%d, before that of an earlier record", url, p.File, p.Offset)
		return nil
	}
	err := w.reach(int(p.File), p.Offset)
	if errors.Is(err, fs.ErrNotExist) {
		w.passed[int(p.File)]++ // it was moved away, or removed
		return nil
	}
	if err != nil {
		w.v.general(FindArchive, "the answer for %s at %d:%d cannot be read: %v", url, p.File, p.Offset, err)
		return nil
	}
	x, err := w.next()
	if err != nil {
		w.v.general(FindArchive, "the answer for %s: %v", url, err)
		return nil
	}
	w.main = x.ID
	switch {
	case x.URL != url:
		w.v.general(FindArchive, "at %d:%d is %s, want %s", p.File, p.Offset, x.URL, url)
		return nil
	case x.Length != p.Length:
		w.v.general(FindArchive, "the answer for %s at %d:%d has %d bytes, want %d", url, p.File, p.Offset, x.Length, p.Length)
		return nil
	}
	return x
}

// compare compares the header of a stored answer with the journal.
func (w *archiveWalk) compare(r *journal.Record, x *archive.Record, url string) {
	s := &w.v.runs[max(0, w.v.session)]
	requested := s.Wall.Add(r.Event.Start - s.At + r.Facts.Shift)
	if d := x.Time.Sub(requested); !s.Wall.IsZero() && d.Abs() > time.Millisecond {
		w.v.general(FindArchive, "the answer for %s is dated %v, it was requested at %v", url, x.Time.UTC(), requested.UTC())
	}
	if d := r.Facts.Payload; len(d) > 0 {
		got, err := archive.ParseDigest(x.Get("WARC-Payload-Digest"))
		if err != nil || byte(got.Algorithm()) != d[0] || string(got.Bytes()) != string(d[1:]) {
			w.v.general(FindArchive, "the body of %s has digest %v, in the journal %x", url, got, d[1:])
		}
	}
	switch {
	case r.Facts.Revisit > 0 && x.Type == "revisit":
		w.refers(r, x, url)
	case x.Type == "revisit" && r.Facts.Status == journal.NotModified:
		w.v.out.Undated++ // by an earlier version
	case r.Facts.Revisit > 0 || x.Type == "revisit" || len(r.Facts.Payload) > 0 && x.Type != "response":
		w.v.general(FindArchive, "the answer for %s is a %s; the journal says otherwise", url, x.Type)
	}
}

// refers checks that a revisit refers to the response that holds its payload. The journal
// tells which that is; that it is in the archive was checked when it was read.
func (w *archiveWalk) refers(r *journal.Record, x *archive.Record, url string) {
	w.v.out.Revisits++
	first, to, payload, ok := w.v.origins.of(r.Event.Page)
	if !ok {
		w.v.general(FindArchive, "the answer for %s is a revisit, but no response with its payload was stored before", url)
		return
	}
	if x.Get("WARC-Refers-To-Date") == warcDate(first.time()) {
		to = first
	}
	want := map[string]string{
		"WARC-Refers-To-Target-URI": url,
		"WARC-Refers-To-Date":       warcDate(to.time()),
		"WARC-Payload-Digest":       payload.String(),
	}
	if to.named() {
		want["WARC-Refers-To"] = "<" + w.v.builder.ResponseID(url, to.time()).String() + ">"
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got := x.Get(name); got != want[name] {
			w.v.general(FindArchive, "the revisit of %s has %s %q, the response that it must refer to has %q", url, name, got, want[name])
		}
	}
	if d := r.Facts.Origin.Date; d != 0 && d != to.time().UnixMilli() {
		w.v.general(FindArchive, "the revisit of %s refers to a response of %v, in the journal to one of %v", url, to.time().UTC(), time.UnixMilli(d).UTC())
	}
}

// warcDate formats a time as the headers of records have it.
func warcDate(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// next reads a whole record and checks its digests.
func (w *archiveWalk) next() (*archive.Record, error) {
	x, err := w.r.Next()
	if err == nil {
		err = x.Verify()
	}
	if err != nil {
		w.r = nil // where the next record begins is unknown
		return nil, err
	}
	w.at = x.Offset + x.Length
	w.v.out.Stored++
	w.v.out.Bytes += x.Length
	return x, nil
}

// reach reads up to a place where an answer should be, past what belongs to the answer
// before.
func (w *archiveWalk) reach(file int, offset int64) error {
	for w.number < file {
		if err := w.nextFile(); err != nil && w.number == file {
			return err
		}
	}
	if n := len(w.absent); n > 0 && w.absent[n-1] == file {
		return fs.ErrNotExist
	}
	if w.file == nil {
		return errors.New("the file cannot be opened")
	}
	for w.r != nil && w.at < offset {
		w.companion()
	}
	if w.r == nil || w.at != offset { // after damage, or into the middle of a record
		w.r, w.at = archive.NewReaderAt(w.file, offset, w.files[file].Name), offset
	}
	return nil
}

// companion reads a record that is no answer. It reports whether the file ends.
func (w *archiveWalk) companion() (end bool) {
	x, err := w.next()
	switch {
	case err == io.EOF:
		return true
	case err != nil:
		w.v.general(FindArchive, "%v", err)
		return true
	case x.Type == "warcinfo" && x.Offset == 0:
	case w.main == "" || strings.Trim(x.Get("WARC-Concurrent-To"), "<>") != w.main:
		w.v.general(FindArchive, "%s: at %d is a %s of %s that is in no record of the journal", w.files[w.number].Name, x.Offset, x.Type, x.URL)
	}
	return false
}

// nextFile reads the current file to its end and opens the next.
func (w *archiveWalk) nextFile() error {
	for w.r != nil && !w.companion() {
	}
	if w.file != nil {
		w.file.Close()
	}
	w.file, w.r, w.at, w.main = nil, nil, 0, ""
	w.number++
	err := w.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.absent = append(w.absent, w.number)
		return err
	case err != nil:
		w.v.general(FindArchive, "file %d: %v", w.number, err)
		return err
	}
	w.r = archive.NewReader(io.NewSectionReader(w.file, 0, 1<<62), w.files[w.number].Name)
	return nil
}

// open opens the current file. A running crawl may just have renamed it.
func (w *archiveWalk) open() (err error) {
	for range 3 {
		if err = w.list(); err != nil {
			return err
		}
		e, ok := w.files[w.number]
		if !ok {
			return fs.ErrNotExist
		}
		if w.file, err = w.dir.Open(e.Name, disk.Read); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// finish reads up to the last commit and checks what is after it.
func (w *archiveWalk) finish(last journal.Position) error {
	defer func() {
		if w.file != nil {
			w.file.Close()
		}
	}()
	if last.Size > 0 || last.File > 0 {
		w.end(last)
	}
	w.noteAbsent()
	if n := w.v.out.Undated; n > 0 {
		w.v.notef("answers that a page was not modified which an earlier version stored do not say what they refer to: %d", n)
	}
	if err := w.list(); err != nil || w.v.Running {
		return err
	}
	for n, e := range w.files {
		over := e.Size
		if n <= int(last.File) {
			over = 0
			if n == int(last.File) {
				over = e.Size - last.Size
			}
		}
		w.beyond(e, over)
	}
	w.noteGone()
	if w.aside > 0 {
		w.v.notef("files were set aside by an earlier run whose journal had lost its end, and are in no record: %d (*.beyond-N, %d bytes)", w.aside, w.asideBytes)
	}
	return nil
}

// noteAbsent adds a note about missing files. They are no violation: finished files may be
// moved elsewhere. Files that exist must be complete.
func (w *archiveWalk) noteAbsent() {
	w.absent = slices.DeleteFunc(w.absent, func(n int) bool { return w.gone[n] || w.sent[n] })
	if len(w.absent) == 0 {
		return
	}
	passed := int64(0)
	for _, n := range w.absent {
		passed += w.passed[n]
	}
	w.v.out.Absent = int64(len(w.absent))
	w.v.notef("%s missing, moved away or lost: number %s; answers that were not verified: %d",
		filesAre(len(w.absent)), ranges(w.absent), passed)
}

// filesAre begins a sentence about WARC files.
func filesAre(n int) string {
	if n == 1 {
		return "1 WARC file is"
	}
	return fmt.Sprintf("%d WARC files are", n)
}

// ranges formats ascending numbers as 0-3, 5.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ", ")
}

// end reads the rest of what was committed.
func (w *archiveWalk) end(last journal.Position) {
	for w.number < int(last.File) {
		if last.Size == 0 && w.number == int(last.File)-1 {
			for w.r != nil && !w.companion() { // the next file was not begun
			}
			return
		}
		if w.nextFile() != nil && w.number == int(last.File) {
			return
		}
	}
	for w.r != nil && w.at < last.Size {
		if w.companion() {
			break
		}
	}
	if w.r != nil && w.at != last.Size {
		w.v.general(FindArchive, "file %d ends with a record at %d, the last commit at %d", w.number, w.at, last.Size)
	}
}

// beyond checks the bytes of a file after the last commit. A few of them in a file that is
// still open are left by a crawl that was killed: the next run cuts them off.
func (w *archiveWalk) beyond(e disk.Entry, over int64) {
	switch open := !strings.HasSuffix(e.Name, archive.Suffix); {
	case over < 0:
		w.v.general(FindArchive, "%s: %d committed bytes are missing", e.Name, -over)
	case over > 0 && over <= archive.MaxTail && open:
		w.v.notef("%s has %d bytes that were not committed; the next run cuts them off", e.Name, over)
	case over > 0:
		w.v.general(FindArchive, "%s has %d bytes more than were committed: the journal has lost its end, or is an older copy; the next run sets them aside", e.Name, over)
	}
}
