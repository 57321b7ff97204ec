package main

import (
	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/manual"
	"github.com/winnow-crawler/winnow/internal/version"
)

func newVersionCommand(u *console.UI) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version of winnow",
		Example: "  winnow version\n  winnow version --json",
		Args:    console.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			return runVersion(u)
		},
	}
}

func runVersion(u *console.UI) error {
	v := version.Of(version.Build())
	if u.AsJSON {
		return u.JSON(v)
	}
	u.Printf("winnow %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		u.Printf("commit %s %s%s\n", v.Revision, v.Time, map[bool]string{true: ", modified"}[v.Modified])
	}
	return nil
}

// newManCommand returns the verb of packagers: make man calls it.
func newManCommand(u *console.UI) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "write man pages and completions",
		Example: "  winnow man share",
		Hidden:  true,
		Args:    console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return manual.Write(cmd.Root(), args[0], version.Of(version.Build()).Version)
		},
	}
}
