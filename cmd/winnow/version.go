package main

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// A versionInfo holds the build information that the Go linker wrote into the binary.
// Build scripts add nothing.
type versionInfo struct {
	Version  string `json:"version"`  // module version, "(devel)" for a plain build
	Go       string `json:"go"`       // version of the compiler
	Platform string `json:"platform"` // system/architecture
	Revision string `json:"revision"` // commit, empty when built outside a checkout
	Time     string `json:"time"`     // of that commit
	Modified bool   `json:"modified"` // the checkout had changes on top of it
}

func newVersionCommand(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version of winnow",
		Example: "  winnow version\n  winnow version --json",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			return runVersion(u)
		},
	}
}

func runVersion(u *ui) error {
	v := versionOf(buildInfo())
	if u.asJSON {
		return u.json(v)
	}
	u.printf("winnow %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		u.printf("commit %s %s%s\n", v.Revision, v.Time, map[bool]string{true: ", modified"}[v.Modified])
	}
	return nil
}

// buildInfo returns the build information in the binary; it is empty if there is none.
func buildInfo() *debug.BuildInfo {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build
	}
	return &debug.BuildInfo{}
}

// programName returns the name of the program that graphs record.
func programName() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return "winnow " + build.Main.Version
	}
	return "winnow"
}

// creator returns the program that Parquet files record, in the form that their readers
// parse: "winnow version 1.2.3 (build COMMIT)".
func creator(build *debug.BuildInfo) (version, commit string) {
	v := versionOf(build)
	return strings.Trim(v.Version, "()") + " ", cmp.Or(v.Revision, "unknown")
}

func versionOf(build *debug.BuildInfo) versionInfo {
	v := versionInfo{
		Version:  build.Main.Version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if v.Version == "" {
		v.Version = "(devel)"
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
