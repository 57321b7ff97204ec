package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionInfo is what the Go linker wrote into the binary; nothing is stamped by
// build scripts.
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
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	v := versionOf(build)
	if u.asJSON {
		return u.json(v)
	}
	u.printf("winnow %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		u.printf("commit %s %s%s\n", v.Revision, v.Time, map[bool]string{true: ", modified"}[v.Modified])
	}
	return nil
}

// programName is what a graph says it was made by.
func programName() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return "winnow " + build.Main.Version
	}
	return "winnow"
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
