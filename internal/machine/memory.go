package machine

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// assumedMemory is the memory assumed on a system without /proc.
const assumedMemory = 4 << 30

// Memory returns how many bytes of memory this process may use: those of the machine, or
// the lowest limit of the process's control groups if that is less.
func Memory() int64 { return memory(os.DirFS("/")) }

// memory implements Memory for a machine with the given root directory.
func memory(root fs.FS) int64 {
	most := physicalMemory(root)
	for _, name := range limitFiles(root) {
		if limit, ok := readLimit(root, name); ok {
			most = min(most, limit)
		}
	}
	return most
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

// limitFiles returns the names of the files with the memory limits of the control groups
// of this process and of all groups above them. A line of
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
