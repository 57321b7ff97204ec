package bv

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// published is what such a file looks like.
const published = `#BVGraph properties
#Mon Apr 03 14:58:33 CEST 2006
bitspernode=35.15
arcs=3216152
nodes=325557
graphclass=it.unimi.dsi.webgraph.BVGraph
maxrefcount=3
windowsize=7
minintervallength=3
bitsperlink=3.56
compressionflags=
version=0
zetak=3
`

func TestParseProperties(t *testing.T) {
	want := Properties{Params: Params{Window: 7, MaxRef: 3, MinInterval: 3, ZetaK: 3}, Nodes: 325557, Arcs: 3216152}
	for name, text := range map[string]string{
		"published":       published,
		"CRLF":            strings.ReplaceAll(published, "\n", "\r\n"),
		"blanks":          strings.ReplaceAll(published, "=", " = "),
		"no last end":     strings.TrimSuffix(published, "\n"),
		"other comments":  "! by hand\n\n" + published,
		"said twice":      "nodes=1\n" + published,
		"default flags":   strings.Replace(published, "compressionflags=", "compressionflags=OUTDEGREES_GAMMA | RESIDUALS_ZETA|REFERENCES_UNARY", 1),
		"big endian":      published + "endianness=big\n",
		"class by itself": strings.Replace(published, "it.unimi.dsi.webgraph.", "", 1),
		"zeta by default": strings.Replace(published, "zetak=3\n", "", 1),
	} {
		if p, err := ParseProperties([]byte(text)); err != nil || p != want {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestBadProperties: what this package cannot read is refused by its name.
func TestBadProperties(t *testing.T) {
	set := func(key, value string) string {
		lines := strings.Split(published, "\n")
		for i, l := range lines {
			if strings.HasPrefix(l, key+"=") {
				lines[i] = key + "=" + value
				return strings.Join(lines, "\n")
			}
		}
		return published + key + "=" + value + "\n"
	}
	for _, c := range []struct{ text, want string }{
		{"", "nodes .*missing"},
		{"nodes=1\n", "arcs .*missing"},
		{"nodes=1\n\nnonsense\n", `line 3: "nonsense".*key=value`},
		{set("nodes", ""), "nodes="},
		{set("nodes", "x"), "nodes=x"},
		{set("nodes", "-1"), "nodes=-1"},
		{set("nodes", "4294967296"), "nodes=4294967296"},
		{set("nodes", "99999999999999999999"), "nodes=99999999999999999999"},
		{set("arcs", "1e6"), "arcs=1e6"},
		{set("arcs", "-5"), "arcs=-5"},
		{set("windowsize", "32"), "window size 32"},
		{set("windowsize", "-1"), "windowsize=-1"},
		{set("maxrefcount", "99999999999"), "maxrefcount="},
		{set("minintervallength", "1"), "minimum interval length 1"},
		{set("zetak", "0"), "zeta k 0"},
		{set("zetak", "12"), "zeta k 12"},
		{set("version", "1"), "version 1"},
		{set("endianness", "little"), "endianness little"},
		{set("graphclass", "it.unimi.dsi.webgraph.EFGraph"), "graphclass it.unimi.dsi.webgraph.EFGraph"},
		{set("graphclass", "org.example.NotBVGraph"), "graphclass org.example.NotBVGraph"},
		{set("compressionflags", "RESIDUALS_GAMMA"), "compression flag RESIDUALS_GAMMA"},
		{set("compressionflags", "OUTDEGREES_DELTA | RESIDUALS_ZETA"), "compression flag OUTDEGREES_DELTA"},
		{set("compressionflags", "BLOCKS_GAMMA|BLOCK_COUNT_UNARY"), "compression flag BLOCK_COUNT_UNARY"},
		{set("compressionflags", "REFERENCES_DELTA"), "compression flag REFERENCES_DELTA"},
	} {
		if _, err := ParseProperties([]byte(c.text)); err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("error %v lacks %q", err, c.want)
		}
	}
}

// FuzzProperties: whatever is accepted can be worked with, and is the same when it
// is written and read again.
func FuzzProperties(f *testing.F) {
	f.Add([]byte(published))
	f.Add([]byte("nodes=0\narcs=0\n"))
	f.Add([]byte("nodes = 5\r\narcs=6\r\nzetak=11\nwindowsize=0\n!\n#\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProperties(b)
		if err != nil {
			return
		}
		if err := p.Params.Check(); err != nil || p.Nodes < 0 || p.Arcs < 0 {
			t.Fatalf("accepted %+v: %v", p, err)
		}
		for _, bits := range []uint64{0, 12345} {
			if again, err := ParseProperties(p.Format(bits)); err != nil || again != p {
				t.Fatalf("%+v is written as %q and read as %+v, %v", p, p.Format(bits), again, err)
			}
		}
	})
}

// TestOffsets reads an .offsets file back: gaps in gamma code, of which the first
// is 0 and the sum the length of the stream.
func TestOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 2, 1000, 50_000} {
		starts := make([]uint64, n)
		for i := 1; i < n; i++ {
			starts[i] = starts[i-1] + uint64(r.IntN(1<<r.IntN(20)))
		}
		var out bytes.Buffer
		if err := WriteOffsets(&out, starts); err != nil {
			t.Fatal(err)
		}
		bits := slowBits{b: out.Bytes()}
		at := uint64(0)
		for i, want := range starts {
			if at += bits.gamma(); at != want {
				t.Fatalf("n %d: offset %d is %d, want %d", n, i, at, want)
			}
		}
		if left := out.Len()*8 - bits.pos; left >= 8 {
			t.Errorf("n %d: %d bits too many", n, left)
		}
	}
	err := WriteOffsets(broken{}, make([]uint64, 1<<20))
	if !errors.Is(err, errBroken) {
		t.Errorf("a broken writer: %v", err)
	}
}

// slowBits reads bit by bit, as the definition of the code has it.
type slowBits struct {
	b   []byte
	pos int
}

func (s *slowBits) bit() uint64 {
	v := s.b[s.pos/8] >> (7 - s.pos%8) & 1
	s.pos++
	return uint64(v)
}

func (s *slowBits) gamma() uint64 {
	n := 0
	for s.bit() == 0 {
		n++
	}
	v := uint64(1)
	for range n {
		v = v<<1 | s.bit()
	}
	return v - 1
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestFormat states the sizes that other programs show.
func TestFormat(t *testing.T) {
	p := Properties{Params: Default, Nodes: 4, Arcs: 8}
	text := string(p.Format(20))
	for _, want := range []string{"bitsperlink=2.500\n", "bitspernode=5.000\n", "nodes=4\n", "arcs=8\n",
		"graphclass=it.unimi.dsi.webgraph.BVGraph\n", "compressionflags=\n", "windowsize=7\n", "maxrefcount=3\n", "minintervallength=4\n", "zetak=3\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if text := string(Properties{Params: Default}.Format(0)); strings.Contains(text, "NaN") {
		t.Errorf("an empty graph: %q", text)
	}
}
