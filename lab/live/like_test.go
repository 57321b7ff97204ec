package live

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/lab"
)

// A crawl that may request other things, or at other times, than the recorded one has a clock
// of its own.
func TestLikeInStep(t *testing.T) {
	c := config.Default()
	for flag, want := range map[string]bool{"": true, "policy": true, "order": true, "delay": false, "bandwidth": false, "fetchers": false} {
		var set lab.Setting
		if err := Like(&set, &c, true, func(f string) bool { return f == flag }); err != nil || set.InStep != want {
			t.Errorf("with --%s it is in step: %v, want %v; %v", flag, set.InStep, want, err)
		}
	}
	var set lab.Setting
	if err := Like(&set, &c, false, func(string) bool { return false }); err != nil || set.InStep {
		t.Errorf("a world of its own is in step: %v, %v", set.InStep, err)
	}
}
