package disk

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// outcomes are all that a power loss may leave of one file, "-" for no file.
func outcomes(m *Memory, name string, tries uint64) []string {
	seen := map[string]bool{}
	for random := range tries {
		c := m.Crash(random)
		if got, ok := contents(c)[name]; ok {
			seen[got] = true
		} else {
			seen["-"] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// TestCrashOfBytes: all that can happen to bytes happens, and nothing else.
func TestCrashOfBytes(t *testing.T) {
	m := NewMemory()
	f := put(m, "f", "ab")
	if err := errors.Join(f.Sync(), m.Sync()); err != nil {
		t.Fatal(err)
	}
	if got := outcomes(m, "f", 50); !slices.Equal(got, []string{"ab"}) {
		t.Errorf("synced: %q", got)
	}
	f.WriteAt([]byte("cd"), 2)
	f.WriteAt([]byte("e"), 4)
	want := []string{"ab", "ab\x00\x00e", "ab\x00d", "ab\x00de", "abc", "abc\x00e", "abcd", "abcde"}
	if got := outcomes(m, "f", 400); !slices.Equal(got, want) {
		t.Errorf("two writes: %q, want %q", got, want)
	}
	f.Sync()
	f.Truncate(1)
	if got := outcomes(m, "f", 50); !slices.Equal(got, []string{"a", "abcde"}) {
		t.Errorf("cut: %q", got)
	}
	f.WriteAt([]byte("x"), 1)
	if got := outcomes(m, "f", 100); !slices.Equal(got, []string{"a", "abcde", "ax", "axcde"}) {
		t.Errorf("cut and written: %q", got)
	}
	if got := contents(m)["f"]; got != "ax" {
		t.Errorf("the disk itself changed: %q", got)
	}
}

// TestCrashOfNames: a file needs the sync of its directory, and operations on the same
// name keep their order.
func TestCrashOfNames(t *testing.T) {
	m := NewMemory()
	put(m, "new", "x").Sync()
	if got := outcomes(m, "new", 50); !slices.Equal(got, []string{"-", "x"}) {
		t.Errorf("created: %q", got)
	}
	m.Sync()
	put(m, "tmp", "y").Sync()
	m.Rename("tmp", "new")
	m.Remove("new")
	seen := map[string]bool{}
	for random := range uint64(300) {
		c := contents(m.Crash(random))
		seen[c["new"]+"/"+c["tmp"]] = true
	}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, []string{"/", "x/", "x/y", "y/"}) {
		t.Errorf("created, renamed, removed: %q", got)
	}
	m.Sync()
	if got := outcomes(m, "new", 50); !slices.Equal(got, []string{"-"}) {
		t.Errorf("removed and synced: %q", got)
	}
}

// TestCrashIsAFunction of the number, and leaves nothing to lose.
func TestCrashIsAFunction(t *testing.T) {
	m := NewMemory()
	for _, name := range strings.Fields("a b c d e f g") {
		put(m, name, strings.Repeat(name, 100))
		put(m.Sub("below"), name, strings.Repeat(name, 100))
	}
	differ := 0
	for random := range uint64(20) {
		c := m.Crash(random)
		for _, again := range []*Memory{m.Crash(random), c.Crash(1), c.Kill()} {
			if !maps.Equal(contents(c), contents(again)) || !maps.Equal(contents(c.Sub("below")), contents(again.Sub("below"))) {
				t.Errorf("crash %d is not the same again", random)
			}
		}
		if !maps.Equal(contents(c), contents(m.Crash(random+1))) {
			differ++
		}
	}
	if differ < 15 {
		t.Errorf("only %d of 20 differ", differ)
	}
}

// TestKill keeps all that was written, and what was not synced can still be lost.
func TestKill(t *testing.T) {
	m := NewMemory()
	f := put(m, "f", "abc")
	put(m.Sub("below"), "g", "xyz")
	k := m.Kill()
	if contents(k)["f"] != "abc" || contents(k.Sub("below"))["g"] != "xyz" {
		t.Errorf("%q, %q", contents(k), contents(k.Sub("below")))
	}
	f.WriteAt([]byte("d"), 3)
	if contents(k)["f"] != "abc" {
		t.Error("a file that was open before writes to the copy")
	}
	if got := outcomes(k, "f", 100); !slices.Contains(got, "-") || !slices.Contains(got, "") {
		t.Errorf("after kill: %q", got)
	}
	g := must(k.Open("f", Change))
	if err := errors.Join(g.Sync(), k.Sync()); err != nil {
		t.Fatal(err)
	}
	if got := outcomes(k, "f", 50); !slices.Equal(got, []string{"abc"}) {
		t.Errorf("synced by the next program: %q", got)
	}
}

var errTest = errors.New("test")

// TestFailSync: bytes that were there when a sync failed are never safe again, later ones
// are, and writing them again helps.
func TestFailSync(t *testing.T) {
	m := NewMemory()
	f := put(m, "f", "ab")
	m.Sync()
	m.FailSync(1, errTest)
	if err := f.Sync(); !errors.Is(err, errTest) {
		t.Fatal(err)
	}
	f.WriteAt([]byte("c"), 2)
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Memory{m, m.Kill()} {
		if got := outcomes(d, "f", 100); !slices.Equal(got, []string{"\x00\x00c", "\x00bc", "a\x00c", "abc"}) {
			t.Errorf("%q", got)
		}
	}
	f.WriteAt([]byte("ab"), 0)
	f.Sync()
	if got := outcomes(m, "f", 100); !slices.Equal(got, []string{"abc"}) {
		t.Errorf("written again: %q", got)
	}
}

func TestFaults(t *testing.T) {
	m := NewMemory()
	f := put(m, "f", "")
	m.FailWrite(2, errTest)
	if _, err := f.WriteAt([]byte("1234"), 0); err != nil {
		t.Error(err)
	}
	if n, err := f.WriteAt([]byte("5678"), 4); n != 2 || !errors.Is(err, errTest) || contents(m)["f"] != "123456" {
		t.Errorf("%d, %v, %q", n, err, contents(m))
	}
	m.FailWrite(1, errTest)
	if err := f.Truncate(0); !errors.Is(err, errTest) || contents(m)["f"] != "123456" {
		t.Errorf("%v, %q", err, contents(m))
	}
	m.Limit(3, errTest)
	for i, want := range []int{2, 1, 0, 0} {
		n, err := f.WriteAt([]byte("ab"), 6+2*int64(i))
		if n != want || (err != nil) != (want < 2) {
			t.Errorf("write %d: %d, %v", i, n, err)
		}
	}
	m.Limit(-1, nil)
	m.FailStep(2, errTest)
	if err := m.Rename("f", "g"); err != nil {
		t.Error(err)
	}
	if err := m.Remove("g"); !errors.Is(err, errTest) || len(contents(m)) != 1 {
		t.Errorf("%v, %q", err, contents(m))
	}
}

// TestStop: nothing works after it but reading, in all directories of the disk.
func TestStop(t *testing.T) {
	m := NewMemory()
	f, s := put(m, "f", "x"), m.Sub("below")
	steps, writes, syncs := m.Steps(), m.Writes(), m.Syncs()
	m.Stop(2)
	f.Sync()
	f.WriteAt([]byte("y"), 1)
	_, create := s.Open("g", Create)
	_, write := f.WriteAt([]byte("z"), 2)
	for i, err := range []error{create, write, f.Sync(), f.Truncate(0), m.Sync(), s.Sync(), m.Remove("f"), m.Rename("f", "g")} {
		if !errors.Is(err, ErrStopped) {
			t.Errorf("operation %d: %v", i, err)
		}
	}
	if m.Steps() != steps+2 || m.Writes() != writes+1 || m.Syncs() != syncs+1 || s.Steps() != m.Steps() {
		t.Errorf("%d steps, %d writes, %d syncs", m.Steps()-steps, m.Writes()-writes, m.Syncs()-syncs)
	}
	if contents(m)["f"] != "xy" {
		t.Errorf("%q", contents(m))
	}
	if k := m.Kill(); put(k, "g", "new").Sync() != nil {
		t.Error("the copy has stopped too")
	}
}
