package graph

import (
	"fmt"
	"io"
	"os"
)

// Info is what the header of a graph file says: counts, and how many bytes they
// take. Indexes for random access are counted with what they index.
type Info struct {
	Pages         int   `json:"pages"`
	Links         int64 `json:"links"`
	Sites         int   `json:"sites"`
	SitesKnown    bool  `json:"sites_known"` // false: every page counts as a site
	SelfLinks     int64 `json:"self_links"`
	BytesForward  int64 `json:"bytes_forward"`
	BytesBackward int64 `json:"bytes_backward"`
	BytesURLs     int64 `json:"bytes_urls"`
	BytesFile     int64 `json:"bytes_file"`
}

// ReadInfo reads the header of a graph file and nothing else: neither time nor
// memory depends on the size of the graph. What the header says of the rest is not
// verified; Open does that.
func ReadInfo(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("open graph: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("open graph %q: %w", path, err)
	}
	var first [headerSize]byte
	n, err := f.ReadAt(first[:], 0)
	if err != nil && err != io.EOF {
		return Info{}, fmt.Errorf("open graph %q: %w", path, err)
	}
	h, err := decodeHeader(first[:n], uint64(st.Size()))
	if err != nil {
		return Info{}, fmt.Errorf("open graph %q: %w", path, err)
	}
	return (&Graph{h: h}).Info(), nil
}

// Info is what the header says.
func (g *Graph) Info() Info {
	_, sites := g.h.section(secSiteOf)
	return Info{
		Pages: g.Pages(), Links: g.Links(), Sites: g.Sites(), SitesKnown: sites, SelfLinks: g.SelfLinks(),
		BytesForward:  g.SectionBytes(secForward),
		BytesBackward: g.SectionBytes(secBackward),
		BytesURLs:     g.BytesURLs(),
		BytesFile:     int64(g.h.size),
	}
}
