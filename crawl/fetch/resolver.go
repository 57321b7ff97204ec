package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/miekg/dns"
)

// Errors of Lookup. With each of them Names.TTL is the time for which another query is
// useless.
var (
	ErrNoName    = errors.New("no such name")      // the servers report that it has no address
	ErrTemporary = errors.New("name not resolved") // unknown: time-out, failing servers
)

// Level is the source of an answer.
type Level uint8

// The levels.
const (
	Literal Level = iota // an address in place of a name, localhost, the hosts file
	Cache                // looked up before by this process
	Disk                 // given to Remember
	Network
	levels
)

// Names holds what is known about a host name.
type Names struct {
	Addrs []netip.Addr  // IPv4 first; to be read only
	TTL   time.Duration // for which it holds from now on
	Level Level
}

// ResolverOptions holds the servers to query and how long answers are valid. A zero field
// has a default.
type ResolverOptions struct {
	// Server is host:port of a recursive resolver. "": those of /etc/resolv.conf, and
	// where there is none the functions of the system, which do not report how
	// long an answer is valid (MinTTL then).
	Server string
	Hosts  string // the hosts file; "": that of the system
	// Dial connects to "udp" or "tcp" and the server. Nil is a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	Timeout        time.Duration // of one question; 0: 3 s
	Retries        int           // after the first question; 0: 2, negative: none
	MinTTL, MaxTTL time.Duration // bounds on the TTL of servers; 0: 10 min and 24 h
	Negative       time.Duration // the least that a missing name is remembered, an hour is the most; 0: 5 min
	InFlight       int           // questions at a time; 0: 256
	Capacity       int           // names in the cache, some 300 bytes each; 0: 200,000
}

func (o *ResolverOptions) setDefaults() {
	o.Timeout = orTime(o.Timeout, 3*time.Second)
	o.MinTTL = orTime(o.MinTTL, 10*time.Minute)
	o.MaxTTL = max(orTime(o.MaxTTL, 24*time.Hour), o.MinTTL)
	o.Negative = orTime(o.Negative, 5*time.Minute)
	o.InFlight = int(orSize(int64(o.InFlight), 256))
	o.Capacity = int(orSize(int64(o.Capacity), 200_000))
	switch {
	case o.Retries == 0:
		o.Retries = 2
	case o.Retries < 0:
		o.Retries = 0
	}
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
}

// maxNegative bounds how long a missing name is remembered.
const maxNegative = time.Hour

// Resolver finds addresses of host names. It is safe for many goroutines; a thousand may
// wait in Lookup at a time, and no more than InFlight queries are under way.
type Resolver struct {
	o       ResolverOptions
	servers []string // host:port; none: the functions of the system
	hosts   map[string][]netip.Addr
	cache   *otter.Cache[string, entry]
	slots   chan struct{} // one for each question that is out
	ctx     context.Context
	stop    context.CancelFunc
	count   counters

	mu    sync.Mutex
	calls map[string]*call
}

// An entry is an element of the cache. Its expiry is checked here: the cache only bounds
// the number of entries, and needs no clock and no goroutine for that.
type entry struct {
	addrs []netip.Addr
	err   error // ErrNoName, or nil
	until time.Time
	disk  bool // from Remember
}

// call is a query under way, with all who wait for it.
type call struct {
	done chan struct{}
	n    Names
	err  error
}

// NewResolver returns a new resolver. It reads the hosts file and the list of servers once.
func NewResolver(o ResolverOptions) (*Resolver, error) {
	o.setDefaults()
	cache, err := otter.New(&otter.Options[string, entry]{
		MaximumSize: o.Capacity,
		Executor:    func(work func()) { work() },
	})
	if err != nil {
		return nil, fmt.Errorf("cache of names: %w", err)
	}
	r := &Resolver{o: o, cache: cache, slots: make(chan struct{}, o.InFlight), calls: map[string]*call{}}
	if r.servers, err = serversOf(o.Server); err != nil {
		return nil, err
	}
	if r.hosts, err = readHosts(o.Hosts); err != nil {
		return nil, err
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// Close ends all queries under way.
func (r *Resolver) Close() { r.stop() }

// serversOf returns the servers to query.
func serversOf(server string) ([]string, error) {
	if server == "" {
		conf, err := dns.ClientConfigFromFile("/etc/resolv.conf")
		if err != nil {
			return nil, nil // Windows has none
		}
		var all []string
		for _, s := range conf.Servers {
			all = append(all, net.JoinHostPort(s, conf.Port))
		}
		return all, nil
	}
	if a, err := netip.ParseAddr(strings.Trim(server, "[]")); err == nil {
		return []string{net.JoinHostPort(a.String(), "53")}, nil
	}
	host, port, err := net.SplitHostPort(server)
	if err == nil && (host == "" || port == "") {
		err = errors.New("want host:port")
	}
	if err != nil {
		return nil, fmt.Errorf("DNS server %q: %w", server, err)
	}
	return []string{server}, nil
}

// Lookup returns the addresses of a host as written in a URL. Simultaneous calls for one name
// share one query.
func (r *Resolver) Lookup(ctx context.Context, host string) (Names, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	n, err, ok := r.known(host)
	if !ok {
		n, err = r.join(ctx, host)
	}
	if err == nil || errors.Is(err, ErrNoName) {
		r.count.level[n.Level].Add(1)
	}
	if err != nil {
		return n, fmt.Errorf("resolve %s: %w", host, err)
	}
	return n, nil
}

// known answers without the network.
func (r *Resolver) known(host string) (Names, error, bool) {
	if a, ok := r.local(host); ok {
		return Names{Addrs: a, TTL: r.o.MaxTTL, Level: Literal}, nil, true
	}
	if _, ok := dns.IsDomainName(host); !ok || host == "" {
		return Names{TTL: maxNegative, Level: Literal}, ErrNoName, true
	}
	e, ok := r.cache.GetIfPresent(host)
	left := time.Until(e.until)
	if !ok || left <= 0 {
		return Names{}, nil, false
	}
	n := Names{Addrs: e.addrs, TTL: left, Level: Cache}
	if e.disk {
		n.Level = Disk
	}
	return n, e.err, true
}

// join waits for the answer to a query, which it makes if no other call has.
func (r *Resolver) join(ctx context.Context, host string) (Names, error) {
	r.mu.Lock()
	c := r.calls[host]
	if c == nil {
		c = &call{done: make(chan struct{})}
		r.calls[host] = c
		go r.run(host, c)
	}
	r.mu.Unlock()
	select {
	case <-c.done:
		return c.n, c.err
	case <-ctx.Done():
		return Names{}, fmt.Errorf("%w: %w", ErrTemporary, context.Cause(ctx))
	}
}

// run queries the network for all waiting calls. It does not end when the first of them does.
func (r *Resolver) run(host string, c *call) {
	if len(r.servers) > 0 {
		c.n, c.err = r.resolve(r.ctx, host)
	} else {
		c.n, c.err = r.system(r.ctx, host)
	}
	c.n.Level = Network
	switch {
	case c.err == nil:
		r.store(host, entry{addrs: c.n.Addrs}, c.n.TTL)
	case errors.Is(c.err, ErrNoName):
		r.count.missing.Add(1)
		r.store(host, entry{err: c.err}, c.n.TTL)
	default:
		r.count.failed.Add(1)
	}
	r.mu.Lock()
	delete(r.calls, host)
	r.mu.Unlock()
	close(c.done)
}

func (r *Resolver) store(host string, e entry, ttl time.Duration) {
	e.until = time.Now().Add(ttl)
	r.cache.Set(host, e)
}

// Remember adds what an earlier process had found, with the time for which it still
// holds. It does not replace what this one has found since.
func (r *Resolver) Remember(host string, n Names) {
	if _, ok := r.cache.GetIfPresent(host); ok || n.TTL <= 0 || len(n.Addrs) == 0 {
		return
	}
	r.store(host, entry{addrs: n.Addrs, disk: true}, min(n.TTL, r.o.MaxTTL))
}

// system uses the resolver of the operating system.
func (r *Resolver) system(ctx context.Context, host string) (Names, error) {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	r.count.questions.Add(1)
	ctx, stop := context.WithTimeout(ctx, r.o.Timeout*time.Duration(1+r.o.Retries))
	defer stop()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err == nil {
		return Names{Addrs: inOrder(addrs), TTL: r.o.MinTTL}, nil
	}
	var de *net.DNSError
	if errors.As(err, &de) && de.IsNotFound {
		return Names{TTL: r.o.Negative}, ErrNoName
	}
	return Names{}, fmt.Errorf("%w: %w", ErrTemporary, err)
}

// local resolves what needs no query: addresses in place of names, the names of this machine
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

// readHosts reads a hosts file: an address a line and its names. Lines of another form are
// ignored, as usual. The file of the system need not exist.
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

// inOrder puts IPv4 first and drops repeated addresses. It keeps the order otherwise.
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

// counters holds the counts of a resolver.
type counters struct {
	level                                    [levels]atomic.Int64
	questions, retries, tcp, missing, failed atomic.Int64
}

// ResolverStats holds counts since a resolver was made.
type ResolverStats struct {
	Literal, Cache, Disk, Network int64 // names by the level that knew them, missing ones included
	Questions                     int64 // sent, retries included
	Retries                       int64
	TCP                           int64 // answers that did not fit into a packet
	Missing                       int64 // names that do not exist
	Failed                        int64 // names that no server knew
	InFlight                      int   // questions that are out now
	Known                         int   // names in the cache
}

// Stats returns the counts up to now.
func (r *Resolver) Stats() ResolverStats {
	c := &r.count
	return ResolverStats{
		Literal: c.level[Literal].Load(), Cache: c.level[Cache].Load(), Disk: c.level[Disk].Load(), Network: c.level[Network].Load(),
		Questions: c.questions.Load(), Retries: c.retries.Load(), TCP: c.tcp.Load(),
		Missing: c.missing.Load(), Failed: c.failed.Load(),
		InFlight: len(r.slots), Known: r.cache.EstimatedSize(),
	}
}
