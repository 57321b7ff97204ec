package archive

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Algorithm is the hash function of the digests of a record.
type Algorithm uint8

const (
	// Tools expect SHA1, in base 32; it is no defence against a server that
	// wants two of its own bodies to look alike.
	SHA1 Algorithm = iota
	// SHA256 is written in hexadecimal: base 32 would need the padding sign, which
	// the grammar of a digest does not have.
	SHA256
)

func (a Algorithm) String() string {
	if a == SHA256 {
		return "sha256"
	}
	return "sha1"
}

func (a Algorithm) new() hash.Hash {
	if a == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

func (a Algorithm) size() int {
	if a == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// Digest is the sum of a block or payload. The zero value is none.
type Digest struct {
	algorithm Algorithm
	set       bool
	sum       [sha256.Size]byte // the first size bytes
}

// Sum returns the digest of b.
func (a Algorithm) Sum(b []byte) Digest {
	d := Digest{algorithm: a, set: true}
	if a == SHA256 {
		d.sum = sha256.Sum256(b)
	} else {
		s := sha1.Sum(b)
		copy(d.sum[:], s[:])
	}
	return d
}

// digestOf takes the state of h, which a has made.
func digestOf(a Algorithm, h hash.Hash) Digest {
	d := Digest{algorithm: a, set: true}
	h.Sum(d.sum[:0])
	return d
}

// IsZero reports whether there is no digest.
func (d Digest) IsZero() bool { return !d.set }

// Algorithm returns the algorithm of the digest.
func (d Digest) Algorithm() Algorithm { return d.algorithm }

// Bytes returns the 20 or 32 bytes of the sum.
func (d Digest) Bytes() []byte { return append([]byte(nil), d.sum[:d.algorithm.size()]...) }

// String returns the labelled form of a record header, sha1:BASE32.
func (d Digest) String() string { return string(d.append(nil)) }

func (d Digest) append(b []byte) []byte {
	b = append(append(b, d.algorithm.String()...), ':')
	if d.algorithm == SHA256 {
		return hex.AppendEncode(b, d.sum[:sha256.Size])
	}
	return base32.StdEncoding.AppendEncode(b, d.sum[:sha1.Size])
}

// ParseDigest reads a labelled digest as this and other writers write it: sha1 or sha-1,
// sha256 or sha-256, in base 32 or hexadecimal, of either case.
func ParseDigest(s string) (Digest, error) {
	label, value, _ := strings.Cut(s, ":")
	d := Digest{set: true}
	switch strings.ToLower(label) {
	case "sha1", "sha-1":
	case "sha256", "sha-256":
		d.algorithm = SHA256
	default:
		return Digest{}, fmt.Errorf("digest %.80q: unknown algorithm", s)
	}
	sum, err := decodeSum(value, d.algorithm.size())
	if err != nil {
		return Digest{}, fmt.Errorf("digest %.80q: %w", s, err)
	}
	copy(d.sum[:], sum)
	return d, nil
}

// decodeSum decodes n bytes in either encoding, which it recognises by the length: 2n
// in base 16, 8n/5 and perhaps padding in base 32.
func decodeSum(s string, n int) ([]byte, error) {
	if len(s) == 2*n {
		return hex.DecodeString(s)
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(strings.TrimRight(s, "=")))
	if err == nil && len(b) != n {
		err = fmt.Errorf("%d bytes, not %d", len(b), n)
	}
	return b, err
}
