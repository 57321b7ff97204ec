package archive

import (
	"fmt"
	"hash"
	"io"
)

// Verify reads the whole record and compares its block, and the payload of a response,
// with the digests of the header. Digests of unknown algorithms are passed over. It must
// come before anything of the block is read.
func (r *Record) Verify() error {
	want, block := labelled(r.Get("WARC-Block-Digest"))
	wantPayload, payload := labelled(r.Get("WARC-Payload-Digest"))
	if r.Type != "response" {
		payload = nil // that of a revisit is elsewhere
	}
	if err := r.hash(block, payload); err != nil {
		return err
	}
	if err := r.compare("block", want, block); err != nil {
		return err
	}
	return r.compare("payload", wantPayload, payload)
}

// labelled gives the digest and a hash to compute it, or nil.
func labelled(s string) (Digest, hash.Hash) {
	d, err := ParseDigest(s)
	if err != nil {
		return d, nil
	}
	return d, d.algorithm.new()
}

// hash reads the block into the hashes that are there.
func (r *Record) hash(block, payload hash.Hash) error {
	var from io.Reader = onlyReader{r}
	if block != nil {
		from = io.TeeReader(r, block)
	}
	if payload == nil {
		_, err := io.Copy(io.Discard, from)
		return err
	}
	return r.split(from, payload)
}

// split reads the head of the response from a block on its way through a hash.
func (r *Record) split(from io.Reader, payload hash.Hash) error {
	_, body, err := readHead(r, from)
	if err != nil {
		return err
	}
	_, err = io.Copy(payload, onlyReader{body})
	return err
}

func (r *Record) compare(what string, want Digest, h hash.Hash) error {
	if h == nil {
		return nil
	}
	if got := digestOf(want.algorithm, h); got != want {
		return &Error{r.from.name, r.Offset, fmt.Errorf("the %s has digest %s, the header says %s", what, got, want)}
	}
	return nil
}
