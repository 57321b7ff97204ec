package fetch

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// FuzzCodings: what was packed, by up to three codings, comes back as it was, as far as
// the limit goes; what is cut somewhere gives a part of it and nothing else; and a decoder
// that has seen all this behaves as a new one does.
func FuzzCodings(f *testing.F) {
	f.Add(prose(100), uint8(1), uint8(4), uint16(9000), uint16(50))
	f.Add([]byte{}, uint8(0), uint8(3), uint16(0), uint16(0))
	f.Add(bytes.Repeat([]byte("a"), 50), uint8(0), uint8(1), uint16(49), uint16(20))
	kinds := []string{"gzip", "deflate", "br", "zstd", ""}
	var used Decoder
	f.Fuzz(func(t *testing.T, text []byte, inner, outer uint8, limit, cut uint16) {
		first, second := kinds[int(inner)%5], kinds[int(outer)%5]
		packed, header := text, strings.Trim(first+", "+second, ", ")
		for _, coding := range []string{first, second} {
			if coding != "" {
				packed = pack(t, coding, packed)
			}
		}
		got, err := used.Decode([]byte("x"), packed, header, int64(limit))
		want := append([]byte("x"), text[:min(len(text), int(limit))]...)
		if first == "" || second == "" { // else the limit may end the outer one
			if !bytes.Equal(got, want) || (err != nil) != (len(text) > int(limit)) || err != nil && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%s: %d bytes of %d, limit %d: %v", header, len(got)-1, len(text), limit, err)
			}
		} else if !bytes.HasPrefix(want, got) || err == nil && len(got) < len(want) {
			t.Fatalf("%s: %d bytes of %d, limit %d: %v", header, len(got)-1, len(text), limit, err)
		}
		part := packed[:int(cut)%(len(packed)+1)]
		again, err := used.Decode(nil, part, header, int64(limit))
		var fresh Decoder
		other, otherErr := fresh.Decode(nil, part, header, int64(limit))
		if !bytes.Equal(again, other) || (err == nil) != (otherErr == nil) || !bytes.HasPrefix(text, again) && header != "" && first != "" && second == "" && len(part) > 2 {
			t.Fatalf("%s cut at %d: %q, %v; a new decoder gives %q, %v", header, len(part), again, err, other, otherErr)
		}
	})
}
