// Package version reads the build information that the Go linker wrote into the binary. Build
// scripts add nothing.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// An Info says what a binary was built from.
type Info struct {
	Version  string `json:"version"`  // module version, "(devel)" for a plain build
	Go       string `json:"go"`       // version of the compiler
	Platform string `json:"platform"` // system/architecture
	Revision string `json:"revision"` // commit, empty when built outside a checkout
	Time     string `json:"time"`     // of that commit
	Modified bool   `json:"modified"` // the checkout had changes on top of it
}

// Build returns the build information in the binary; it is empty if there is none.
func Build() *debug.BuildInfo {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build
	}
	return &debug.BuildInfo{}
}

// Program returns the name of the program that graphs record.
func Program() string { return strings.TrimSpace("winnow " + Build().Main.Version) }

// Creator returns the program that Parquet files record, in the form that their readers
// parse: "winnow version 1.2.3 (build COMMIT)".
func Creator(build *debug.BuildInfo) (version, commit string) {
	v := Of(build)
	return strings.Trim(v.Version, "()") + " ", cmp.Or(v.Revision, "unknown")
}

// Of returns what build information says.
func Of(build *debug.BuildInfo) Info {
	v := Info{
		Version:  cmp.Or(build.Main.Version, "(devel)"),
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
