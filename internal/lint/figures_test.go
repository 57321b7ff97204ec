package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A figure is a drawing of the code: boxes are types and functions of it, and an arrow means that
// the code of one names something of the other. The drawing has the first sentence of the comment
// of each, so that neither names nor words can differ from the code.
type figure struct {
	file, title string
	boxes       []box
	arrows      []arrow
}

// A box is a type, with its methods, or a function or a field: "crawl.loop", "queue.Queue.offers".
type box struct {
	name     string // of the papers
	symbol   string // package path, a dot, and the rest
	col, row int
}

// An arrow says that the code of a box names something.
type arrow struct {
	from, to int
	names    string // an identifier in the code of the first
	label    string
}

// figures returns the five figures of WIRE and figure 4.1 of the thesis, as this crawler has them.
func figures() []figure {
	return []figure{
		{"figure-wire-1", "WIRE, figure 1: the modules", []box{
			{"the loop: one owner", "crawl.loop", 1, 0},
			{"seeder: seen before?", "urltable.Table", 0, 1},
			{"manager: which page, when", "frontier.Frontier", 1, 1},
			{"order of the pages", "policy/order.Policy", 2, 1},
			{"harvester: fetches", "crawl.harvester", 0, 2},
			{"gatherer: parses", "crawl/gather.Gatherer", 1, 2},
			{"writes what was decided", "crawl.committer", 2, 2},
		}, []arrow{
			{0, 2, "Frontier", "hands out"}, {0, 1, "Table", "numbers links"}, {2, 3, "policies", "asks"},
			{4, 5, "gatherers", "gives the answer"}, {0, 4, "crew", "tasks"}, {0, 6, "committer", "records"},
		}},
		{"figure-wire-2", "WIRE, figure 2: how a batch is chosen", []box{
			{"score of a page", "score.Function", 0, 0},
			{"freshness: rates of change", "freshness.Plan", 1, 0},
			{"gain of a visit", "freshness.round", 2, 0},
			{"when a batch is due", "frontier.batches", 0, 1},
			{"orders of the pages", "frontier.orders", 1, 1},
			{"heaps of sites and pages", "queue.Queue", 2, 1},
		}, []arrow{{1, 2, "round", "best pages first"}, {3, 4, "orders", "best of the pool"}, {4, 5, "Queue", "kept in"}}},
		{"figure-wire-3", "WIRE, figure 3: queues of the harvesters", []box{
			{"heap of sites", "queue.Queue.offers", 0, 0},
			{"which site may be asked", "frontier.sites", 1, 0},
			{"delays of sites", "frontier.clocks", 2, 0},
			{"one task each", "crawl.crew", 0, 1},
			{"harvester", "crawl.harvester", 1, 1},
			{"answers wait here", "crawl.inbox", 2, 1},
		}, []arrow{{1, 2, "clocks", "when"}, {3, 4, "harvest", "tasks"}}},
		{"figure-wire-4", "WIRE, figure 4: storing a page", []box{
			{"gatherer", "crawl/gather.Gatherer", 0, 0},
			{"what it found", "crawl/gather.Found", 1, 0},
			{"contents seen before", "crawl/content.Texts", 2, 0},
			{"nearly the same", "crawl/near.Index", 2, 1},
			{"WARC bytes", "crawl/archive.Builder", 0, 1},
			{"one writer", "crawl/archive.Writer", 1, 1},
			{"index of the archive", "crawl/index.Indexer", 1, 2},
		}, []arrow{{0, 1, "Found", "returns"}, {0, 4, "Builder", "makes"}}},
		{"figure-wire-5", "WIRE, figure 5: the index of URLs", []box{
			{"host and path, hashed apart", "urltable.Key", 0, 0},
			{"the table", "urltable.Table", 1, 0},
			{"sites by hash", "urltable.Table.sites", 2, 0},
			{"pages by hash", "urltable.Table.pages", 2, 1},
			{"names of sites", "urltable.Table.names", 1, 1},
			{"id to URL", "urltable.Log", 0, 1},
		}, []arrow{{1, 0, "Key", "keyed hash"}, {1, 2, "sites", "a known site"}, {1, 3, "pages", "an unknown path"}, {1, 4, "names", "spelled out"}}},
		{"figure-thesis-4.1", "Thesis, figure 4.1: the two-level queue", []box{
			{"the queue", "queue.Queue", 1, 0},
			{"heap of sites", "queue.Queue.offers", 0, 1},
			{"heaps of pages", "queue.arena", 2, 1},
			{"value of each page", "queue.Queue.values", 2, 2},
			{"site and place of each page", "queue.Queue.wheres", 1, 2},
			{"best page of the best site", "frontier.Frontier.Next", 0, 2},
		}, []arrow{{0, 1, "offers", "upper level"}, {0, 2, "pages", "lower level"}, {0, 3, "values", ""}, {0, 4, "wheres", ""}}},
	}
}

// TestDrawings checks that the code has
// what the figures show, and that docs has these figures.
func TestDrawings(t *testing.T) {
	root := filepath.Join("..", "..")
	code := &source{root: root, files: map[string][]*ast.File{}}
	text, err := os.ReadFile(filepath.Join(root, "docs", "figures.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures() {
		svg, err := f.draw(code)
		if err != nil {
			t.Errorf("%s: %v", f.file, err)
			continue
		}
		name := filepath.Join(root, "docs", f.file+".svg")
		if *update {
			if err := os.WriteFile(name, []byte(svg), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(name); err != nil || string(have) != svg {
			t.Errorf("%s is not what the code draws (%v): go test ./internal/lint -run TestDrawings -update", name, err)
		}
		if !strings.Contains(string(text), f.file+".svg") {
			t.Errorf("docs/figures.md does not show %s", f.file)
		}
	}
}

// source reads packages.
type source struct {
	root  string
	fset  token.FileSet
	files map[string][]*ast.File
}

// parsed returns the files of a package, without tests.
func (s *source) parsed(dir string) ([]*ast.File, error) {
	if list, ok := s.files[dir]; ok {
		return list, nil
	}
	names, err := filepath.Glob(filepath.Join(s.root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(&s.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files[dir] = append(s.files[dir], f)
	}
	return s.files[dir], nil
}

// find returns the comment of a symbol and the identifiers of its code.
func (s *source) find(symbol string) (doc string, names []string, err error) {
	slash := strings.LastIndexByte(symbol, '/')
	pkg, rest, _ := strings.Cut(symbol[slash+1:], ".")
	name, member, _ := strings.Cut(rest, ".")
	files, err := s.parsed(symbol[:slash+1] + pkg)
	if err != nil {
		return "", nil, err
	}
	found := false
	collect := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
			return true
		})
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case member != "" && d.Name.Name == member && methodOf(d) == name:
					doc, found = d.Doc.Text(), true
					collect(d)
				case member == "" && methodOf(d) == name:
					collect(d)
				case member == "" && d.Recv == nil && d.Name.Name == name:
					doc, found = d.Doc.Text(), true
					collect(d)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					t, ok := spec.(*ast.TypeSpec)
					if !ok || t.Name.Name != name {
						continue
					}
					if member == "" {
						doc, found = cmpText(t.Doc.Text(), d.Doc.Text()), true
						collect(t)
					} else if field := fieldOf(t, member); field != nil {
						doc, found = cmpText(field.Doc.Text(), field.Comment.Text()), true
					}
				}
			}
		}
	}
	if !found {
		return "", nil, fmt.Errorf("there is no %s", symbol)
	}
	return doc, names, nil
}

func cmpText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// methodOf returns the type of which a function is a method, "" for none.
func methodOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	return receiver(d.Recv.List[0].Type)
}

func fieldOf(t *ast.TypeSpec, name string) *ast.Field {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range s.Fields.List {
		for _, id := range f.Names {
			if id.Name == name {
				return f
			}
		}
	}
	return nil
}

// Sizes of drawings, in pixels.
const (
	boxWidth, boxHeight = 250, 96
	gapX, gapY          = 70, 56
	margin, heading     = 20, 34
	noteLetters         = 42
	noteLines           = 3
)

func (b *box) at() (x, y int) {
	return margin + b.col*(boxWidth+gapX), heading + margin + b.row*(boxHeight+gapY)
}

// draw returns the figure as SVG, or an error if the code does not have what it shows.
func (f *figure) draw(code *source) (string, error) {
	var s strings.Builder
	cols, rows := 0, 0
	for _, b := range f.boxes {
		cols, rows = max(cols, b.col+1), max(rows, b.row+1)
	}
	w, h := 2*margin+cols*boxWidth+(cols-1)*gapX, heading+2*margin+rows*boxHeight+(rows-1)*gapY
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", w, h, w, h)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="#fff"/><defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>`+"\n", w, h)
	fmt.Fprintf(&s, `<text x="%d" y="%d" font-size="16" font-weight="bold">%s</text>`+"\n", margin, margin+6, html.EscapeString(f.title))
	for _, a := range f.arrows {
		_, names, err := code.find(f.boxes[a.from].symbol)
		if err != nil {
			return "", err
		}
		if !slices.Contains(names, a.names) {
			return "", fmt.Errorf("the code of %s does not name %s", f.boxes[a.from].symbol, a.names)
		}
		f.drawArrow(&s, &a)
	}
	for _, b := range f.boxes {
		doc, _, err := code.find(b.symbol)
		if err != nil {
			return "", err
		}
		b.draw(&s, doc)
	}
	s.WriteString("</svg>\n")
	return s.String(), nil
}

// drawArrow draws a line from the border of one box to that of another.
func (f *figure) drawArrow(s *strings.Builder, a *arrow) {
	x1, y1 := f.boxes[a.from].at()
	x2, y2 := f.boxes[a.to].at()
	ax, ay, bx, by := float64(x1+boxWidth/2), float64(y1+boxHeight/2), float64(x2+boxWidth/2), float64(y2+boxHeight/2)
	cut := func(x, y, tx, ty float64) (float64, float64) {
		dx, dy := tx-x, ty-y
		k := math.Min(boxWidth/2/math.Max(math.Abs(dx), 1e-9), boxHeight/2/math.Max(math.Abs(dy), 1e-9))
		return x + float64(k*dx), y + float64(k*dy)
	}
	sx, sy := cut(ax, ay, bx, by)
	ex, ey := cut(bx, by, ax, ay)
	fmt.Fprintf(s, `<path d="M%.0f %.0fL%.0f %.0f" stroke="#555" marker-end="url(#head)"/><text x="%.0f" y="%.0f" text-anchor="middle" font-size="11" fill="#555" stroke="#fff" stroke-width="4" paint-order="stroke">%s</text>`+"\n",
		sx, sy, ex, ey, (sx+ex)/2, (sy+ey)/2-4, html.EscapeString(a.label))
}

// draw draws a box with its name in the paper, its symbol and what the code says of it.
func (b *box) draw(s *strings.Builder, doc string) {
	x, y := b.at()
	fmt.Fprintf(s, `<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="#f4f7fb" stroke="#4a6fa5"/>`+"\n", x, y, boxWidth, boxHeight)
	fmt.Fprintf(s, `<text x="%d" y="%d" font-weight="bold">%s</text><text x="%d" y="%d" font-family="monospace" font-size="11" fill="#4a6fa5">%s</text>`+"\n", x+8, y+18, html.EscapeString(b.name), x+8, y+34, html.EscapeString(b.symbol))
	for i, line := range wrapped(firstSentence(doc)) {
		fmt.Fprintf(s, `<text x="%d" y="%d" font-size="11">%s</text>`+"\n", x+8, y+52+15*i, html.EscapeString(line))
	}
}

// firstSentence returns the first sentence of a comment.
func firstSentence(doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		return doc[:i+1]
	}
	return doc
}

// wrapped divides a text into lines, and leaves out what does not fit.
func wrapped(text string) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > noteLetters {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	lines = append(lines, line)
	if len(lines) > noteLines {
		lines = lines[:noteLines]
		lines[noteLines-1] += " ..."
	}
	return lines
}
