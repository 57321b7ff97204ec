package focus

import (
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// warcFiles returns the WARC files of a crawl in their order. All must be here.
func warcFiles(dir string) ([]string, error) {
	path := filepath.Join(dir, layout.ArchiveDir)
	if err := remote.Here(disk.OS(path)); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(path, "*.warc*"))
}
