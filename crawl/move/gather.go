package move

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/files"
	"github.com/winnow-crawler/winnow/cluster/roster"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/index"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// GatherOptions describe what is brought where.
type GatherOptions struct {
	Engine cluster.Engine
	Plan   *node.Plan
	Dir    string // of the copy; what it has of the same crawl is used
	// Archive brings the files of the archive, too.
	Archive bool
	// Compare asks the nodes whether the journals on their disks are as the logs have them.
	Compare bool
	// Move takes the crawl from the cluster: it must have stopped, and may continue in Dir.
	Move bool
	// To names Dir for people, with its machine: the register says so of a crawl that was moved.
	To string
	// Progress, if not nil, is called with what is being done.
	Progress func(what string, done, total int64) error
	// Disk opens directories below Dir; nil: those of the file system.
	Disk  func(name string) (disk.Dir, error)
	Clock func() roster.Instant // nil: those of the machine
}

// A Gathered describes a copy.
type Gathered struct {
	Partitions int    `json:"partitions"`
	Records    uint64 `json:"records"`
	Files      int    `json:"files"` // of the archive that are there
	Bytes      int64  `json:"bytes"` // that were brought now
	Removed    int    `json:"removed"`
	Missing    []Gap  `json:"missing"` // files that were not found where they should be
	Moved      bool   `json:"moved"`   // the crawl may continue here
	// Wrong lists sessions of nodes whose epochs do not grow.
	Wrong []string `json:"wrong"`
	// Compared is the number of partitions whose journals on the disks of their nodes begin as the logs
	// do. Differ lists those that do not, Unasked those of which no node could be asked.
	Compared int      `json:"compared,omitempty"`
	Differ   []string `json:"differ,omitempty"`
	Unasked  []string `json:"unasked,omitempty"`
}

// A Gap is a file of the archive that is not in the copy.
type Gap struct {
	Partition int    `json:"partition"`
	File      int    `json:"file"` // its number
	Bytes     int64  `json:"bytes"`
	Node      string `json:"node"` // that has written it; "": it is from before the cluster
	Why       string `json:"why"`
}

// A gathering is one call of Gather.
type gathering struct {
	*GatherOptions
	out     Gathered
	surveys []survey
}

// Gather brings a crawl of a cluster into a directory with partitions.
func Gather(ctx context.Context, o GatherOptions) (*Gathered, error) {
	g := &gathering{GatherOptions: &o, surveys: make([]survey, o.Plan.Crawl.Partitions)}
	g.out.Partitions = o.Plan.Crawl.Partitions
	unlock, err := g.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if o.Move {
		if err := g.stop(ctx); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context) error{g.journals, g.compare, g.agree, g.archives, g.finish} {
		if err := step(ctx); err != nil {
			return nil, explain(o.Dir, err)
		}
	}
	return &g.out, nil
}

func explain(dir string, err error) error {
	var known *hint.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case disk.ErrFull(err):
		return &hint.Error{Text: "no room left in " + dir, Hint: "free some, and repeat the command: it goes on where it was", Err: err}
	}
	return &hint.Error{Text: "cannot bring the crawl to " + dir, Hint: "repeat the command: it goes on where it was", Err: err}
}

// dir opens a directory of the copy.
func (g *gathering) dir(name string) (disk.Dir, error) {
	if g.Disk != nil {
		return g.Disk(name)
	}
	path := filepath.Join(g.Dir, filepath.FromSlash(name))
	return disk.OS(path), os.MkdirAll(path, 0o755)
}

// part opens a directory of a partition.
func (g *gathering) part(self int, name string) (disk.Dir, error) {
	return g.dir(layout.PartitionName(self) + "/" + name)
}

// tell tells what is being done.
func (g *gathering) tell(what string, done, total int) error {
	if g.Progress == nil {
		return nil
	}
	return g.Progress(what, int64(done), int64(total))
}

// open makes or opens the directory, locks it, and marks it as a copy.
func (g *gathering) open() (unlock func(), err error) {
	unlock = func() {}
	top, err := g.dir(".")
	if err != nil {
		return nil, &hint.Error{Text: "cannot make " + g.Dir, Hint: "choose another place with -o", Err: err}
	}
	has, err := layout.ReadPartitions(top)
	if err == nil && has == nil && g.Disk == nil {
		err = vacant(g.Dir)
	}
	if err != nil {
		return nil, err
	}
	if g.Disk == nil {
		lock, err := layout.Lock(filepath.Join(g.Dir, layout.LockFile))
		if err != nil {
			return nil, layout.LockError(g.Dir, err)
		}
		unlock = func() { lock.Close() }
	}
	file := g.Plan.Crawl
	file.Cluster = true
	switch {
	case has == nil:
		err = file.Write(top)
	case *has != file && !has.Cluster && has.Crawl == file.Crawl:
		err = &hint.Error{Text: g.Dir + " has this crawl, and may have continued it", Hint: "choose another place with -o"}
	case *has != file:
		err = &hint.Error{Text: g.Dir + " has another crawl", Hint: "choose another place with -o"}
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// vacant returns an error if a directory has something else than what Gather has left there.
func vacant(dir string) error {
	list, err := os.ReadDir(dir)
	if err == nil && len(list) > 0 && !(len(list) == 1 && list[0].Name() == layout.LockFile) {
		return &hint.Error{Text: fmt.Sprintf("%s has something else: %s", dir, list[0].Name()), Hint: "choose a new directory with -o"}
	}
	return err
}

// stop makes sure that no node continues the crawl.
func (g *gathering) stop(ctx context.Context) error {
	if err := node.Move(ctx, g.Engine, g.To); err != nil {
		return err
	}
	if err := g.tell("wait for nodes", 0, 0); err != nil {
		return err
	}
	return cluster.Silence(ctx, g.Engine.Register, g.Clock)
}

// journals copies the journals of all partitions.
func (g *gathering) journals(ctx context.Context) error {
	for i := range g.surveys {
		if err := g.tell("journals", i, len(g.surveys)); err != nil {
			return err
		}
		j, h, err := g.Plan.Journal(i, g.dir)
		if err == nil {
			err = cluster.Copy(ctx, g.Engine.Log(i), j)
		}
		if err == nil {
			err = g.look(i, h)
		}
		if err != nil {
			return fmt.Errorf("journal of partition %d: %w", i, err)
		}
	}
	return nil
}

// look reads what the journal of a partition says.
func (g *gathering) look(i int, h journal.Header) error {
	dir, err := g.part(i, layout.JournalDir)
	if err != nil {
		return err
	}
	if g.surveys[i], err = readSurvey(dir, h); err == nil && len(g.surveys[i].commits) == 0 || errors.Is(err, journal.ErrNone) {
		err = &hint.Error{Text: fmt.Sprintf("partition %d has not begun", i), Hint: "wait some seconds; winnow status --cluster shows which partitions run"}
	}
	return err
}

// compare asks the nodes whether the journals on their disks are as the logs have them.
func (g *gathering) compare(ctx context.Context) error {
	if !g.Compare {
		return nil
	}
	silent := map[string]error{}
	for i := range g.surveys {
		if err := g.tell("disks of nodes", i, len(g.surveys)); err != nil {
			return err
		}
		who := g.surveys[i].node
		err := silent[who]
		if who == "" {
			err = errors.New("no node has crawled it yet")
		}
		wrong := ""
		if err == nil {
			wrong, err = g.compareOne(ctx, i, who)
		}
		switch name := layout.PartitionName(i); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			silent[who] = err
			g.out.Unasked = append(g.out.Unasked, fmt.Sprintf("%s: %v", name, err))
		case wrong != "":
			g.out.Differ = append(g.out.Differ, fmt.Sprintf("%s: the journal on the disk of node %s is not as the log has it: %s", name, who, wrong))
		default:
			g.out.Compared++
		}
	}
	return nil
}

// compareOne asks a node about a partition. What has just been committed may be in the log before it
// is on disk, so what differs is looked at twice.
func (g *gathering) compareOne(ctx context.Context, i int, who string) (wrong string, err error) {
	j, _, err := g.Plan.Journal(i, g.dir)
	if err != nil {
		return "", err
	}
	next, chain, err := cluster.Ends(j)
	for range 2 {
		if err == nil {
			wrong, err = node.Compare(ctx, g.Engine.Bus, who, i, next, chain)
		}
		if err != nil || wrong == "" {
			break
		}
	}
	return wrong, err
}

// agree removes from journals what others do not know of: they were read at different times.
func (g *gathering) agree(context.Context) error {
	trails := make([]trail, len(g.surveys))
	for i := range trails {
		trails[i] = g.surveys[i].trail
	}
	for i, keep := range consistent(trails) {
		if n := trails[i].groups - keep; n > 0 {
			if g.Move {
				return fmt.Errorf("partition %d has applied messages that were not sent: a log has lost its end; start the nodes again, and stop them", i)
			}
			g.out.Removed += n
			if err := g.cut(i, keep); err != nil {
				return err
			}
		}
		g.out.Records += g.surveys[i].records()
		for _, x := range g.surveys[i].wrong {
			g.out.Wrong = append(g.out.Wrong, fmt.Sprintf("%s: %s", layout.PartitionName(i), x))
		}
	}
	return nil
}

// cut removes the last groups of a journal.
func (g *gathering) cut(i, keep int) error {
	j, h, err := g.Plan.Journal(i, g.dir)
	if err == nil {
		err = j.Cut(keep)
	}
	if err == nil {
		err = g.look(i, h)
	}
	return err
}

// archives brings the archives of all partitions.
func (g *gathering) archives(ctx context.Context) error {
	if !g.Archive {
		return nil
	}
	r, err := files.NewReader(g.Engine.Bus)
	if err != nil {
		return err
	}
	defer r.Close()
	silent := map[string]bool{}
	for i := range g.surveys {
		if err := g.tell("archives", i, len(g.surveys)); err != nil {
			return err
		}
		to, err := g.part(i, layout.ArchiveDir)
		if err != nil {
			return err
		}
		b := bringing{g, r, i, to, silent, nil}
		if err := b.bring(ctx, g.surveys[i].places); err != nil {
			return fmt.Errorf("archive of partition %d: %w", i, err)
		}
	}
	return nil
}

// finish writes what else a crawl directory has.
func (g *gathering) finish(context.Context) error {
	c, err := g.Plan.Settings(g.Dir)
	if err != nil {
		return err
	}
	c.Seeds = config.Union(c.Seeds, g.Plan.Seeds)
	public, secrets := c.Public()
	text, err := public.Marshal()
	var hidden []byte
	if err == nil && len(secrets) > 0 {
		hidden, err = secrets.Marshal()
	}
	if err != nil {
		return err
	}
	for i := range g.surveys {
		if err := g.settle(i, text, hidden); err != nil {
			return err
		}
	}
	if !g.Move {
		return nil
	}
	file := g.Plan.Crawl
	file.Cluster = false
	g.out.Moved = true
	top, err := g.dir(".")
	if err == nil {
		err = file.Write(top)
	}
	return err
}

// settle writes configuration and indexes of a partition.
func (g *gathering) settle(i int, conf, secrets []byte) error {
	dir, err := g.part(i, ".")
	for name, b := range map[string][]byte{layout.ConfigFile: conf, config.SecretsFile: secrets} {
		if err == nil && b != nil {
			err = replace(dir, name, b)
		}
	}
	if err != nil || g.Disk != nil {
		return err
	}
	for _, name := range []string{layout.URLDir, layout.SnapshotDir, layout.ArchiveDir} {
		if _, err := g.part(i, name); err != nil {
			return err
		}
	}
	path := layout.PartitionDir(g.Dir, i)
	if err := os.Remove(filepath.Join(path, layout.StatusFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it is that of an earlier copy
	}
	_, err = index.Write(path)
	return err
}

func replace(dir disk.Dir, name string, b []byte) error {
	return disk.Replace(dir, name, name+".tmp", true, func(f disk.File) error {
		_, err := f.WriteAt(b, 0)
		return err
	})
}
