package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// local knows what needs nobody: addresses in place of names, the names of this machine
// (RFC 6761), and the hosts file.
func (r *Resolver) local(host string) ([]netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return []netip.Addr{a.Unmap()}, true
	}
	if a := r.hosts[host]; a != nil {
		return a, true
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, true
	}
	return nil, false
}

// readHosts reads a hosts file: an address a line and its names. Lines of another form
// count for nothing, as everywhere. That of the system need not exist.
func readHosts(path string) (map[string][]netip.Addr, error) {
	system := path == ""
	if system {
		path = systemHosts()
	}
	f, err := os.Open(path)
	if system && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("hosts file: %w", err)
	}
	defer f.Close()
	hosts := map[string][]netip.Addr{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		addHost(hosts, lines.Text())
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("hosts file %s: %w", path, err)
	}
	for name, addrs := range hosts {
		hosts[name] = inOrder(addrs)
	}
	return hosts, nil
}

func addHost(hosts map[string][]netip.Addr, line string) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) < 2 {
		return
	}
	a, err := netip.ParseAddr(words[0])
	if err != nil || a.Zone() != "" {
		return
	}
	for _, name := range words[1:] {
		name = strings.TrimSuffix(strings.ToLower(name), ".")
		hosts[name] = append(hosts[name], a.Unmap())
	}
}

func systemHosts() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("SystemRoot"), "System32", "drivers", "etc", "hosts")
	}
	return "/etc/hosts"
}

// inOrder puts IPv4 first and drops what stands there twice; the order is kept otherwise.
func inOrder(addrs []netip.Addr) []netip.Addr {
	var out []netip.Addr
	for _, four := range []bool{true, false} {
		for _, a := range addrs {
			if a = a.Unmap(); a.Is4() == four && !slices.Contains(out, a) && len(out) < maxAddrs {
				out = append(out, a)
			}
		}
	}
	return out
}

// counters are those of a resolver.
type counters struct {
	level                                    [levels]atomic.Int64
	questions, retries, tcp, missing, failed atomic.Int64
}

// ResolverStats are counts since the making of a resolver.
type ResolverStats struct {
	Literal, Cache, Disk, Network int64 // names by the level that knew them, missing ones included
	Questions                     int64 // sent, retries included
	Retries                       int64
	TCP                           int64 // answers that did not fit into a packet
	Missing                       int64 // names that do not exist, said the network
	Failed                        int64 // names of which nobody knew
	InFlight                      int   // questions that are out now
	Known                         int   // names in the cache
}

// Stats are the counts up to now.
func (r *Resolver) Stats() ResolverStats {
	c := &r.count
	return ResolverStats{
		Literal: c.level[Literal].Load(), Cache: c.level[Cache].Load(), Disk: c.level[Disk].Load(), Network: c.level[Network].Load(),
		Questions: c.questions.Load(), Retries: c.retries.Load(), TCP: c.tcp.Load(),
		Missing: c.missing.Load(), Failed: c.failed.Load(),
		InFlight: len(r.slots), Known: r.cache.EstimatedSize(),
	}
}
