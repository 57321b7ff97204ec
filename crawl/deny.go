package crawl

import (
	"os"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
)

// denyList is the file of --deny, which is read again while a crawl runs: hosts that ask
// to be left alone are left alone without a restart.
type denyList struct {
	path  string
	scope *gather.Scope
	text  string        // of the list in force
	at    time.Duration // when to look again
	stamp time.Time
	size  int64
}

// denyEvery is how often the file is looked at.
const denyEvery = 5 * time.Second

// look reads the file again if it has changed, and reports whether the list is another.
// A file that cannot be read changes nothing.
func (d *denyList) look(now time.Duration, warn func(string, ...any)) (changed bool) {
	if d.path == "" || now < d.at {
		return false
	}
	d.at = now + denyEvery
	info, err := os.Stat(d.path)
	if err == nil && info.ModTime().Equal(d.stamp) && info.Size() == d.size {
		return false
	}
	var rules *gather.Rules
	if err == nil {
		rules, err = config.ReadRules(d.path, gather.ParseDeny)
	}
	if err != nil {
		warn("the deny list stays as it was", "error", err)
		return false
	}
	d.stamp, d.size = info.ModTime(), info.Size()
	text := rules.DenyText()
	if text == d.text {
		return false
	}
	d.text = text
	d.scope.SetDeny(rules)
	return true
}
