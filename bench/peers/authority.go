package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"
)

// serverTLS makes an authority, writes its certificate to a file, and returns a
// configuration in which it has signed a certificate for the address of every site.
func serverTLS(sites int, file string) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ca := certificate(1, "authority of the benchmark")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	issued := map[string]*tls.Certificate{}
	for site := range sites {
		leaf := certificate(int64(site)+2, addr(site))
		leaf.IPAddresses, leaf.ExtKeyUsage = []net.IP{net.ParseIP(addr(site))}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if der, err = x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, key); err != nil {
			return nil, err
		}
		issued[addr(site)] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
	return &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		return issued[hello.Conn.LocalAddr().(*net.TCPAddr).IP.String()], nil
	}}, nil
}

func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 1, 0),
	}
}

// transport returns the default one of net/http, which speaks HTTP/2 where the server does,
// without a proxy, and with the authority of the server if it has one.
func (o *options) transport() (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	if o.ca == "" {
		return t, nil
	}
	text, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, err
	}
	t.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in it", o.ca)
	}
	return t, nil
}
