package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A Record says where a WARC file is. It lies beside the index of the file.
type Record struct {
	Place    string    `json:"place"` // of the object: see Place
	Size     int64     `json:"size"`
	SHA256   string    `json:"sha256"` // hexadecimal
	CRC64    string    `json:"crc64nvme"`
	ETag     string    `json:"etag"`     // as the store reports it
	Verified string    `json:"verified"` // how the object was compared with the file: crc64nvme, etag or read
	Uploaded time.Time `json:"uploaded"`
}

// recordSuffix replaces the suffix of the WARC file.
const recordSuffix = ".remote.json"

// RecordName returns the name of the record of a WARC file.
func RecordName(warc string) string { return strings.TrimSuffix(warc, archive.Suffix) + recordSuffix }

// OfRecord returns the name of the WARC file of a record, if a file name is that of one.
func OfRecord(name string) (warc string, ok bool) {
	stem, ok := strings.CutSuffix(name, recordSuffix)
	warc = stem + archive.Suffix
	_, number := archive.FileNumber(warc)
	return warc, ok && number
}

// ReadRecord returns the record of a WARC file. Without one the error is fs.ErrNotExist.
func ReadRecord(dir disk.Dir, warc string) (*Record, error) {
	b, err := disk.ReadFile(dir, RecordName(warc))
	r := new(Record)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err == nil && (r.Size <= 0 || len(r.SHA256) != 64) {
		err = errors.New("it has no size or no checksum")
	}
	if err == nil {
		_, err = Parse(r.Place)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("read %s: %w", RecordName(warc), err)
	}
	return r, err
}

// write writes the record, completely or not at all, and syncs it.
func (r *Record) write(dir disk.Dir, warc string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	name := RecordName(warc)
	return disk.Replace(dir, name, name+".tmp", true, func(f disk.File) error {
		_, err := f.WriteAt(append(b, '\n'), 0)
		return err
	})
}

// Records returns the records in an archive directory, by the names of their WARC files.
func Records(dir disk.Dir) (map[string]*Record, error) {
	list, err := dir.List()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	found := map[string]*Record{}
	for _, e := range list {
		warc, ok := OfRecord(e.Name)
		if !ok {
			continue
		}
		r, bad := ReadRecord(dir, warc)
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		found[warc] = r
	}
	return found, err
}

// Here returns an error if a WARC file of an archive directory is only in a store: some readers need
// all of them here.
func Here(dir disk.Dir) error {
	l, err := look(dir, nil)
	if err != nil {
		return err
	}
	for _, e := range l.files {
		delete(l.records, e.Name)
	}
	for _, warc := range slices.Sorted(maps.Keys(l.records)) {
		p, _ := Parse(l.records[warc].Place)
		return &hint.Error{
			Text: fmt.Sprintf("%d WARC files are not on this disk, which this needs; the first is at %s", len(l.records), p.Short()),
			Hint: "copy them back beside their indexes, with winnow upload --back DIR or any tool for S3",
		}
	}
	return nil
}
