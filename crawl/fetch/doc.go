// Package fetch gets answers from servers: an HTTP client for one fetcher, the
// decoding of bodies, and a caching DNS resolver. It knows nothing of frontier and
// journal; what it reports about an exchange is data, never an error.
//
// # An exchange
//
// A Client belongs to one fetcher and holds at most one connection. Do makes one request
// and returns one Answer:
//
//	connect    to the addresses the caller has checked, in their order, TLS included
//	first byte the request is written; the server thinks
//	body       up to a limit; then the connection is kept, or closed before Do returns
//
// Each phase has a time-out of its own, and so has silence inside a phase. Start, End and
// the three phases are stamped here, because the politeness of the next request counts
// from the end of this one.
//
// It does nothing that was not requested: redirects are answers, a request is sent once
// (a dead kept connection is noticed before the request is written, or the request has
// failed), there are no cookies, no Referer and no hidden decompression. With TLS or a proxy
// this is http.ClientConn, one connection without a pool: http.Transport itself sends a
// request again when a kept connection dies under it, and a server would see two. Without
// them the client reads and writes the connection itself (see talk), and net/http formats
// and parses the messages.
//
// # Guards
//
// The Web is hostile. Headers, bodies, informational answers and time are bounded;
// addresses that are not public are refused at the moment of connecting, on the very
// address that is connected to, so that no trick with DNS leads inside (Private). Bodies
// arrive with their content coding, as archives want them; Decoder undoes it within
// limits on size and ratio. Budget bounds the bytes of all bodies in memory.
//
// # Names
//
// A Resolver answers from four levels: literals and the hosts file, its cache, what
// Remember loaded from disk, the network. It keeps the TTL that servers set, between a
// floor and a ceiling, remembers names that do not exist, and looks up a name once, even if
// many callers wait for it.
package fetch
