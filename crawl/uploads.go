package crawl

import (
	"context"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// startUploads starts to send finished WARC files to the store of --archive, if there is one. The
// crawl never waits for it. It is an error if the store refuses that.
func (o *RunOptions) startUploads(ctx context.Context) (err error) {
	if o.Chance != nil && o.orders.plan == nil { // nothing is fetched
		return nil
	}
	u := &remote.Uploader{Dir: disk.OS(filepath.Join(o.Dir, layout.ArchiveDir)), Keep: o.Config.ArchiveKeep, Warn: o.Log.Warn}
	o.uploads, err = s3.Start(ctx, u, o.Config.Archive, o.Port.Name())
	return err
}

// sendRest sends the last WARC files at the end of a crawl, unless the user stopped it or goes on.
// It does not wait for a store that cannot be reached.
func (l *loop) sendRest() {
	u := l.options.uploads
	u.Look(l.position)
	if u == nil || l.limits.stopping == whyStopped || l.limits.stopping == whyReload || l.limits.stopping == whyCommand {
		return
	}
	l.log.Info("sending the last WARC files", "place", u.Place.Short())
	if err := u.Finish(); err != nil {
		l.log.Warn("WARC files are left that could not be sent; the next run or winnow upload sends them", "error", err)
	}
}
