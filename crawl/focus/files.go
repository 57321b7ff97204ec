package focus

import (
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// warcFiles returns the WARC files of a crawl in their order. All must be here.
func warcFiles(dir string) (files []string, err error) {
	list, err := history.Dirs(dir)
	if err != nil {
		return nil, err
	}
	for _, dir := range list {
		path := filepath.Join(dir, layout.ArchiveDir)
		if err := remote.Here(disk.OS(path)); err != nil {
			return nil, err
		}
		some, err := filepath.Glob(filepath.Join(path, "*.warc*"))
		if err != nil {
			return nil, err
		}
		files = append(files, some...)
	}
	return files, nil
}
