package version

import (
	"runtime/debug"
	"testing"
)

// A Parquet file names a version and a commit, whatever the binary was built from.
func TestCreator(t *testing.T) {
	var tagged debug.BuildInfo
	tagged.Main.Version = "v1.2.3"
	tagged.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}
	for _, c := range []struct {
		build           *debug.BuildInfo
		version, commit string
	}{{&debug.BuildInfo{}, "devel ", "unknown"}, {&tagged, "v1.2.3 ", "abc"}} {
		if version, commit := Creator(c.build); version != c.version || commit != c.commit {
			t.Errorf("%q, %q, want %q, %q", version, commit, c.version, c.commit)
		}
	}
}
