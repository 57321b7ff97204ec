package nats

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// A Secret is what the nodes of a cluster share. From it follow a password and the key of an
// authority: each node signs a certificate for itself, and accepts those that were signed with the
// same key. So whoever has the secret is a member, and nobody else can listen, connect or read.
//
// Who connects sees a signature, with which guesses can be tested. So a secret is long, and
// random: openssl rand -hex 32.
type Secret string

// leastSecret is the smallest number of characters of a secret.
const leastSecret = 32

// derive returns bytes that follow from the secret.
func (s Secret) derive(what string, n int) ([]byte, error) {
	if len(s) < leastSecret {
		return nil, errSecret
	}
	return hkdf.Key(sha256.New, []byte(s), nil, "winnow cluster "+what, n)
}

// account returns the user and the password of members.
func (s Secret) account() (user, password string) {
	b, err := s.derive("password", 24)
	if err != nil {
		return "winnow", "" // nothing listens then
	}
	return "winnow", hex.EncodeToString(b)
}

// authority returns the certificate and the key with which members sign. They are the same for all.
func (s Secret) authority() (*x509.Certificate, ed25519.PrivateKey, error) {
	seed, err := s.derive("authority", ed25519.SeedSize)
	if err != nil {
		return nil, nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "winnow cluster"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, err
}

// tls returns the configuration of a member, as server and as client.
func (s Secret) tls() (*tls.Config, error) {
	ca, sign, err := s.authority()
	if err != nil {
		return nil, err
	}
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "winnow node"}, DNSNames: []string{"winnow"},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca, public, sign)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, RootCAs: pool,
		// Members have no names that could be checked: what counts is who has signed.
		InsecureSkipVerify: true, VerifyConnection: func(c tls.ConnectionState) error { return signed(pool, &c) },
	}, nil
}

// signed returns an error unless the certificate of the other side was signed by the authority.
func signed(pool *x509.CertPool, c *tls.ConnectionState) error {
	if len(c.PeerCertificates) == 0 {
		return errors.New("the other side has no certificate")
	}
	_, err := c.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return fmt.Errorf("the other side does not have the secret of this cluster: %w", err)
	}
	return nil
}
