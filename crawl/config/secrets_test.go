package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// everySecret is a configuration with a secret in each place.
func everySecret() Config {
	c := Default()
	c.Header = []string{"Cookie: s3cret-1", "Cookie: s3cret-2", "Accept-Language: de"}
	c.Proxy = "socks5://me:s3cret@127.0.0.1:1080"
	c.Site = []Override{
		{Match: "a.example", User: "me", Password: "s3cret'\"\\", Header: []string{"X-Token: s3cret", "X-Team: us"}},
		{Match: "b.example", Token: "s3cret", Cookie: []string{"a=s3cret=", "b=s3cret"}},
	}
	return c
}

// What is stored has no secret, and together with them it is what was given.
func TestSecretsPublic(t *testing.T) {
	want := everySecret()
	public, secrets := want.Public()
	text, err := public.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "s3cret") || strings.Count(string(text), "kept") != 8 || !strings.Contains(string(text), "X-Team: us") {
		t.Errorf("stored is\n%s", text)
	}
	file, err := secrets.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("/w.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseSecrets(file); err != nil || !reflect.DeepEqual(again, secrets) {
		t.Errorf("%v, %v from\n%s", again, err, file)
	}
	if places := again.Missing(); len(places) != 8 || !slices.Contains(places, "header/Cookie/2") || !slices.Contains(places, "site/b.example/cookie/a") {
		t.Errorf("missing are %v", places)
	}
	if again.ReadSecrets() == nil {
		t.Error("a crawl can begin without its secrets")
	}
	again.Restore(secrets)
	if err := again.ReadSecrets(); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%v, restored is\n%+v, want\n%+v", err, again, want)
	}
	for _, line := range want.Diff(&public) {
		if strings.Contains(line, "s3cret") {
			t.Error(line)
		}
	}
	c := Default()
	c.Header, c.HeaderScope = []string{"X-Team: s3cret"}, HeadersSeeds // kept from WARC files, too
	if _, secrets := c.Public(); secrets["header/X-Team"] != "s3cret" {
		t.Errorf("%v", secrets)
	}
}

// Secrets of a table go to its sites, over https only unless it says otherwise.
func TestTableSecrets(t *testing.T) {
	c := Default()
	c.Seeds = []string{"http://a.example/", "https://b.example/", "http://c.example/"}
	c.Header = []string{"Authorization: Bearer global"}
	c.Site = []Override{
		{Match: "a.example", Token: "own", Header: []string{"X-Team: us"}}, {Match: "b.example", Token: "own", OverHTTP: true},
		{Match: "c.example", Header: []string{"X-Team: us"}}, {Match: "sub.a.example"},
	}
	h := NewSiteHeaders(&c)
	for site, want := range map[string]string{
		"https://a.example": "Bearer own", "https://www.a.example": "Bearer own", "https://a.example:8443": "Bearer own", "http://a.example": "",
		"https://sub.a.example": "", "https://b.example": "Bearer own", "http://b.example": "Bearer own", "https://a.example.evil.test": "",
		"http://c.example": "Bearer global", "https://nota.example": "",
	} {
		if got := h.Of([]byte(site)).Get("Authorization"); got != want {
			t.Errorf("%s gets %q, want %q", site, got, want)
		}
	}
	if h.Of([]byte("http://a.example")).Get("X-Team") != "us" {
		t.Error("a header that is no secret does not go over http")
	}
	if got := h.Unsent(); !slices.Equal(got, c.Seeds[:1]) {
		t.Errorf("without their secrets are %v", got)
	}
}

// Files and variables are read when a crawl begins. Relative names are those of the
// directory of the configuration.
func TestReadSecrets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cookies": "a=1\r\n\nb=2\n", "password": "p w\n", "empty": "\n", "two": "a\nb\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("WINNOW_TEST_TOKEN", "t0ken")
	t.Setenv("WINNOW_TEST_COOKIE", "c=3; d=4")
	for _, test := range []struct{ table, header, want string }{
		{"cookie_file = 'cookies'", "Cookie", "a=1; b=2"},
		{"cookie_env = 'WINNOW_TEST_COOKIE'", "Cookie", "c=3; d=4"},
		{"user = 'me'\npassword_file = 'password'", "Authorization", "Basic bWU6cCB3"},
		{"token_env = 'WINNOW_TEST_TOKEN'", "Authorization", "Bearer t0ken"},
		{"token_env = 'WINNOW_TEST_NONE'", "", "not set"},
		{"token_file = 'empty'", "", "is empty"},
		{"token_file = 'two'", "", "one line"},
		{"token_file = 'none'", "", "none"},
		{"cookie_file = 'password'", "", "name=value"},
	} {
		c, err := Parse(filepath.Join(dir, "w.toml"), []byte("[[site]]\nmatch = 'a.example'\n"+test.table+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		err = c.ReadSecrets()
		if test.header == "" {
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "a.example") {
				t.Errorf("%s: %v, want %s", test.table, err, test.want)
			}
			continue
		}
		if got := NewSiteHeaders(&c).Of([]byte("https://a.example")).Get(test.header); err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.table, got, err, test.want)
		}
		if _, secrets := c.Public(); len(secrets) > 0 {
			t.Errorf("%s: stored are %v", test.table, secrets)
		}
	}
}

// Wrong tables are refused, without their secrets in the message.
func TestTableChecks(t *testing.T) {
	for table, want := range map[string]string{
		"types = 'pdf'": "types", "max_body = '4GiB'": "max_body", "timeout = '2d'": "timeout", "include = ['[']": "include", "exclude = ['']": "exclude",
		"user = 'me'": "password", "password = 's3cret'": "user", "user = 'm:e'\npassword = 's3cret'": "colon",
		"token = 's3cret'\ntoken_env = 'X'": "token_env", "user = 'me'\npassword = 's3cret'\ntoken_env = 'X'": "both",
		"cookie = ['s3cret']": "name=value", "cookie = ['a=s3cret; b=s3cret']": "name=value", "cookie = ['a=b']\nheader = ['Cookie: s3cret']": "Cookie",
		"token = 's3cret'\nheader = ['authorization: s3cret']": "Authorization", "token = \"s3cret\\n\"": "one line",
	} {
		_, err := Parse("w.toml", []byte("[[site]]\nmatch = 'a.example'\n"+table+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %s", table, err, want)
		}
	}
}
