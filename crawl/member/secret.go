package member

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// leastSecret is the smallest number of characters of a secret.
const leastSecret = 32

// ReadSecret reads the secret of a cluster from a file.
func ReadSecret(name string) (nats.Secret, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", &hint.Error{Text: "cannot read the secret of the cluster", Hint: "all nodes share one file; to make it: winnow node --new-secret " + name, Err: err}
	}
	s := bytes.TrimSpace(text)
	if len(s) < leastSecret {
		return "", &hint.Error{Text: fmt.Sprintf("%s: a secret has at least %d characters", name, leastSecret), Hint: "to make one: winnow node --new-secret cluster.secret"}
	}
	return nats.Secret(s), nil
}

// NewSecret writes a new secret to a file that does not exist. Only its owner may read it.
func NewSecret(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &hint.Error{Text: "cannot make a secret", Hint: "name a file that does not exist", Err: err}
	}
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	_, err = f.WriteString(hex.EncodeToString(b[:]) + "\n")
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
