package layout

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// PartitionsFile names the file that a crawl with partitions has in its directory. Each partition
// has a directory of its own below it, which is that of a crawl: see PartitionDir.
const PartitionsFile = "partitions.json"

// Partitions describes a crawl with several partitions. Only Cluster ever changes.
type Partitions struct {
	Partitions int    `json:"partitions"`
	Suffixes   string `json:"suffix_table"` // version of the table that tells registered domains
	Crawl      string `json:"crawl"`        // hexadecimal
	Secret     string `json:"secret"`
	// Cluster says that the nodes of a cluster crawl it: what is in the directory is a part or a copy,
	// which must not go on by itself.
	Cluster bool `json:"cluster,omitempty"`
}

// NewPartitions describes a new crawl.
func NewPartitions(n int, suffixes string) *Partitions {
	id := NewIdentity()
	return &Partitions{Partitions: n, Suffixes: suffixes, Crawl: hex.EncodeToString(id.Crawl[:]), Secret: hex.EncodeToString(id.Secret[:])}
}

// ReadPartitions returns the description of the crawl in a directory, nil if it has one partition.
func ReadPartitions(dir disk.Dir) (*Partitions, error) {
	b, err := disk.ReadFile(dir, PartitionsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p := new(Partitions)
	if err == nil {
		err = json.Unmarshal(b, p)
	}
	if err == nil && p.Partitions < 2 {
		err = fmt.Errorf("it names %d partitions", p.Partitions)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", PartitionsFile, err)
	}
	return p, nil
}

// Write writes the description, completely or not at all.
func (p *Partitions) Write(dir disk.Dir) error {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(dir, PartitionsFile, PartitionsFile+".tmp", true, func(f disk.File) error {
		_, err := f.WriteAt(append(b, '\n'), 0)
		return err
	})
}

// Identity returns the identity of a partition.
func (p *Partitions) Identity(self int) (id Identity, err error) {
	for _, x := range []struct {
		text string
		to   []byte
	}{{p.Crawl, id.Crawl[:]}, {p.Secret, id.Secret[:]}} {
		b, err := hex.DecodeString(x.text)
		if err != nil || len(b) != len(x.to) {
			return id, fmt.Errorf("%s: %q is no identity", PartitionsFile, x.text)
		}
		copy(x.to, b)
	}
	id.Partition = self
	return id, nil
}

// PartitionDir returns the directory of a partition below that of its crawl.
func PartitionDir(dir string, self int) string { return filepath.Join(dir, PartitionName(self)) }

// PartitionName returns the name of the directory of a partition.
func PartitionName(self int) string { return fmt.Sprintf("%04d", self) }
