package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/internal/show"
)

// A reportPart is one file of a report.
type reportPart struct {
	name  string
	write func(*show.Report, io.Writer) error
}

func reportParts() []reportPart {
	return []reportPart{
		{"report.html", (*show.Report).WriteHTML},
		{"curves.csv", (*show.Report).WriteCSV},
		{"summary.json", (*show.Report).WriteJSON},
		{"curves.svg", (*show.Report).WritePicture},
	}
}

// reportPaths returns the paths of the files of a report in a directory.
func reportPaths(dir string) []string {
	var paths []string
	for _, part := range reportParts() {
		paths = append(paths, filepath.Join(dir, part.name))
	}
	return paths
}

// writeReport writes the files of a report into a directory, which is made when there
// is something to write. They get their names when all of them are on the disk: a full
// one leaves what was there before.
func writeReport(u *ui, dir string, rep *show.Report) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return withHint(fmt.Errorf("create %s: %w", dir, cause(err)), "choose another place with --out")
	}
	var files []*resultFile
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	for _, part := range reportParts() {
		f, err := createResult(u, filepath.Join(dir, part.name))
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := part.write(rep, f); err != nil {
			return f.wrap(err)
		}
	}
	if err := commitAll(files); err != nil {
		return err
	}
	u.notef("wrote %s", filepath.Join(dir, "report.html"))
	return nil
}

// report prints a report on standard output.
func (u *ui) report(rep *show.Report) error {
	_, err := io.WriteString(u.stdout, rep.Text(textOptions(u)))
	return err
}

// textOptions returns how reports are shown: with charts on a terminal or with -v, as wide
// as the terminal. Elsewhere tables are not broken.
func textOptions(u *ui) show.TextOptions {
	o := show.TextOptions{Width: 200, Charts: u.verbose}
	if f := u.stdout.terminal; f != nil {
		o.Width, o.Charts = terminalWidth(f), true
	}
	return o
}
