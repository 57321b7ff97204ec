package robots

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestPackedSize: what is kept of a robots.txt for as long as its site is known is at most
// so many times the bytes that are read of it, also where each rule is kept in three
// spellings and all of them grow by their escapes; and reading it takes memory, and so time,
// in proportion.
func TestPackedSize(t *testing.T) {
	for name, form := range map[string]string{
		"short": "allow:/%x\n", "spellings": "allow:?:%x\n", "escapes": "allow:/\xff\xff\xff\xff\xff\xff\xff\xff%x\n",
		"both": "allow:?::::::::::::::::\xff\xff%x\n", "stars": "allow:*%x\n", "one long rule": "allow:/" + strings.Repeat("\xff", 400<<10) + "%x\n",
	} {
		var b strings.Builder
		b.WriteString("user-agent:*\n")
		for i := 0; b.Len() < 2*MaxSize; i++ {
			fmt.Fprintf(&b, form, i)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		kept := Parse([]byte(b.String())).For("winnow").Size()
		runtime.ReadMemStats(&after)
		if passed := after.TotalAlloc - before.TotalAlloc; kept > 4*MaxSize || passed > 80*MaxSize {
			t.Errorf("%s: %d bytes are kept, %d were used on the way", name, kept, passed)
		}
	}
}

// TestManySitemaps: lines of other kinds are bounded by what is read.
func TestManySitemaps(t *testing.T) {
	f := Parse([]byte(strings.Repeat("sitemap:x\n", MaxSize)))
	if n := len(f.Sitemaps); n > MaxSize/10 {
		t.Errorf("%d sitemaps", n)
	}
}
