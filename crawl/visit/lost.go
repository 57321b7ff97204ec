package visit

import "github.com/winnow-crawler/winnow/journal"

// LostSince returns, from a journal, when the first answer was requested that a WARC file has lost from an
// offset on, in Unix milliseconds; 0 if there is none.
func LostSince(read journal.Reader, file int, from int64) (since int64, err error) {
	wall := int64(0)
	read.Damage = func(*journal.Damage) error { return nil }
	read.Record = func(r *journal.Record) error {
		if s := r.Facts.Session; s != nil {
			wall = s.Wall - int64(r.Now)
		}
		p := r.Facts.Place
		if int(p.File) != file || p.Length == 0 || p.Offset+p.Length <= from {
			return nil
		}
		if at := DateStored(wall, r); since == 0 || at < since {
			since = at
		}
		return nil
	}
	_, err = read.Run()
	return since, err
}
