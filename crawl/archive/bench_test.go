package archive

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// html is a page of about n bytes whose words repeat as words do: it compresses to about
// a third, as pages of much text do.
func html(n int) []byte {
	rng := rand.New(rand.NewPCG(5, 6))
	words := make([]string, 3000)
	for i := range words {
		w := make([]byte, 3+rng.IntN(7))
		for j := range w {
			w[j] = byte('a' + rng.IntN(26))
		}
		words[i] = string(w)
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><html><head><title>A page</title></head><body>")
	for b.Len() < n {
		fmt.Fprintf(&b, "<p class=\"text\"><a href=\"/docs/%s.html\">", words[rng.IntN(300)])
		for range 12 {
			r := rng.Float64()
			b.WriteString(words[int(r*r*r*3000)] + " ")
		}
		b.WriteString("</a></p>\n")
	}
	return b.Bytes()[:n]
}

// BenchmarkBuild measures a whole exchange: response, request and metadata records with
// all digests. MB/s are of the body before content coding: pages per second times 25 KB.
func BenchmarkBuild(b *testing.B) {
	text := html(25_000)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(text)
	w.Close()
	for _, c := range []struct {
		name, coding string
		body         []byte
	}{{"html", "", text}, {"gzip", "gzip", z.Bytes()}} {
		b.Run(c.name, func(b *testing.B) {
			x := page("https://www.example.org/a/page", string(c.body))
			if c.coding != "" {
				x.Response.Header["Content-Encoding"] = []string{c.coding}
			}
			builder, room := newBuilder(), []byte(nil)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r, err := builder.Build(room[:0], x)
				if err != nil {
					b.Fatal(err)
				}
				room = r.Bytes
			}
			b.ReportMetric(float64(len(room)), "stored-B/op")
			b.ReportMetric(float64(len(c.body)), "body-B/op")
		})
	}
	b.Run("revisit", func(b *testing.B) {
		x := revisit("https://www.example.org/a/page", IdenticalPayload, 200)
		x.Payload, x.Response.Body = SHA1.Sum(text), nil
		builder, room := newBuilder(), []byte(nil)
		b.ReportAllocs()
		for b.Loop() {
			r, _ := builder.Build(room[:0], x)
			room = r.Bytes
		}
	})
}

// BenchmarkRead reads and verifies every record; MB/s are of the file.
func BenchmarkRead(b *testing.B) {
	builder, file := newBuilder(), []byte(nil)
	for range 100 {
		r, _ := builder.Build(file, page("https://www.example.org/a/page", string(html(25_000))))
		file = r.Bytes
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		z := NewReader(bytes.NewReader(file), "x")
		for {
			r, err := z.Next()
			if err == io.EOF {
				break
			}
			if err != nil || r.Verify() != nil {
				b.Fatal(err)
			}
		}
	}
}
