package suffix

import (
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func open(t *testing.T) *Table {
	t.Helper()
	table, err := Open(Newest)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// want returns the domain by the list of golang.org/x/net.
func want(host string) string {
	d, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return d
}

// The table agrees with the list from which it was made on names below, at and above all its rules.
// A later list of that module has other rules: then only names of the usual kinds are compared.
func TestDomain(t *testing.T) {
	table := open(t)
	hosts := []string{"www.example.com", "example.com", "com", "localhost", "a.b.example.co.uk", "co.uk", "www.ck", "a.www.ck", "b.ck", "a.b.ck", "x.a.b.ck",
		"user.github.io", "a.user.github.io", "xn--55qx5d.cn", "a.b.xn--55qx5d.cn", "www.xn--bcher-kva.example", "a.unknownsuffix", "b.a.unknownsuffix",
		"city.kawasaki.jp", "a.city.kawasaki.jp", "a.b.kawasaki.jp", "c.a.b.kawasaki.jp"}
	if strings.Contains(publicsuffix.List.(interface{ String() string }).String(), Newest) {
		for name := range table.rules {
			hosts = append(hosts, name, "a."+name, "b.a."+name, "c.b.a."+name)
		}
		if len(table.rules) < 9000 {
			t.Errorf("the table has %d names", len(table.rules))
		}
	}
	for _, host := range hosts {
		if got := table.Domain(host); got != want(host) {
			t.Errorf("the domain of %s is %s, want %s", host, got, want(host))
		}
	}
}

// Addresses are their own domains.
func TestAddresses(t *testing.T) {
	table := open(t)
	for _, host := range []string{"192.0.2.7", "[2001:db8::1]", ""} {
		if got := table.Domain(host); got != host {
			t.Errorf("the domain of %s is %s", host, got)
		}
	}
}

// All hosts of a domain have one partition, and domains are spread evenly.
func TestPartition(t *testing.T) {
	table := open(t)
	for _, p := range []int{1, 2, 16, 64, 4096} {
		n := make([]int, p)
		for i := range 400 {
			domain := strings.Repeat("x", 1+i%20) + string(rune('a'+i/20)) + ".co.uk"
			at := table.Partition(domain, p)
			n[at]++
			for _, host := range []string{"www." + domain, "a.b." + domain} {
				if got := table.Partition(host, p); got != at {
					t.Errorf("%s is in partition %d, %s in %d", host, got, domain, at)
				}
			}
		}
		for i, k := range n {
			if mean := 400 / p; k > 3*mean+8 {
				t.Errorf("partition %d of %d has %d of 400 domains", i, p, k)
			}
		}
	}
}

// TestFrozen: a host never moves to another partition.
func TestFrozen(t *testing.T) {
	table := open(t)
	for host, at := range map[string]int{"www.example.com": 34, "example.org": 16, "user.github.io": 50, "192.0.2.7": 56, "xn--bcher-kva.example": 25} {
		if got := table.Partition(host, 64); got != at {
			t.Errorf("%s is in partition %d, want %d", host, got, at)
		}
	}
}

func TestUnknownVersion(t *testing.T) {
	if _, err := Open("2019-01-01"); err == nil || !strings.Contains(err.Error(), "2019-01-01") {
		t.Errorf("error %v", err)
	}
}
