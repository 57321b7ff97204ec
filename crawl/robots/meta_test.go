package robots

import "testing"

// TestParseMeta: X-Robots-Tag and robots meta (W15), for the crawler winnow.
func TestParseMeta(t *testing.T) {
	const all = NoIndex | NoFollow | NoArchive
	tests := []struct {
		values []string
		want   Tags
	}{
		{nil, 0},
		{[]string{""}, 0},
		{[]string{"noindex"}, NoIndex},
		{[]string{"nofollow"}, NoFollow},
		{[]string{"noarchive"}, NoArchive},
		{[]string{"nocache"}, NoArchive},
		{[]string{"none"}, NoIndex | NoFollow},
		{[]string{"all"}, 0},
		{[]string{"index, follow"}, 0},
		{[]string{"NoIndex,NOFOLLOW"}, NoIndex | NoFollow},
		{[]string{" noindex , , nofollow,"}, NoIndex | NoFollow},
		{[]string{"noindex nofollow"}, NoIndex | NoFollow},
		{[]string{"noindex;nofollow"}, NoIndex | NoFollow},
		{[]string{"all, noindex, index"}, NoIndex},
		{[]string{"noindex", "noarchive"}, NoIndex | NoArchive},
		{[]string{"nosnippet, noimageindex, notranslate, noodp"}, 0},
		{[]string{"noindexing, xnofollow"}, 0},

		{[]string{"winnow: noindex"}, NoIndex},
		{[]string{"Winnow:noindex, nofollow"}, NoIndex | NoFollow},
		{[]string{"winnow/2.0: noindex"}, NoIndex},
		{[]string{"winnow : noindex"}, NoIndex},
		{[]string{"otherbot: noindex, nofollow"}, 0},
		{[]string{"otherbot:noindex"}, 0},
		{[]string{"otherbot : noindex"}, 0},
		{[]string{"winnowing: noindex"}, 0},
		{[]string{"win: noindex"}, 0},
		{[]string{"MJ12bot: noindex, nofollow"}, 0},
		{[]string{"*: noindex"}, NoIndex},
		{[]string{"robots: noindex"}, NoIndex},
		{[]string{"otherbot: noindex", "nofollow"}, NoFollow},
		{[]string{"nofollow, otherbot: noindex"}, NoFollow},
		{[]string{"otherbot: noindex, winnow: nofollow, noarchive"}, NoFollow | NoArchive},
		{[]string{"winnow: nofollow, otherbot: none"}, NoFollow},

		{[]string{"unavailable_after: 25 Jun 2030 15:00:00 PST, noindex"}, NoIndex},
		{[]string{"unavailable_after: Sunday, 01-Sep-30 12:34:56 GMT, nofollow"}, NoFollow},
		{[]string{"unavailable_after: Sun, 01 Sep 2030 12:34:56 GMT", "noarchive"}, NoArchive},
		{[]string{"unavailable_after: 2030-09-01T12:34:56Z, none, noarchive"}, all},
		{[]string{"unavailable_after:2030-09-01T12:34:56Z noindex"}, NoIndex},
		{[]string{"unavailable_after:, noindex"}, NoIndex},
		{[]string{"otherbot: unavailable_after: 2030-09-01, noindex"}, 0},
		{[]string{"max-snippet:-1, max-image-preview:large, max-video-preview: 3, noindex"}, NoIndex},
		{[]string{":", "::", ": noindex", ","}, NoIndex},
	}
	for _, test := range tests {
		if got := ParseMeta(test.values, "winnow/1.0"); got != test.want {
			t.Errorf("ParseMeta(%q) = %03b, want %03b", test.values, got, test.want)
		}
	}
}

// TestTagsString: the words are read back as the tags they came from.
func TestTagsString(t *testing.T) {
	for tags := range NoIndex | NoFollow | NoArchive + 1 {
		if got := ParseMeta([]string{tags.String()}, ""); got != tags {
			t.Errorf("%03b is %q, read as %03b", tags, tags.String(), got)
		}
	}
	if got := (NoArchive | NoIndex).String(); got != "noindex, noarchive" {
		t.Errorf("got %q", got)
	}
}
