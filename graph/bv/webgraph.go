package bv

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Properties holds the contents of the .properties file of a .graph file.
type Properties struct {
	Params Params
	Nodes  int64
	Arcs   int64
}

// the codes this package reads and writes are WebGraph's defaults; a file that names
// another is refused by that name.
var defaultFlags = map[string]bool{
	"OUTDEGREES_GAMMA": true, "BLOCKS_GAMMA": true, "RESIDUALS_ZETA": true,
	"REFERENCES_UNARY": true, "BLOCK_COUNT_GAMMA": true, "OFFSETS_GAMMA": true,
}

// ParseProperties reads a .properties file. Errors name the line if there is one.
func ParseProperties(b []byte) (Properties, error) {
	values, err := parseLines(b)
	if err != nil {
		return Properties{}, err
	}
	if c := values["graphclass"]; c != "" && c != "BVGraph" && !strings.HasSuffix(c, ".BVGraph") {
		return Properties{}, fmt.Errorf("graphclass %s is not BVGraph", c)
	}
	if e := values["endianness"]; e != "" && e != "big" {
		return Properties{}, fmt.Errorf("endianness %s is not big", e)
	}
	for _, f := range strings.FieldsFunc(values["compressionflags"], func(r rune) bool { return r == '|' || r == ' ' }) {
		if !defaultFlags[f] {
			return Properties{}, fmt.Errorf("compression flag %s: only the default codes can be read", f)
		}
	}
	p := Properties{Params: Default}
	if v := values["version"]; v != "" && v != "0" {
		return p, fmt.Errorf("version %s is not 0", v)
	}
	if p.Nodes, err = number(values, "nodes", -1, 1<<32-1); err != nil {
		return p, err
	}
	if p.Arcs, err = number(values, "arcs", -1, 1<<62); err != nil {
		return p, err
	}
	return p, p.readParams(values)
}

func (p *Properties) readParams(values map[string]string) error {
	for _, f := range []struct {
		key string
		to  *int
	}{
		{"windowsize", &p.Params.Window}, {"maxrefcount", &p.Params.MaxRef},
		{"minintervallength", &p.Params.MinInterval}, {"zetak", &p.Params.ZetaK},
	} {
		v, err := number(values, f.key, int64(*f.to), 1<<31-1)
		if err != nil {
			return err
		}
		*f.to = int(v)
	}
	return p.Params.Check()
}

func parseLines(b []byte) (map[string]string, error) {
	values := map[string]string{}
	for i, line := range bytes.Split(b, []byte("\n")) {
		s := strings.TrimSpace(string(line))
		if s == "" || s[0] == '#' || s[0] == '!' {
			continue
		}
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: %q is not key=value", i+1, s[:min(len(s), 60)])
		}
		values[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return values, nil
}

// number reads a property. It returns absent if there is none, or an error if absent < 0.
func number(values map[string]string, key string, absent, most int64) (int64, error) {
	s, ok := values[key]
	if !ok {
		if absent < 0 {
			return 0, fmt.Errorf("property %s is missing", key)
		}
		return absent, nil
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < 0 || v > most {
		return 0, fmt.Errorf("property %s=%s is not a number from 0 to %d", key, s, most)
	}
	return v, nil
}

// Format writes the properties as a .properties file; bits is the length of the
// stream, for the statistics in it.
func (p Properties) Format(bits uint64) []byte {
	var b bytes.Buffer
	ratio := func(n int64) string {
		if n == 0 {
			return "0"
		}
		return strconv.FormatFloat(float64(bits)/float64(n), 'f', 3, 64)
	}
	fmt.Fprintf(&b, "#BVGraph properties\nversion=0\ngraphclass=it.unimi.dsi.webgraph.BVGraph\n")
	fmt.Fprintf(&b, "nodes=%d\narcs=%d\n", p.Nodes, p.Arcs)
	fmt.Fprintf(&b, "windowsize=%d\nmaxrefcount=%d\nminintervallength=%d\nzetak=%d\ncompressionflags=\n",
		p.Params.Window, p.Params.MaxRef, p.Params.MinInterval, p.Params.ZetaK)
	fmt.Fprintf(&b, "bitsperlink=%s\nbitspernode=%s\n", ratio(p.Arcs), ratio(p.Nodes))
	return b.Bytes()
}

// WriteOffsets writes a .offsets file: the gaps between the starts of lists, in
// gamma code.
func WriteOffsets(w io.Writer, starts []uint64) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var bits bitWriter
	last := uint64(0)
	for _, s := range starts {
		bits.gamma(s - last)
		last = s
		if len(bits.buf) >= 1<<15 {
			if _, err := out.Write(bits.buf); err != nil {
				return err
			}
			bits.buf = bits.buf[:0]
		}
	}
	if _, err := out.Write(bits.flush()); err != nil {
		return err
	}
	return out.Flush()
}
