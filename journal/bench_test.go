package journal

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// typical are the records of a page of a live crawl: handed out, and done with 20 links,
// 5 of them to new pages, without and with anchors of two or three words.
func typical() []Record {
	took := Record{Seq: 1e6, Now: 1e15, Event: event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 99, Page: 1e6}}}
	took.Facts = Facts{Clock: 1e15 - 5, Address: 300, Conn: 1e6}
	done := Record{Seq: 1e6, Now: 1e15, First: 2e6, Event: event.Event{
		Kind: event.Done, Task: event.Task{Page: 1e6}, Start: 1e15 - 3e8, End: 1e15 - 1e6, Bytes: 12345}}
	for i := range 20 {
		done.Event.Links = append(done.Event.Links, graph.Page(1e6+i*i*77%5000))
	}
	done.Facts = Facts{Status: 200, Place: Place{3, 4e8, 4000}, Size: 30000, Media: "text/html", Title: "A title of about thirty bytes",
		Phases: [3]time.Duration{20012345, 30004567, 100000999}, Digest: [16]byte{1}, SimHash: 1 << 62, Payload: make([]byte, 21)}
	for i := range 5 {
		done.Event.New = append(done.Event.New, 99)
		done.Facts.Names.Add(nil, fmt.Appendf(nil, "/docs/chapter/page%d.html", i*37))
	}
	anchored := done
	for i := range done.Event.Links {
		a := event.Anchor{Words: event.Words{uint16(i + 1), 500}, Region: event.Content}
		if i%2 == 0 {
			a.Words[2] = 1000
		}
		anchored.Event.Anchors = append(anchored.Event.Anchors, a)
	}
	return []Record{took, done, anchored}
}

func BenchmarkEncode(b *testing.B) {
	for _, r := range typical() {
		b.Run(fmt.Sprintf("%v-%d", r.Event.Kind, len(r.Event.Anchors)), func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = Encode(buf[:0], &r)
			}
			b.ReportMetric(float64(len(buf)), "B/record")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, r := range typical() {
		b.Run(fmt.Sprintf("%v-%d", r.Event.Kind, len(r.Event.Anchors)), func(b *testing.B) {
			buf := Encode(nil, &r)
			var got Record
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(buf, &got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
