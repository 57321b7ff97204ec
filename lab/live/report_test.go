package live

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// The report says what visits of pages that had not changed saved.
func TestReportOfRevisits(t *testing.T) {
	spec := fakeweb.Spec{Pages: 20, Sites: 4, Links: 100, Seed: 7}
	_, dir, sum := crawledAs(t, spec, 4, answer.Options{}, func(c *config.Config) {
		c.Recrawl, c.Duration = config.Seconds(3600), config.Seconds(3*3600)
	})
	if sum.Status.NotModified == 0 || sum.Status.NotTransferred == 0 {
		t.Fatalf("%+v", sum.Status.Spared)
	}
	rows := map[string]string{}
	for _, row := range mustRead(t, dir, NoPolicy).figures().Table.Rows {
		rows[row[0].String()] = row[1].String()
	}
	if got := rows["of these not modified (304)"]; got != fmt.Sprint(sum.Status.NotModified) {
		t.Errorf("%q of %d in %v", got, sum.Status.NotModified, rows)
	}
	if got := rows["megabytes not transferred for that"]; got != fmt.Sprintf("%.3f", float64(sum.Status.NotTransferred)/1e6) {
		t.Errorf("%q megabytes of %d bytes", got, sum.Status.NotTransferred)
	}
}
