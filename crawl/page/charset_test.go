package page

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/htmlindex"
)

func encode(t testing.TB, name, text string) []byte {
	t.Helper()
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	meta := `<meta charset=windows-1251>Привет`
	late := "<!--" + strings.Repeat(" ", 1024) + "--><meta charset=windows-1251>é"
	for _, c := range []struct {
		name, body, header, charset, want string
		source                            CharsetSource
	}{
		{"ascii", "abc", "", "utf-8", "abc", CharsetValid},
		{"utf-8", "é", "text/html", "utf-8", "é", CharsetValid},
		{"utf-8 cut", "é日\xe6\x97", "", "utf-8", "é日\xe6\x97", CharsetValid},
		{"utf-8 mark", "\xef\xbb\xbfé", "text/html; charset=koi8-r", "utf-8", "é", CharsetBOM},
		{"utf-16 marks", "\xfe\xff\x00a\x00\xe9", "", "utf-16be", "aé", CharsetBOM},
		{"utf-16 little", "\xff\xfea\x00\xe9\x00", "", "utf-16le", "aé", CharsetBOM},
		{"header", "\xe9", "text/html; Charset = 'ISO-8859-1' ;q", "windows-1252", "é", CharsetHTTP},
		{"header before meta", string(encode(t, "koi8-r", meta)), "text/html;charset=KOI8-R", "koi8-r", meta, CharsetHTTP},
		{"unknown header", string(encode(t, "windows-1251", meta)), "text/html;charset=klingon", "windows-1251", meta, CharsetMeta},
		{"invalid utf-8 stays", "\xff\xfd", "text/html; charset=utf8", "utf-8", "\xff\xfd", CharsetHTTP},
		{"http-equiv", "<META CONTENT='text/html;charset=latin1' HTTP-EQUIV=Content-Type>\xe9", "", "windows-1252", "<META CONTENT='text/html;charset=latin1' HTTP-EQUIV=Content-Type>é", CharsetMeta},
		{"meta says utf-16", "<meta charset=utf-16>é", "", "utf-8", "<meta charset=utf-16>é", CharsetMeta},
		{"meta in a comment", "<!--><meta charset=koi8-r>--><p>é", "", "koi8-r", "<!--><meta charset=koi8-r>--><p>ц╘", CharsetMeta},
		{"meta late in the head", late, "", "windows-1251", strings.Replace(late, "é", "Г©", 1), CharsetMeta},
		{"meta in the body", "<p>" + late, "", "utf-8", "<p>" + late, CharsetValid},
		{"declared, but pure ascii", "abc", "text/html; charset=shift_jis", "shift_jis", "abc", CharsetHTTP},
		{"iso-2022-jp is never ascii", "\x1b$B$3\x1b(B", "text/html; charset=iso-2022-jp", "iso-2022-jp", "こ", CharsetHTTP},
	} {
		var d Decoder
		got, cs := d.Decode([]byte(c.body), c.header)
		if string(got) != c.want || cs != (Charset{c.charset, c.source}) {
			t.Errorf("%s: got %q by %v (%v), want %q by %s (%v)", c.name, got, cs.Name, cs.Source, c.want, c.charset, c.source)
		}
	}
}

// TestGuess: charsets that nobody declared are found by their bytes.
func TestGuess(t *testing.T) {
	for name, text := range map[string]string{
		"windows-1251": "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства. ",
		"koi8-r":       "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства. ",
		"shift_jis":    "いろはにほへと ちりぬるを わかよたれそ つねならむ うゐのおくやま けふこえて あさきゆめみし ゑひもせす 東京は日本の首都です。",
		"euc-jp":       "いろはにほへと ちりぬるを わかよたれそ つねならむ うゐのおくやま けふこえて あさきゆめみし ゑひもせす 東京は日本の首都です。",
		"euc-kr":       "모든 국민은 법 앞에 평등하다. 누구든지 성별 종교 또는 사회적 신분에 의하여 모든 영역에 있어서 차별을 받지 아니한다.",
		"big5":         "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。",
	} {
		page := "<html><body><p>" + strings.Repeat(text, 4) + "</p></body></html>"
		var d Decoder
		got, cs := d.Decode(encode(t, name, page), "text/html")
		if cs != (Charset{name, CharsetGuess}) || string(got) != page {
			t.Errorf("%s: taken for %v (%v)", name, cs.Name, cs.Source)
		}
	}
}

// TestDecodeBounded: no output beyond the limit, no character cut in two.
func TestDecodeBounded(t *testing.T) {
	body := encode(t, "windows-1251", strings.Repeat("я", 10_000))
	for _, limit := range []int{1, 2, 99, 100, 19_999, 20_000, 30_000} {
		d := Decoder{Max: limit}
		got, _ := d.Decode(body, "text/html; charset=windows-1251")
		if want := min(limit/2*2, 20_000); len(got) != want || !utf8.Valid(got) {
			t.Errorf("limit %d: %d bytes, want %d", limit, len(got), want)
		}
		got, _ = d.Decode([]byte(strings.Repeat("я", 100)), "")
		if want := min(limit/2*2, 200); len(got) != want {
			t.Errorf("utf-8, limit %d: %d bytes, want %d", limit, len(got), want)
		}
	}
}

// FuzzCharset compares with golang.org/x/net/html/charset what is certain there:
// marks, headers and meta elements.
func FuzzCharset(f *testing.F) {
	for _, body := range []string{"<meta charset=koi8-r>", "<!-- <meta charset=x> --><meta http-equiv=content-type content='a;charset=big5'>", "\xfe\xff\x00a", "<a title='<meta charset=big5>'>"} {
		f.Add([]byte(body), "text/html; charset=latin1")
		f.Add([]byte(body), "")
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		text, cs := d.Decode(body, header)
		if len(text) > 16<<20 {
			t.Fatal("limit exceeded")
		}
		if _, name, certain := charset.DetermineEncoding(body, header); certain && cs.Source <= CharsetHTTP && cs.Source != 0 && name != cs.Name {
			t.Fatalf("%q %q: got %v, want %s", body, header, cs, name)
		}
		if cs.Name != utf8Name && !utf8.Valid(text) && !bytes.Equal(text, body) {
			t.Fatalf("%q: decoded to invalid UTF-8 %q", body, text)
		}
	})
}

// TestQueryEncoder: links of old pages keep the bytes that their servers know.
func TestQueryEncoder(t *testing.T) {
	for _, test := range []struct{ charset, href, want string }{
		{"windows-1252", "/s?q=é", "q=%E9"},
		{"windows-1251", "/s?q=Зерно&x", "q=%C7%E5%F0%ED%EE&x"},
		{"shift_jis", "/s?q=麦ソ", `q=%94%9E%83\`},
		{"windows-1252", "/s?q=麦", "q=%26%2340614%3B"},
		{"utf-8", "/s?q=é", "q=%C3%A9"},
		{"utf-16le", "/s?q=é", "q=%C3%A9"},
		{"no such charset", "/s?q=é", "q=%C3%A9"},
	} {
		var r Resolver
		r.Document([]byte("http://old.example/"))
		r.EncodeQuery = QueryEncoder(test.charset)
		for range 2 { // it is used again
			got, v := r.Resolve(nil, []byte(test.href))
			if want := "http://old.example/s?" + test.want; string(got) != want || v != OK {
				t.Errorf("%s in %s: %q, %v, want %q", test.href, test.charset, got, v, want)
			}
		}
	}
}
