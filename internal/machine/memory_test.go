package machine

import (
	"testing"
	"testing/fstest"
)

func TestMemory(t *testing.T) {
	const meminfo = "MemTotal:       16384 kB\nMemFree:        100 kB\n"
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no proc", nil, assumedMemory},
		{"nonsense", map[string]string{"proc/meminfo": "MemTotal: lots\n"}, assumedMemory},
		{"plain machine", map[string]string{"proc/meminfo": meminfo}, 16 << 20},
		{"groups without limit", map[string]string{
			"proc/meminfo":             meminfo,
			"proc/self/cgroup":         "0::/a/b\n",
			"sys/fs/cgroup/memory.max": "max\n",
		}, 16 << 20},
		{"limit on this group", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "4194304\n",
			"sys/fs/cgroup/a/memory.max":   "8388608\n",
		}, 4 << 20},
		{"lower limit above it", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "8388608\n",
			"sys/fs/cgroup/memory.max":     "2097152\n",
		}, 2 << 20},
		{"version 1", map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1048576\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
		}, 1 << 20},
		{"limit above the machine", map[string]string{
			"proc/meminfo":             meminfo,
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "1099511627776\n",
		}, 16 << 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range test.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := memory(root); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// TestMemoryHere: the machine that runs this test has some memory.
func TestMemoryHere(t *testing.T) {
	if got := Memory(); got < 16<<20 {
		t.Errorf("%d bytes", got)
	}
}
