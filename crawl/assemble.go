package crawl

import (
	"crypto/tls"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// sessionsKept is how many TLS sessions are kept: a site that is asked again within hours
// is spared most of a handshake.
const sessionsKept = 10_000

// trust is the TLS configuration: the authorities of the system and those of --ca-file.
func (o *owner) trust() (*tls.Config, error) {
	if t := o.o.Machine.TLS; t != nil {
		return t, nil
	}
	sessions := tls.NewLRUClientSessionCache(sessionsKept)
	if o.c.CAFile == "" {
		return &tls.Config{ClientSessionCache: sessions}, nil
	}
	pool, err := fetch.TrustFile(o.c.CAFile)
	if err != nil {
		return nil, &hint.Error{Text: "--ca-file", Hint: "give a PEM file, which has lines BEGIN CERTIFICATE", Err: err}
	}
	return &tls.Config{RootCAs: pool, ClientSessionCache: sessions}, nil
}
