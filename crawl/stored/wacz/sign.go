package wacz

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A digestFile is the content of datapackage-digest.json.
type digestFile struct {
	Path   string     `json:"path"`
	Hash   string     `json:"hash"`
	Signed *signature `json:"signedData,omitempty"`
}

// A signature is what WACZ Signing and Verification 0.1.0 calls an anonymous signature: who has
// the public key from its owner knows who signed.
type signature struct {
	Hash      string `json:"hash"`
	Created   string `json:"created"`
	Software  string `json:"software"`
	Version   string `json:"version"`
	Signature string `json:"signature"` // ECDSA over P-384 with SHA-256: r and s, 48 bytes each
	PublicKey string `json:"publicKey"` // SubjectPublicKeyInfo
}

// fieldBytes is the length of a number of P-384.
const fieldBytes = 48

// sign signs the text of a hash, as it is written in the file.
func sign(o *Options, hash string) (*signature, error) {
	sum := sha256.Sum256([]byte(hash))
	r, s, err := ecdsa.Sign(rand.Reader, o.Key, sum[:])
	if err != nil {
		return nil, err
	}
	raw := append(r.FillBytes(make([]byte, fieldBytes)), s.FillBytes(make([]byte, fieldBytes))...)
	public, err := x509.MarshalPKIXPublicKey(&o.Key.PublicKey)
	if err != nil {
		return nil, err
	}
	return &signature{
		Hash: hash, Created: o.Now.UTC().Format(time.RFC3339), Software: o.Software, Version: "0.1.0",
		Signature: base64.StdEncoding.EncodeToString(raw), PublicKey: base64.StdEncoding.EncodeToString(public),
	}, nil
}

// ReadKey reads the private key in a PEM file. If there is no such file, it makes a key and
// writes it there, readable for its owner alone.
func ReadKey(name string) (key *ecdsa.PrivateKey, made bool, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = makeKey(name)
		return key, true, err
	}
	if err != nil {
		return nil, false, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, false, fmt.Errorf("%s: no PEM file", name)
	}
	if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
		any, failed := x509.ParsePKCS8PrivateKey(block.Bytes)
		k, ok := any.(*ecdsa.PrivateKey)
		if failed != nil || !ok {
			return nil, false, fmt.Errorf("%s: no private key for ECDSA", name)
		}
		key = k
	}
	if key.Curve != elliptic.P384() {
		return nil, false, fmt.Errorf("%s: the key is for %s, and must be for P-384", name, key.Curve.Params().Name)
	}
	return key, false, nil
}

func makeKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	err = pem.Encode(f, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return key, errors.Join(err, f.Sync(), f.Close())
}
