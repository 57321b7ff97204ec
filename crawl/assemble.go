package crawl

import (
	"crypto/tls"
	"crypto/x509"
	"os"

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
	pem, err := os.ReadFile(o.c.CAFile)
	if err != nil {
		return nil, &hint.Error{Text: "cannot read the file of --ca-file", Hint: "give a PEM file with certificates", Err: err}
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &hint.Error{Text: "no certificate in " + o.c.CAFile, Hint: "--ca-file takes a PEM file, which has lines BEGIN CERTIFICATE"}
	}
	return &tls.Config{RootCAs: pool, ClientSessionCache: sessions}, nil
}
