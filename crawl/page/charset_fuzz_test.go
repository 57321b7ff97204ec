package page

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// encodings are all that the standard can write, by their names there.
func encodings(t testing.TB) (names []string, all []encoding.Encoding) {
	names = []string{"utf-8", "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7",
		"iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r",
		"koi8-u", "macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253",
		"windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk",
		"gb18030", "big5", "euc-jp", "shift_jis", "euc-kr", "iso-2022-jp", "utf-16be", "utf-16le"}
	for _, name := range names {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return names, all
}

// FuzzCharsetRoundTrip: a page in a charset that its header names is decoded as the
// reference does without bounds, never beyond the limit, never into a cut or invalid
// character; and text that the charset can hold comes back as it was. The decoder is
// used again and again, by pages of all charsets: nothing of one is left in the next.
func FuzzCharsetRoundTrip(f *testing.F) {
	names, all := encodings(f)
	for i := range names {
		f.Add([]byte("Grün, Зерно, 麦ソ\x00\x1b$B~~\r\n&#"), uint8(i), uint16(20))
		f.Add([]byte("\xff\x81\x30\x81\x30\x8e\xa1\xd8\x00"), uint8(i), uint16(3))
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, text []byte, which uint8, limit uint16) {
		i := int(which) % len(all)
		header := "text/html; charset=" + names[i]
		checkDecoded(t, &d, all[i], text, header, int(limit)+1) // whatever bytes they are
		coded, err := all[i].NewEncoder().Bytes(text)
		if err != nil || !utf8.Valid(text) {
			return
		}
		back := checkDecoded(t, &d, all[i], coded, header, int(limit)+1)
		if lossless(names[i]) && back != nil && len(back)+utf8.UTFMax <= int(limit) && !bytes.Equal(back, text) {
			t.Fatalf("%s: %q came back as %q", names[i], text, back)
		}
	})
}

// lossless tells for which charsets decode(encode(text)) is text: those that can hold
// every character. In the others some characters have two places (big5, shift_jis).
func lossless(name string) bool {
	return name == "windows-1251" || name == "koi8-r" || name == "utf-16be" || name == "utf-16le"
}

// checkDecoded decodes body and compares with the reference.
func checkDecoded(t *testing.T, d *Decoder, e encoding.Encoding, body []byte, header string, limit int) []byte {
	d.Max = limit
	got, cs := d.Decode(body, header)
	if len(got) > limit {
		t.Fatalf("%d bytes, limit %d", len(got), limit)
	}
	if name, _ := bom(body); name != "" || cs.Source != CharsetHTTP {
		return nil // the mark wins: another charset
	}
	want, err := e.NewDecoder().Bytes(body)
	if cs.Name == utf8Name {
		want, err = body, nil // not copied, so not mended either
	}
	if err != nil {
		t.Fatalf("%s: the reference fails: %v", cs.Name, err)
	}
	if !bytes.HasPrefix(want, got) || len(got) < len(want) && len(got)+utf8.UTFMax <= limit {
		t.Fatalf("%s of %q: %q, the reference %q, limit %d", cs.Name, body, got, want, limit)
	}
	if cs.Name != utf8Name && !utf8.Valid(got) {
		t.Fatalf("%s of %q: invalid %q", cs.Name, body, got)
	}
	return got
}
