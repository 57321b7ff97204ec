package live

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A crawl with a score that was edited while it ran, and again when it was resumed, repeats
// itself in a simulation, without the files. So does one whose values and rules were edited.
func TestReplayScored(t *testing.T) {
	for _, test := range []struct {
		name, policy, edit, text string
		pauses                   []pause
	}{
		{"weights", "default", "score", "0.1*q(pagerank) - q(location) + q(imported)/10", nil},
		{"values", "default", "values", "s4.example\t9\ns5.example\t1\n", nil},
		{"rules", "mix:score+opic", "rules", "-1 contains 3\n", []pause{{after: 20 * time.Second, off: time.Minute}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) string {
				name = filepath.Join(dir, name)
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return name
			}
			x := replaySetting{web: answer.Mixed(), pauses: test.pauses, set: func(o *crawl.RunOptions) {
				c := &o.Config
				c.Policy, c.ScoreFile = test.policy, write("score", "0.5*q(pagerank) + 0.3*q(location) + 0.2*(q(imported) ?? 0)")
				c.ImportValues, c.LocationRules = write("values", "s1.example\t3\ns2.example\t4\n"), write("rules", "-1 slash\n+1 contains 7\n")
				edited := false
				o.Progress = func(s *history.Status) {
					if !edited && s.Fetched > 40 {
						edited = true
						write(test.edit, test.text)
					}
				}
			}}
			crawled := x.crawl(t)
			for _, name := range []string{"score", "values", "rules"} {
				os.Remove(filepath.Join(dir, name))
			}
			compareCourses(t, mustRead(t, crawled))
		})
	}
}
