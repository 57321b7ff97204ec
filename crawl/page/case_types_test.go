package page

import "testing"

// Names of pages about files and programs are no reason to leave a page out, and names of
// files that are surely none are.
func TestCaseExtension(t *testing.T) {
	for _, u := range []string{
		"https://en.wikipedia.org/wiki/Node.js", "https://en.wikipedia.org/wiki/Vue.js", "https://github.com/mrdoob/three.js",
		"https://github.com/torvalds/linux/blob/master/kernel/fork.c", "https://gitlab.com/x/y/-/blob/main/package.json",
		"https://github.com/x/y/blob/main/logo.png", "https://github.com/x/y/blame/main/paper.pdf",
		"https://web.archive.org/web/2020/http://example.com/a.pdf", "https://www.npmjs.com/package/socket.io", "https://www.npmjs.com/package/pdf.js",
		"https://fr.wikipedia.org/wiki/7z", "https://bundlephobia.com/package/three.js", "https://en.wikipedia.org/wiki/.exe",
		"https://en.wikipedia.org/wiki/Setup.exe", "https://a.example/Readme.txt", "https://a.example/Main.c",
	} {
		if c := Extension([]byte(u)); !c.MayBePage() {
			t.Errorf("%s is %v and not asked for", u, c)
		}
	}
	for _, u := range []string{
		"https://a.example/papers/1.pdf", "https://a.example/blobs/1.pdf", "https://a.example/wiki/images/7/7a/Logo.png",
		"https://a.example/theme.css", "https://a.example/dist/app.wasm", "https://a.example/pool/a_1.deb", "https://a.example/SHA/x.sha256",
	} {
		if c := Extension([]byte(u)); c.MayBePage() {
			t.Errorf("%s is %v and asked for", u, c)
		}
	}
}

// A file of a language in which programs are shown is static; one that runs is not.
func TestCaseDynamic(t *testing.T) {
	for url, want := range map[string]bool{
		"http://a.example/src/demo.py": false, "http://a.example/x.pl": false, "http://a.example/lib/x.rb": false,
		"http://a.example/cgi-bin/x.pl": true, "http://a.example/x.py?y=1": true, "http://a.example/x.php": true, "http://a.example/x.cgi": true,
	} {
		if got := Dynamic([]byte(url)); got != want {
			t.Errorf("%s: dynamic %t, want %t", url, got, want)
		}
	}
}

func TestEnding(t *testing.T) {
	for rest, want := range map[string][2]string{
		"/a/b/Node.JS": {"/a/b/", "js"}, "/x.tar.c;v=1?q=/z.h": {"/", "c"}, "/a.d/x.txt": {"/a.d/", "txt"},
	} {
		if dir, ext := Ending([]byte(rest)); string(dir) != want[0] || string(ext) != want[1] {
			t.Errorf("%s: %s and %s, want %v", rest, dir, ext, want)
		}
	}
}
