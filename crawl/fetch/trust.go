package fetch

import (
	"crypto/x509"
	"fmt"
	"os"
)

// TrustFile returns the certificate authorities of the system and those of a PEM file.
func TrustFile(name string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate in it", name)
	}
	return pool, nil
}
