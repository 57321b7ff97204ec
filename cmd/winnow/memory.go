package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
)

// assumedMemory stands in for the memory of a machine that does not tell.
const assumedMemory = 4 << 30

// addMaxMemory adds --max-memory to a verb; its default is a quarter of what this
// process may have. The help says it in words, so that it reads the same everywhere.
func addMaxMemory(flags *pflag.FlagSet, size *byteSize) {
	*size = byteSize(machineMemory(os.DirFS("/")) / 4)
	flags.Var(size, "max-memory", "use at most this much memory, such as 64M or 1.5GiB")
	flags.Lookup("max-memory").DefValue = "a quarter of the machine's"
}

// What the Go heap may take of --max-memory. While lists are written package graph
// leaves heapBase and heapPerPage, and a little more for what is not heap, beside its
// sort buffers. Then the buffers are gone, and all but notHeap can be had: the
// program itself, and columns of heapPerPage at most.
const (
	heapBase    = 18 << 20
	heapPerPage = 16
	notHeap     = 20 << 20
)

// A memoryLimit makes the garbage collector hold the heap down to its part of what
// --max-memory allows, so that the whole process stays below it.
type memoryLimit struct {
	before int64 // the limit to go back to
	most   int64 // what the process may take
	now    int64 // the limit that is set
}

func limitMemory(most int64) *memoryLimit {
	m := &memoryLimit{before: debug.SetMemoryLimit(-1), most: most}
	m.set(most / 2) // while links are read only one of the two sort buffers is in use
	return m
}

// set changes the limit; less than heapBase would only keep the collector busy.
func (m *memoryLimit) set(limit int64) {
	if limit = max(limit, heapBase); limit != m.now {
		m.now = limit
		debug.SetMemoryLimit(limit)
	}
}

// watch learns from the progress of the work which stage it is in and how many pages
// there are, and sets the limit by it.
func (m *memoryLimit) watch(tell func(stage string, done, total int64) error) func(string, int64, int64) error {
	return func(stage string, done, pages int64) error {
		switch stage {
		case graph.StageForward, graph.StageBackward:
			m.set(heapBase + heapPerPage*pages)
		case graph.StageURLs:
			m.set(max(heapBase+heapPerPage*pages, m.most-notHeap-heapPerPage*pages))
		}
		return tell(stage, done, pages)
	}
}

// besideHeap is what a crawl takes besides its heap and its columns: the parts of the
// program itself that are in memory (25 MiB, measured), columns as they grow between two
// looks, and what the collector is late by.
const besideHeap = 64 << 20

// limitHeap holds the heap of a crawl down to what its columns, which lie outside of it,
// leave of --max-memory. 0 is none that is known yet.
func limitHeap(most int64) *memoryLimit {
	m := &memoryLimit{before: debug.SetMemoryLimit(-1), most: most}
	if most > 0 {
		m.set(most - besideHeap)
	}
	return m
}

// leave sets the limit to what the columns leave now, but not below an eighth of all (at
// most 256 MiB): bodies on their way, records that wait for the disk and the rules of
// robots.txt are on the heap, and a limit below what they need would hold nothing down and
// only keep the collector busy.
func (m *memoryLimit) leave(s *history.Status) {
	if s.MemoryMax > 0 {
		m.set(max(s.MemoryMax-besideHeap-s.OffHeap, min(s.MemoryMax/8, 256<<20)))
	}
}

func (m *memoryLimit) restore() { debug.SetMemoryLimit(m.before) }

// machineMemory is the memory of the machine in bytes, or the lowest limit that
// control groups put on this process if that is less (containers). root is the
// root directory; systems without /proc get assumedMemory.
func machineMemory(root fs.FS) int64 {
	memory := physicalMemory(root)
	for _, name := range limitFiles(root) {
		if limit, ok := readLimit(root, name); ok {
			memory = min(memory, limit)
		}
	}
	return memory
}

// physicalMemory reads the line "MemTotal:  16384 kB" of /proc/meminfo.
func physicalMemory(root fs.FS) int64 {
	info, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return assumedMemory
	}
	for line := range strings.Lines(string(info)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(fields[1], 10, 64); err == nil && kb > 0 && kb < math.MaxInt64>>10 {
				return kb << 10
			}
		}
	}
	return assumedMemory
}

// limitFiles names the files with memory limits of this process' control groups
// and of all groups above them: each limits what is below. A line of
// /proc/self/cgroup is "hierarchy:controllers:/path"; version 2 has hierarchy 0 and
// no controllers.
func limitFiles(root fs.FS) []string {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var names []string
	lines := bufio.NewScanner(bytes.NewReader(groups))
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) < 3 {
			continue
		}
		base, file := "sys/fs/cgroup", "memory.max"
		if parts[0] != "0" || parts[1] != "" {
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			names = append(names, path.Join(base, group, file))
			if group == "/" {
				break
			}
		}
	}
	return names
}

// readLimit reads one limit in bytes; "max" and absent files are no limit.
func readLimit(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return limit, err == nil && limit > 0
}
