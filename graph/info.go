package graph

import (
	"fmt"
	"io"
	"os"
)

// Info is what the header of a graph file says: counts, and how many bytes they
// take. Indexes for random access are counted with what they index.
type Info struct {
	Pages         int   `json:"pages" show:"pages"`
	Links         int64 `json:"links" show:"links" remark:"{/Pages} a page"`
	Sites         int   `json:"sites" show:"sites,if=SitesKnown"`
	SitesKnown    bool  `json:"sites_known" show:"sites,unless" remark:"not known: every page counts as one"` // false: every page counts as a site
	SelfLinks     int64 `json:"self_links" show:"self-links"`
	BytesForward  int64 `json:"bytes_forward" show:"out-links,bytes" remark:"{/Links.3} bytes a link"`
	BytesBackward int64 `json:"bytes_backward" show:"in-links,bytes" remark:"{/Links.3} bytes a link"`
	BytesURLs     int64 `json:"bytes_urls" show:"URLs,bytes omitzero" remark:"{/Pages} bytes a page"`
	BytesFile     int64 `json:"bytes_file" show:"file,bytes"`
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
