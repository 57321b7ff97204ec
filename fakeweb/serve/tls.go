package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"strings"
	"sync"
	"time"
)

// authority is the certificate authority of a synthetic web. Every server draws new
// keys; only clients that trust CertificatePEM connect.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	leaf *ecdsa.PrivateKey // of all sites

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

// Certificates are valid from 1990 on, so that the virtual time of tests, which begins
// in 2000, is covered.
var (
	validFrom  = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	validUntil = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "synthetic web"},
		NotBefore: validFrom, NotAfter: validUntil,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{key: key, cert: cert, leaf: leaf, issued: map[string]*tls.Certificate{}}, err
}

// CertificatePEM returns the certificate of the authority, as --ca-file wants it.
func (s *Server) CertificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.ca.cert.Raw})
}

// certPool returns a pool that trusts only the authority.
func (s *Server) certPool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.ca.cert)
	return pool
}

func (a *authority) serverConfig() *tls.Config {
	return &tls.Config{GetCertificate: a.certificate, MinVersion: tls.VersionTLS12}
}

// certificate issues one for a name at its first use: there may be many sites. Names
// that are not of this web get none.
func (a *authority) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(hello.ServerName)
	if !strings.HasSuffix(name, ".example") {
		return nil, errors.New("no certificate for " + hello.ServerName)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[name]; c != nil {
		return c, nil
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(a.issued)) + 2), Subject: pkix.Name{CommonName: name},
		DNSNames: []string{name}, NotBefore: validFrom, NotAfter: validUntil,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.leaf.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.leaf}
	a.issued[name] = c
	return c, nil
}

// quiet drops what net/http would log: a visitor that leaves is no event.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
