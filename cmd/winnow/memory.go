package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
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
