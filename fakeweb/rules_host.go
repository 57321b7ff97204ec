package fakeweb

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
)

// A role is what a host name stands for.
type role uint8

const (
	roleSite     role = iota // s042.example
	roleMirror               // m042.example
	roleFarm                 // f042-7.example
	roleWildcard             // anything.s042.example
)

// A host is a name that is answered for. Those that are not sites of the graph speak
// plain HTTP, and their robots.txt allows everything.
type host struct {
	role role
	site site   // itself, the one that is mirrored, the door of the farm, the one above
	farm uint64 // number of a host of a farm
	key  uint64 // hash of the name
}

// hostNamed finds a host by name, with or without port, in any case.
func (s *Server) hostNamed(name string) (h host, ok bool) {
	if id, ok := s.siteNamed(name); ok {
		return host{site: s.web.site(id)}, true
	}
	if !s.rules.extras {
		return h, false
	}
	name = trimPort(name)
	h.key = textHash(name)
	switch dot := strings.IndexByte(name, '.'); {
	case dot < 2:
		return h, s.below(&h, name, dot)
	case name[0] == 'm':
		h.role = roleMirror
		return h, s.named(&h, "s"+name[1:]) && s.rules.mirrored(&h.site)
	case name[0] == 'f' && strings.IndexByte(name[:dot], '-') > 0:
		h.role = roleFarm
		number, which, _ := strings.Cut(name[1:dot], "-")
		n, err := strconv.ParseUint(which, 10, 32)
		h.farm = n
		return h, err == nil && strconv.FormatUint(n, 10) == which && n < uint64(s.rules.opt.Traps.FarmSites) &&
			s.named(&h, "s"+number+name[dot:]) && s.rules.has(&h.site, Farm)
	default:
		return h, s.below(&h, name, dot)
	}
}

// named sets the site of a host.
func (s *Server) named(h *host, name string) bool {
	id, ok := s.siteNamed(name)
	if ok {
		h.site = s.web.site(id)
	}
	return ok
}

// below looks for a site above a host name: its last two labels.
func (s *Server) below(h *host, name string, dot int) bool {
	h.role = roleWildcard
	last := strings.LastIndexByte(name, '.')
	if dot < 1 || last <= dot {
		return false
	}
	at := strings.LastIndexByte(name[:last], '.')
	return s.named(h, name[at+1:]) && s.rules.has(&h.site, Wildcard)
}

// appendHost appends scheme, host and port of a host that is no site of the graph, by its
// name without .example.
func (s *Server) appendHost(b []byte, name ...string) []byte {
	b = append(b, "http://"...)
	for _, part := range name {
		b = append(b, part...)
	}
	b = append(b, ".example"...)
	if s.port != 0 {
		b = strconv.AppendInt(append(b, ':'), int64(s.port), 10)
	}
	return b
}

// number is that of a site as it stands in names.
func (s *Server) number(st *site) string {
	return string(appendPadded(nil, uint64(st.id), uint64(s.web.spec.Sites-1)))
}

// appendMirror appends scheme, host and port of the mirror of a site.
func (s *Server) appendMirror(b []byte, st *site) []byte {
	return s.appendHost(b, "m", s.number(st))
}

// farmURL is page k of host i of the farm behind a site.
func (s *Server) farmURL(st *site, i, k uint64) string {
	b := s.appendHost(nil, "f", s.number(st), "-", strconv.FormatUint(i, 10))
	if k == 0 {
		return string(append(b, '/'))
	}
	b = strconv.AppendUint(append(b, "/p"...), k, 10)
	return string(append(b, ".html"...))
}

// wildURL is a name below that of a site, by hash: one of 2^40.
func (s *Server) wildURL(st *site, h uint64) string {
	return string(append(s.appendHost(nil, "w", strconv.FormatUint(h>>24, 36), ".s", s.number(st)), '/'))
}

// farmAt reads the path of a page of a farm.
func (r *trapRules) farmAt(path string) (k uint64, ok bool) {
	if path == "/" {
		return 0, true
	}
	name, html := strings.CutSuffix(path, ".html")
	number, found := strings.CutPrefix(name, "/p")
	k, err := strconv.ParseUint(number, 10, 32)
	return k, html && found && err == nil && k >= 1 && k < uint64(r.opt.Traps.FarmPages) && strconv.FormatUint(k, 10) == number
}

// Links of a page of a farm, and of one of a wildcard host.
const (
	farmLinks = 12
	wildLinks = 4
)

// farmOnward appends the links of a page of a farm: half to home pages of the farm, half
// to any page.
func (s *Server) farmOnward(dst []string, st *site, key uint64) []string {
	t := &s.rules.opt.Traps
	for n := range uint64(farmLinks) {
		h, k := mix(key+n), uint64(0)
		if n%2 == 0 {
			k = below(mix(h), uint64(t.FarmPages))
		}
		dst = append(dst, s.farmURL(st, below(h, uint64(t.FarmSites)), k))
	}
	return dst
}

// wildOnward appends the links of a page below a site to further names.
func (s *Server) wildOnward(dst []string, st *site, key uint64) []string {
	for n := range uint64(wildLinks) {
		dst = append(dst, s.wildURL(st, mix(key+n)))
	}
	return dst
}

// address is that of a host. Hosts that are no sites have addresses of sites: names below
// a site that of the site, others any.
func (s *Server) address(h *host) netip.Addr {
	switch h.role {
	case roleSite:
		return s.Address(h.site.id)
	case roleWildcard:
		return s.siteAddress(&h.site)
	}
	return plus(s.base, int(below(h.key, uint64(s.addresses))))
}

// hostOf finds a host by the number that the counter has given it.
func (s *Server) hostOf(id graph.Site) host {
	if int(id) < s.web.Sites() {
		return host{site: s.web.site(id)}
	}
	return s.count.more.host(id).host
}
