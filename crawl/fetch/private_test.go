package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// What an address wraps counts, and so do the metadata services of clouds.
func TestCasePrivate(t *testing.T) {
	for s := range strings.FieldsSeq(`::ffff:0:127.0.0.1 ::ffff:0:169.254.169.254 ::ffff:0:8.8.8.8 168.63.129.16 64:ff9b::7f00:1
		2002:a9fe:a9fe::1 100.100.100.200 fd00:ec2::254 2001::1 0.0.0.0 :: fec0::1 2001:470::5efe:7f00:1 2001:470::200:5efe:a00:1`) {
		if !Private(netip.MustParseAddr(s)) {
			t.Errorf("%s is taken for public", s)
		}
	}
	if Private(netip.MustParseAddr("2001:470::5efe:808:808")) {
		t.Error("a public address that wraps a public one is taken for private")
	}
}

func TestNever(t *testing.T) {
	for s := range strings.FieldsSeq(`169.254.169.254 169.254.170.2 169.254.0.1 ::ffff:169.254.169.254 fe80::1 fe80::1%eth0 fe80::a9fe:a9fe
		::ffff:0:127.0.0.1 ::ffff:0:10.0.0.1 ::ffff:0:169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd20:ce::254
		64:ff9b::a9fe:a9fe 64:ff9b::a83f:8110 64:ff9b:1::a9fe:a9fe 64:ff9b:1:a9fe:a9:fe00:: 2002:a9fe:a9fe::1 ::169.254.169.254
		2001:0:a9fe:a9fe:: 2001:0:808:808:0:0:5601:5601 2001:470::5efe:a9fe:a9fe`) {
		if a := netip.MustParseAddr(s); !Never(a) || !Private(a) {
			t.Errorf("%s may be asked", s)
		}
	}
	for s := range strings.FieldsSeq(`127.0.0.1 ::1 10.0.0.1 192.168.1.1 172.16.0.1 100.64.0.1 fd12:3456::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
		0.0.0.0 8.8.8.8 2606:4700::1111 64:ff9b::808:808 64:ff9b::a00:1 2002:a00:1::1`) {
		if Never(netip.MustParseAddr(s)) {
			t.Errorf("%s is never asked", s)
		}
	}
	if Never(netip.Addr{}) {
		t.Error("no address is one that is never asked")
	}
}

// No connection is made to such an address, whatever is allowed, and no proxy is used for it.
func TestNeverAsked(t *testing.T) {
	for _, test := range []struct {
		url, addr string
		proxy     bool
	}{
		{"http://a.example/", "169.254.169.254", false},
		{"http://a.example/", "::ffff:0:127.0.0.1", false},
		{"http://[fe80::1]/", "fe80::1", false},
		{"http://169.254.169.254/latest/meta-data/", "", true},
		{"http://a.example/", "168.63.129.16", true},
	} {
		dialled := false
		o := &Options{AllowPrivate: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			dialled = true
			return nil, errors.New("nobody there")
		}}
		if test.proxy {
			o.Proxy = &url.URL{Scheme: "http", Host: "proxy.example:3128"}
		}
		q := &Request{URL: test.url}
		if test.addr != "" {
			q.Addrs = []netip.Addr{netip.MustParseAddr(test.addr)}
		}
		c := NewClient(o)
		a := c.Do(t.Context(), q)
		c.Close()
		if dialled || a.Class != event.ConnectError || !strings.Contains(a.Note, "not an address") {
			t.Errorf("%s at %s: connected %t, %v: %s", test.url, test.addr, dialled, a.Class, a.Note)
		}
	}
}
