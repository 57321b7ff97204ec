// Package result writes the results of commands to files or to standard output. A file gets
// its name only when it is complete.
package result

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File receives a result that a user may send to a file:
//
//	out, err := result.Create(name, os.Stdout)
//	if err != nil { return err }
//	defer out.Discard()
//	... fmt.Fprintf(out, ...) ...
//	return out.Commit()
//
// A file gets its name only when it is complete. Until Commit it has another name
// in the same directory, and Discard removes it. Writing is buffered; a
// failed write is reported by Commit at the latest.
type File struct {
	*bufio.Writer
	name string   // what the user called it
	path string   // where it goes, links followed
	file *os.File // nil for standard output

	temp  bool // file has a temporary name
	named bool // and got its own
}

// Create opens a file; "" and "-" are standard output. What is not a regular file, such as a
// device or a pipe, is written to directly.
func Create(name string, stdout io.Writer) (*File, error) {
	const buffer = 1 << 16
	if name == "" || name == "-" {
		return &File{Writer: bufio.NewWriterSize(stdout, buffer)}, nil
	}
	r := &File{name: name, path: name, temp: true}
	if path, err := filepath.EvalSymlinks(name); err == nil {
		r.path = path
	}
	info, err := os.Stat(r.path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("create %s: it is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		r.temp = false
		r.file, err = os.OpenFile(r.path, os.O_WRONLY, 0)
	default:
		r.file, err = Temp(r.path)
	}
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, Cause(err))
	}
	r.Writer = bufio.NewWriterSize(r.file, buffer)
	return r, nil
}

// Temp makes a new file in the directory of path, with the permissions a new file has
// (os.CreateTemp would make it readable for its owner only). A name that a killed process
// left behind is skipped.
func Temp(path string) (*os.File, error) {
	for n := 0; ; n++ {
		temp := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), n)
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Standard reports whether the result goes to standard output.
func (r *File) Standard() bool { return r.file == nil }

// Commit writes the rest and renames the file to its final name.
func (r *File) Commit() error {
	if err := r.finish(); err != nil {
		return err
	}
	return r.rename()
}

// CommitAll commits files that belong together: none gets its name before all of them are
// complete. If one cannot be renamed, those that were renamed are removed, because the set
// is incomplete.
func CommitAll(files []*File) error {
	for _, f := range files {
		if err := f.finish(); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := f.rename(); err != nil {
			for _, done := range files[:i] {
				done.remove()
			}
			return err
		}
	}
	return nil
}

// finish writes the rest and syncs the file, still under the temporary name.
func (r *File) finish() error {
	err := r.Flush()
	if r.file == nil {
		return err
	}
	if err == nil && r.temp {
		err = r.file.Sync()
	}
	if closeErr := r.file.Close(); err == nil {
		err = closeErr
	}
	return r.Wrap(err)
}

// rename renames a finished file to its final name.
func (r *File) rename() error {
	if !r.temp {
		return nil
	}
	if err := os.Rename(r.file.Name(), r.path); err != nil {
		return r.Wrap(err)
	}
	r.temp, r.named = false, true
	return nil
}

// remove removes a file that already has its name. It does not remove a device.
func (r *File) remove() {
	if r.named {
		os.Remove(r.path)
	}
}

// Wrap adds the name of the file to an error of writing into it. It returns an
// interruption, and the error of a reader that has gone, unchanged.
func (r *File) Wrap(err error) error {
	if err == nil || r.file == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("write %s: %w", r.name, Cause(err))
}

// Discard removes what was not committed. After Commit it does nothing, so that it
// can be deferred.
func (r *File) Discard() {
	if r.file == nil {
		return
	}
	r.file.Close()
	if r.temp {
		os.Remove(r.file.Name())
		r.temp = false
	}
}

// Cause drops operation and path from an error of package os: the message names the
// file as the user did, not by its temporary name.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
