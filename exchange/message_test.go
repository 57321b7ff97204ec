package exchange

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"
)

func sample() *Message {
	return &Message{From: 3, To: math.MaxUint16, Number: math.MaxUint64, Width: 2,
		Entries: []Entry{
			{Hash: 7, URL: []byte("https://a.example/"), Links: math.MaxUint32, Depth: math.MaxUint16, Near: true, Amounts: []float64{.5, -1}},
			{Amounts: []float64{0, math.MaxFloat64}},
		},
		Lessons: []float32{1.5, 0},
		Notes:   []Note{{Kind: 255, Body: []byte("x")}, {Kind: 1, Body: []byte{}}}}
}

func TestRoundTrip(t *testing.T) {
	for _, m := range []*Message{sample(), {Number: 1}} {
		b := m.Append([]byte("before"))
		got, err := Decode(b[6:])
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v, %v, want %+v", got, err, m)
		}
	}
}

// A message of which any bit changed, or that was cut, is refused.
func TestDamage(t *testing.T) {
	b := sample().Append(nil)
	for i := range 8 * len(b) {
		b[i/8] ^= 1 << (i % 8)
		if _, err := Decode(b); !errors.Is(err, ErrDamaged) {
			t.Errorf("bit %d: %v", i, err)
		}
		b[i/8] ^= 1 << (i % 8)
		if _, err := Decode(b[:i/8]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes: %v", i/8, err)
		}
	}
}

// FuzzDecode: bytes with a right checksum are refused, or are a message in its only form.
func FuzzDecode(f *testing.F) {
	b := sample().Append(nil)
	f.Add(b[:len(b)-4])
	f.Add([]byte{form, 0, 0, 0, 1, 9, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		s := sum(body)
		b := append(bytes.Clone(body), byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
		m, err := Decode(b)
		if err != nil {
			return
		}
		if again := m.Append(nil); !bytes.Equal(again, b) {
			t.Errorf("%x is written as %x", b, again)
		}
	})
}
