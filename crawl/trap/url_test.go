package trap

import (
	"bytes"
	"strings"
	"testing"
)

func TestGroup(t *testing.T) {
	for _, c := range []struct{ rest, want string }{
		{"/", "*/"},
		{"/a", "/*"},
		{"/a/", "/*/"},
		{"/blog/2024/05/rice.html", "/blog/#/#/*.html"},
		{"/blog/2024/05/", "/blog/#/*/"},
		{"/again/0f3a9c21b7/", "/again/*/"},
		{"/again/0f3a9c21b7/x", "/again/#/*"},
		{"/s-26656b1865977976/d0/p01.html", "/s-#/d#/*.html"},
		{"/v2/api3x/y", "/v#/api#x/*"},
		{"/list.php?f=1&f=2", "/list.php?f&f"},
		{"/list.php?f=1;g=2", "/list.php?f"},
		{"/list.php?", "/list.php?"},
		{"/list.php?&", "/list.php?&"},
		{"/a.b/c", "/a.b/*"},
		{"/c.endings", "/*"},
		{"/c.html5", "/*.html5"},
		{"/12?x", "/#?x"},
		{"/p%20q/r", "/p%#q/*"}, // escapes are words with digits, too
	} {
		if got := string(appendGroup(nil, []byte(c.rest))); got != c.want {
			t.Errorf("the group of %s is %s, want %s", c.rest, got, c.want)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		rest, name string
		depth      int
	}{
		{"/", "", 0},
		{"/a.html", "", 0},
		{"/a/", "/a/", 1},
		{"/a/b.html", "/a/", 1},
		{"/a/b/c/", "/a/", 3},
		{"//", "//", 1},
		{"/list?f=1", "/list?", 1},
		{"/list?", "/list?", 1},
		{"/x/list?f=1&g=/2&h=3", "/x/list?", 3},
		{"/x/?y?z&", "/x/?", 2},
		{"/" + strings.Repeat("a/", 300), "/a/", 300},
	} {
		name, depth := place([]byte(c.rest))
		if string(name) != c.name || depth != c.depth {
			t.Errorf("%s lies at %q, %d, want %q, %d", c.rest, name, depth, c.name, c.depth)
		}
	}
}

func TestDeeper(t *testing.T) {
	for _, c := range []struct {
		below, page string
		want        bool
	}{
		{"/a/b/", "/a/", true},
		{"/a/b", "/a/", false}, // beside it, in its directory
		{"/a/b/c", "/a/x.html", true},
		{"/a/", "/a/b/", false},
		{"/a/", "/", true},
		{"/a", "/", false},
		{"/b/c/", "/a/", false},
		{"/ab/c/", "/a/", false},
		{"/a?x=/b/", "/", false}, // a query is no directory
		{"/a/b/?x", "/a/", true},
		{"/l?a=1&b=2", "/l?a=1", true},
		{"/l?a=12", "/l?a=1", false},
		{"/l?b=2&a=1", "/l?a=1", false}, // it begins anew
		{"/l?a=1", "/l?a=1&b=2", false},
		{"/l/?a=1&b", "/l?a=1", false},
		{"/l?&b", "/l?", true},
		{"/la?a=1&b", "/l?a=1", false},
		{"/l", "/l?a", false},
	} {
		if got := Deeper([]byte(c.below), []byte(c.page)); got != c.want {
			t.Errorf("%s is deeper than %s: %v", c.below, c.page, got)
		}
	}
}

func TestID(t *testing.T) {
	for rest, want := range map[string]bool{
		"/s-26656b1865977976/":       true,
		"/x?sid=0f3a9c21b7":          true,
		"/x?page=1234567890123":      false, // a number
		"/internationalization":      false, // a word
		"/internationalization2":     false, // with a number
		"/internationalization20":    true,
		"/a1b2c3d4e":                 false, // short
		"/a1b2c3d4e5":                true,
		"/2024-05-11-rice-and-beans": false,
		"/":                          false,
		"":                           false,
	} {
		if got := hasID([]byte(rest)); got != want {
			t.Errorf("%s has an id: %v", rest, got)
		}
	}
}

// FuzzPlace: whatever stands after the name of a site, its group and place are parts of it
// that depend on nothing else, and no page lies below itself.
func FuzzPlace(f *testing.F) {
	for _, s := range []string{"/", "/a/b/c.html", "/a?b=c&d", "//x//", "/?", "/%41/2024/x1y2z3?&&="} {
		f.Add([]byte(s), []byte("/a/"))
	}
	f.Fuzz(func(t *testing.T, rest, other []byte) {
		rest, other = append([]byte("/"), rest...), append([]byte("/"), other...) // as every normal form
		before := bytes.Clone(rest)
		name, depth := place(rest)
		if !bytes.HasPrefix(rest, name) || depth < 0 || (depth == 0) != (len(name) == 0) {
			t.Errorf("%q lies at %q, %d", rest, name, depth)
		}
		if Deeper(rest, rest) {
			t.Errorf("%q lies below itself", rest)
		}
		if Deeper(rest, other) && Deeper(other, rest) {
			t.Errorf("%q and %q lie below each other", rest, other)
		}
		hasID(rest)
		group := appendGroup(nil, rest)
		if len(group) > len(rest)+1 { // a name that is left out is one byte: that of "/" is empty
			t.Errorf("the group of %q is %q", rest, group)
		}
		if again := appendGroup([]byte("xy"), rest); string(again) != "xy"+string(group) {
			t.Errorf("the group of %q is %q, and %q", rest, group, again)
		}
		if !bytes.Equal(rest, before) {
			t.Errorf("%q became %q", before, rest)
		}
	})
}
