package stats

import (
	"context"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// An Overlap is what two snapshots of a web have in common (L10). Links are
// counted only between pages that both have: the others come and go with their
// pages.
type Overlap struct {
	PagesKept int64 `json:"pages_kept" show:"pages kept"` // in both
	PagesGone int64 `json:"pages_gone" show:"pages gone"` // in the old one only
	PagesNew  int64 `json:"pages_new" show:"pages new"`   // in the new one only
	LinksKept int64 `json:"links_kept" show:"links kept" remark:"between pages of both"`
	LinksGone int64 `json:"links_gone" show:"links gone"`
	LinksNew  int64 `json:"links_new" show:"links new"`
}

// Compare compares the out-links of an old snapshot with those of a new one, which
// has a number of pages. to says which page of the new one each old page has
// become, NoPage for none; no two have become the same.
func Compare(older graph.Sequential, to []graph.Page, pages int, newer graph.Reader) Overlap {
	var o Overlap
	common := newSet(pages)
	for _, q := range to {
		if q == graph.NoPage {
			o.PagesGone++
		} else if common.add(q) {
			o.PagesKept++
		}
	}
	o.PagesNew = int64(pages) - o.PagesKept
	var was, is []graph.Page
	for c := older.Scan(0, graph.Page(len(to))); c.Next(); {
		p := to[c.Page()]
		if p == graph.NoPage {
			continue
		}
		was = translate(was[:0], c.List(), to)
		is = is[:0]
		for _, q := range newer.List(p) {
			if common.has(q) {
				is = append(is, q)
			}
		}
		kept := inBoth(was, is)
		o.LinksKept += kept
		o.LinksGone += int64(len(was)) - kept
		o.LinksNew += int64(len(is)) - kept
	}
	return o
}

// translate appends the links in the numbers of the new snapshot, ascending,
// without those to pages that are gone.
func translate(dst []graph.Page, list, to []graph.Page) []graph.Page {
	for _, q := range list {
		if to[q] != graph.NoPage {
			dst = append(dst, to[q])
		}
	}
	if !slices.IsSorted(dst) {
		slices.Sort(dst)
	}
	return dst
}

// inBoth is the size of the intersection of two ascending lists.
func inBoth(a, b []graph.Page) (n int64) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			n, i, k = n+1, i+1, k+1
		}
	}
	return n
}

// Match returns for each page of an older snapshot the page of the newer one that it has
// become, or graph.NoPage. Pages are the same by "url" if both graphs know URLs, else by
// "id". Of pages that share a URL the first stands for all.
func Match(ctx context.Context, older, newer *graph.Graph) (to []graph.Page, by string, err error) {
	if by = "id"; older.HasURLs() && newer.HasURLs() {
		by = "url"
	}
	to = make([]graph.Page, older.Pages())
	var url []byte
	for p := range graph.Page(older.Pages()) {
		if p%4096 == 0 && ctx.Err() != nil {
			return nil, by, ctx.Err()
		}
		q, ok := graph.NoPage, false
		if by == "id" {
			q, ok = newer.ByID(older.ID(p))
		} else {
			url = older.AppendURL(url[:0], p)
			if first, _ := older.Lookup(string(url)); first == p {
				q, ok = newer.Lookup(string(url))
			}
		}
		if !ok {
			q = graph.NoPage
		}
		to[p] = q
	}
	return to, by, nil
}
