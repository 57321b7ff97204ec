package layout

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
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

// partitionsFile is what is in the file.
type partitionsFile struct {
	Format int `json:"format"`
	*Partitions
}

// partitionsFormat is the version of what partitions tell each other, which is in their journals. The
// first, 0, had examples of the order foresight in another form.
const partitionsFormat = 1

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
	p := partitionsFile{Partitions: new(Partitions)}
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err == nil && p.Format != partitionsFormat {
		return nil, &hint.Error{Text: "the partitions of this crawl were made by another version of winnow, which writes their messages in another form", Hint: "continue it with that version", Err: fmt.Errorf("%s has format %d, not %d", PartitionsFile, p.Format, partitionsFormat)}
	}
	if n := p.Partitions.Partitions; err == nil && n < 2 {
		err = fmt.Errorf("it names %d partitions", n)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", PartitionsFile, err)
	}
	return p.Partitions, nil
}

// PartitionsError explains an error of ReadPartitions to a user.
func PartitionsError(dir string, err error) error {
	if known := new(hint.Error); errors.As(err, &known) {
		return err
	}
	return &hint.Error{Text: "cannot read the partitions of " + dir, Hint: "restore " + PartitionsFile, Err: err}
}

// Write writes the description, completely or not at all.
func (p *Partitions) Write(dir disk.Dir) error {
	b, err := json.MarshalIndent(partitionsFile{partitionsFormat, p}, "", "  ")
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
