package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// graphs and frontiers are groups of packages that several rows of the table share.
var (
	graphs    = []string{"graph", "graph/rank"}
	frontiers = append([]string{"event", "frontier", "policy", "queue", "score", "topic"}, graphs...)
)

// arrows says what each package may import of ours, by path inside the module.
// Packages named by the design that do not exist yet stand here already.
var arrows = map[string][]string{
	"graph":               {"graph/bv", "internal/extsort", "internal/input"},
	"graph/bv":            {},
	"graph/parquet":       {"graph"},
	"graph/pagelist":      {"graph", "internal/hint", "internal/input"},
	"graph/rank":          {"graph", "graph/rank/kernel"},
	"graph/rank/kernel":   {"graph"}, // reads without bounds checks, which passive packages must not
	"graph/stats":         append([]string{"internal/plot", "internal/show"}, graphs...),
	"event":               {"graph"},
	"urltable":            {"graph"},
	"freshness":           {"graph"},
	"queue":               {"graph"},
	"topic":               {"event", "graph"},
	"policy":              append([]string{"event", "queue", "score", "policy/boost", "policy/focused", "policy/group", "policy/hindsight", "policy/mix", "policy/order"}, graphs...),
	"policy/boost":        {"graph"},
	"score":               {"graph"},
	"score/files":         {"internal/input", "score"},
	"advise":              append([]string{"score"}, graphs...),
	"policy/group":        {"graph", "policy/order", "score"},
	"policy/hindsight":    {"graph"},
	"policy/linear":       {"graph"},
	"policy/policytest":   frontiers,
	"frontier":            {"event", "graph", "policy", "queue", "score", "topic"},
	"journal":             {"event", "graph", "internal/disk"},
	"sim":                 append([]string{"exchange", "keep", "advise", "freshness", "trouble"}, frontiers...),
	"keep":                {"graph"},
	"trouble":             {"event", "graph", "policy"},
	"crawl":               append([]string{"crawl/port", "exchange", "advise", "freshness", "urltable", "journal", "crawl/checkpoint", "crawl/compact", "crawl/config", "crawl/control", "crawl/history", "crawl/index", "crawl/layout", "crawl/notice", "crawl/past", "crawl/remote", "crawl/remote/s3", "crawl/state", "internal/hint", "crawl/fetch", "crawl/focus", "crawl/gather", "crawl/page", "crawl/render", "crawl/render/browser", "crawl/render/offline", "crawl/requisite", "crawl/robots", "crawl/archive", "crawl/near", "crawl/snapshot", "crawl/trap", "crawl/visit", "crawl/worth", "trouble", "internal/disk"}, frontiers...),
	"crawl/config":        {"advise", "crawl/fetch", "crawl/gather", "crawl/page", "crawl/remote", "crawl/robots", "freshness", "frontier", "graph", "internal/hint", "internal/show", "policy", "score", "topic"},
	"crawl/layout":        {"crawl/archive", "internal/disk", "internal/hint", "journal"},
	"crawl/remote":        {"crawl/archive", "internal/disk", "internal/hint"},
	"crawl/remote/s3":     {"crawl/remote", "internal/hint"},
	"crawl/remote/s3test": {},
	"crawl/history":       append([]string{"crawl/archive", "crawl/config", "crawl/fetch", "crawl/gather", "crawl/layout", "crawl/page", "crawl/remote", "crawl/render", "crawl/requisite", "crawl/robots", "crawl/snapshot", "crawl/state", "crawl/visit", "internal/disk", "internal/hint", "journal", "trouble", "urltable"}, frontiers...),
	"crawl/state":         append([]string{"exchange", "exchange/suffix", "keep", "freshness", "policy/group", "crawl/archive", "crawl/config", "crawl/content", "crawl/gather", "crawl/layout", "crawl/naming", "crawl/number", "crawl/page", "crawl/render", "crawl/requisite", "crawl/robots", "crawl/snapshot", "crawl/trap", "crawl/visit", "internal/disk", "journal", "trouble", "urltable"}, frontiers...),
	"crawl/focus":         {"crawl/config", "crawl/gather", "crawl/history", "crawl/layout", "crawl/page", "crawl/remote", "crawl/state", "event", "frontier", "graph", "internal/disk", "internal/hint", "internal/input", "topic"},
	"crawl/worth":         {"crawl/config", "crawl/state", "internal/hint", "score", "score/files"},
	"crawl/past":          {"crawl/config", "crawl/gather", "crawl/recut", "crawl/state", "event", "policy", "urltable", "crawl/history", "crawl/layout", "crawl/page", "graph", "graph/rank", "internal/hint", "internal/input"},
	"crawl/stored":        {"crawl/archive", "crawl/fetch", "crawl/history", "crawl/layout", "crawl/page", "crawl/remote", "crawl/remote/s3", "graph", "internal/disk", "internal/hint"},
	"crawl/stored/text":   {"crawl/page", "crawl/stored", "internal/show"},
	"crawl/stored/wacz":   {"crawl/stored", "crawl/stored/text"},
	"crawl/follow":        append([]string{"crawl/recut", "crawl/config", "crawl/history", "crawl/layout", "crawl/state", "crawl/trap", "journal"}, frontiers...),
	"dashboard":           {"crawl/control", "crawl/explain", "crawl/follow", "crawl/history", "crawl/page", "crawl/state", "crawl/stored", "crawl/stored/replay", "crawl/trap", "event", "frontier", "graph", "internal/hint", "internal/plot", "internal/show", "internal/terminal", "internal/wording", "journal"},
	"crawl/metrics":       {"crawl/history", "event", "internal/show"},
	"crawl/notice":        {"internal/hint", "crawl/page"},
	"crawl/control":       {"crawl/config", "crawl/page", "internal/hint"},
	"crawl/compact":       {"crawl/archive", "crawl/index", "crawl/state", "event", "graph", "internal/disk", "journal"},
	"crawl/index":         {"crawl/archive", "crawl/layout"},
	"crawl/content":       {"crawl/gather", "crawl/naming", "crawl/near", "crawl/page", "event", "graph", "journal", "urltable"},
	"crawl/naming":        {"crawl/page", "graph", "urltable"},
	"crawl/near":          {"graph"},
	"crawl/number":        {"crawl/robots", "graph"},
	"crawl/snapshot":      {"internal/disk"},
	"crawl/visit":         {"crawl/archive", "event", "graph", "journal"},
	"crawl/requisite":     {"event", "graph", "trouble", "urltable"},
	"crawl/trap":          {"event", "graph", "urltable"},
	"crawl/explain":       append([]string{"crawl/config", "crawl/gather", "crawl/history", "crawl/page", "crawl/state", "crawl/trap", "internal/show", "journal", "trouble"}, frontiers...),
	"crawl/fetch":         {"event", "graph"},
	"crawl/gather":        {"event", "graph", "topic", "urltable", "crawl/fetch", "crawl/page", "crawl/robots", "crawl/archive"},
	"crawl/page":          {"event", "graph"},
	"crawl/robots":        {},
	"crawl/archive":       {"graph", "internal/disk"},
	"lab":                 append([]string{"exchange/suffix", "freshness", "lab/measure", "lab/revisit", "sim", "internal/plot", "internal/show"}, frontiers...),
	"lab/live":            {"crawl/recut", "crawl/layout", "advise", "freshness", "lab/revisit", "crawl/config", "crawl/history", "crawl/state", "crawl/trap", "event", "graph", "internal/hint", "internal/plot", "frontier", "graph/stats", "internal/show", "internal/wording", "journal", "lab", "lab/measure", "policy", "score", "sim", "topic", "trouble"},
	"lab/topical":         {"event", "fakeweb", "fakeweb/answer", "fakeweb/subject", "graph", "graph/rank", "lab", "sim", "topic"},
	"lab/oracle":          {"graph", "graph/pagelist", "graph/rank", "internal/show", "lab", "lab/measure", "score"},
	"lab/demo":            {"graph", "crawl/config", "fakeweb", "fakeweb/answer", "fakeweb/count", "fakeweb/serve", "internal/show"},
	"lab/measure":         append([]string{"score"}, graphs...),
	"lab/forecast":        {"advise", "graph", "graph/rank", "internal/show", "lab/measure", "policy", "sim"},
	"lab/leaderboard":     {"internal/plot", "internal/show", "lab/measure"},
	"lab/revisit":         {"freshness", "graph", "internal/input", "policy"},
	"lab/papers":          {"lab/boards", "lab/experiment", "lab/papers/castillo04", "lab/papers/cho98", "lab/papers/najork01", "lab/papers/wire02"},
	"bench":               {anything}, // measures everything, nothing imports it
	"bench/peers":         {},         // a module of its own: it starts the binary
	"fakeweb":             {"graph", "fakeweb/internal/draw", "fakeweb/internal/padded", "fakeweb/subject"},
	"fakeweb/answer":      {"fakeweb/scripted", "graph", "fakeweb", "fakeweb/internal/draw", "fakeweb/internal/language", "fakeweb/internal/padded", "fakeweb/internal/poisson", "fakeweb/internal/press", "fakeweb/shown", "fakeweb/subject"},
	"fakeweb/count":       {"graph", "fakeweb", "fakeweb/answer", "fakeweb/subject"},
	"fakeweb/serve":       {"graph", "fakeweb", "fakeweb/answer", "fakeweb/count"},
	"examples/embed":      {"crawl", "crawl/config", "crawl/page"}, // as a program of somebody else: no internal package
	"examples/policy":     {"event", "fakeweb", "graph", "lab", "lab/measure", "policy", "sim"},
	"examples/ranks":      graphs,
	"internal/console":    {"crawl", "crawl/config", "graph", "graph/rank", "internal/hint", "internal/manual", "internal/show", "internal/spelling", "internal/terminal"},
	"internal/data":       {},
	"internal/disk":       {},
	"internal/extsort":    {},
	"internal/hint":       {},
	"internal/hook":       {},
	"internal/input":      {},
	"internal/lint":       {},
	"internal/machine":    {"graph"},
	"internal/manual":     {},
	"internal/plot":       {},
	"internal/rapidtest":  {},
	"internal/result":     {},
	"internal/show":       {"internal/plot"},
	"internal/spelling":   {},
	"internal/terminal":   {"crawl/recut", "crawl/config", "crawl/explain", "crawl/fetch", "crawl/gather", "crawl/history", "crawl/render", "crawl/robots", "crawl/state", "event", "fakeweb/count", "internal/hint", "internal/plot", "internal/show", "internal/wording", "policy"},
	"internal/version":    {},
	"internal/wording":    {"crawl/config", "crawl/explain", "crawl/history", "crawl/remote", "crawl/state", "crawl/trap", "event", "internal/show"},
	"cmd/winnow":          {anything}, // everything is wired together there and only there
	"cmd/winnow/graphs":   {anything}, // verbs of it

	"fakeweb/shown":                 {},
	"fakeweb/subject":               {},
	"fakeweb/internal/draw":         {},
	"fakeweb/internal/language":     {"fakeweb/internal/draw"},
	"fakeweb/internal/padded":       {},
	"fakeweb/internal/poisson":      {"fakeweb/internal/draw"},
	"fakeweb/internal/press":        {},
	"lab/experiment":                append([]string{"fakeweb", "fakeweb/answer", "graph/stats", "lab", "lab/leaderboard", "lab/measure", "lab/oracle", "lab/revisit", "lab/topical", "sim", "internal/plot", "internal/show"}, frontiers...),
	"lab/experiment/experimenttest": append([]string{"fakeweb", "lab", "lab/experiment", "lab/measure", "sim", "internal/show"}, frontiers...),
	"lab/boards":                    append([]string{"advise", "fakeweb", "freshness", "lab", "lab/experiment", "lab/forecast", "lab/leaderboard", "lab/measure", "lab/revisit", "sim", "internal/plot", "internal/show"}, frontiers...),
	"lab/papers/castillo04":         append([]string{"graph/stats", "lab", "lab/experiment", "lab/measure", "sim", "internal/plot", "internal/show"}, frontiers...),
	"lab/papers/cho98":              append([]string{"fakeweb", "lab", "lab/experiment", "lab/measure", "lab/topical", "sim", "internal/plot", "internal/show"}, frontiers...),
	"lab/papers/najork01":           append([]string{"lab", "lab/experiment", "lab/measure", "sim", "internal/plot", "internal/show"}, frontiers...),
	"lab/papers/wire02":             {"sim", "lab/measure", "freshness", "internal/plot", "internal/show", "lab/experiment", "lab/revisit"},
	"crawl/stored/replay":           {"crawl/page"},
	"crawl/render":                  {"graph", "journal"},
	"crawl/render/browser":          {},
	"crawl/render/offline":          {"crawl/archive", "crawl/fetch", "crawl/gather", "crawl/page", "crawl/render", "crawl/render/browser", "event", "graph", "internal/disk", "journal"},
	"fakeweb/scripted":              {},
	"exchange":                      {},
	"crawl/checkpoint":              {"crawl/layout", "crawl/snapshot", "crawl/state", "graph"},
	"exchange/suffix":               {},
	"crawl/recut":                   {"crawl/archive", "crawl/config", "crawl/history", "crawl/layout", "crawl/remote", "crawl/remote/s3", "crawl/requisite", "crawl/state", "event", "exchange", "exchange/suffix", "frontier", "graph", "internal/disk", "internal/hint", "journal", "urltable"},
	"crawl/port":                    {"crawl/fetch", "crawl/gather", "crawl/history", "crawl/layout", "crawl/page", "crawl/state", "event", "exchange", "journal"},
	"crawl/partition":               {"advise", "crawl/config", "crawl/control", "crawl", "crawl/fetch", "crawl/gather", "crawl/history", "crawl/layout", "crawl/page", "crawl/port", "exchange", "exchange/suffix", "internal/disk", "internal/hint"},
	"crawl/member":                  {"cluster", "cluster/nats", "crawl", "crawl/history", "crawl/layout", "crawl/node", "internal/disk", "internal/hint"},
	"crawl/move":                    {"cluster", "cluster/files", "cluster/roster", "crawl/archive", "crawl/config", "crawl/history", "crawl/index", "crawl/layout", "crawl/node", "crawl/remote", "event", "internal/disk", "internal/hint", "journal"},
	"cluster/files":                 {"cluster", "internal/disk"},
	"crawl/node":                    {"cluster", "cluster/files", "cluster/roster", "crawl", "crawl/archive", "crawl/config", "crawl/history", "crawl/layout", "crawl/partition", "crawl/port", "crawl/snapshot", "event", "exchange/suffix", "internal/disk", "internal/hint", "journal"},
	"cluster":                       {"cluster/roster"},
	"cluster/roster":                {},
	"cluster/memory":                {"cluster"},
	"cluster/clustertest":           {"cluster"},
	"cluster/nats":                  {"cluster"},
	"policy/order":                  {"event", "graph", "queue", "score", "topic"},
	"policy/mix":                    {"event", "graph", "policy/order", "queue", "score"},
	"policy/focused":                {"event", "graph", "policy/group", "policy/linear", "policy/mix", "policy/order", "score"},
}

// anything in the table of arrows allows every package of ours.
const anything = "..."

// passive lists the packages that see nothing of the machine. graph/rank solves in
// parallel all the same: graph.Parallel holds the goroutines and fixes the order
// of its blocks, so that no exception is needed here.
var passive = []string{"event", "exchange", "exchange/suffix", "queue", "policy", "policy/boost", "policy/focused", "policy/group", "policy/hindsight", "policy/mix", "policy/order", "score", "topic", "frontier", "freshness", "graph/rank", "sim", "trouble", "urltable", "crawl/content", "crawl/naming", "crawl/near", "crawl/number", "crawl/render", "crawl/requisite", "crawl/state", "crawl/trap", "crawl/visit", "lab/measure", "advise", "keep", "policy/linear", "cluster/roster"}

// forbiddenImports are closed to passive packages, each with all packages below it.
var forbiddenImports = map[string]string{
	"net":               "it reaches the network",
	"os":                "it reaches files and the environment",
	"sync":              "a passive package has one owner and needs no lock",
	"syscall":           "it reaches the system",
	"golang.org/x/sys":  "it reaches the system",
	"unsafe":            "memory outside the heap belongs to graph.Column",
	"log":               "core packages do not log, they return",
	"crypto/rand":       "randomness is a hash of (seed, page, n)",
	"hash/maphash":      "its seed differs between runs",
	"C":                 "it leaves Go",
	"golang.org/x/sync": "a passive package starts no goroutines",
}

// clock lists the functions of package time that read or wait for the clock.
var clock = []string{"Now", "Sleep", "After", "AfterFunc", "Since", "Until", "Tick", "NewTicker", "NewTimer"}

// seeded lists what math/rand and math/rand/v2 offer without their global generator.
var seeded = []string{"New", "NewSource", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}

// layers checks all Go files of the tree except test files and gives one line
// for each violation, in the order of the tree.
func layers(tree fs.FS, module string) ([]string, error) {
	var found []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (d.Name()[0] == '.' || d.Name()[0] == '_' || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		lines, err := checkFile(tree, module, name)
		found = append(found, lines...)
		return err
	})
	return found, err
}

// file is one source file under examination.
type file struct {
	pkg     string // path of its package inside the module
	fset    *token.FileSet
	ast     *ast.File
	imports map[string]string // local name to import path
	found   []string
}

func checkFile(tree fs.FS, module, name string) ([]string, error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	f := &file{pkg: path.Dir(name), fset: token.NewFileSet(), imports: map[string]string{}}
	if f.ast, err = parser.ParseFile(f.fset, name, src, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	f.checkArrows(module)
	if slices.Contains(passive, f.pkg) {
		f.checkImports()
		ast.Inspect(f.ast, f.checkNode)
	}
	return f.found, nil
}

func (f *file) reportf(at token.Pos, format string, args ...any) {
	f.found = append(f.found, fmt.Sprintf("%s: ", f.fset.Position(at))+fmt.Sprintf(format, args...))
}

// checkArrows looks at imports of our own packages.
func (f *file) checkArrows(module string) {
	allowed, known := arrows[f.pkg]
	if !known {
		f.reportf(f.ast.Package, "package %s is not in the table of internal/lint/rules_test.go: add it with what it may import", f.pkg)
		return
	}
	for _, spec := range f.ast.Imports {
		ours, ok := strings.CutPrefix(importPath(spec), module+"/")
		if ok && !slices.Contains(allowed, ours) && !slices.Contains(allowed, anything) {
			f.reportf(spec.Pos(), "%s must not import %s", f.pkg, ours)
		}
	}
}

// checkImports looks at the imports of a passive package and notes their names.
func (f *file) checkImports() {
	for _, spec := range f.ast.Imports {
		p := importPath(spec)
		if reason, at := forbidden(p); reason != "" {
			f.reportf(spec.Pos(), "%s is passive and must not import %s (%s): %s", f.pkg, p, at, reason)
		}
		switch {
		case spec.Name == nil:
			f.imports[packageName(p)] = p
		case spec.Name.Name == ".":
			f.reportf(spec.Pos(), "%s is passive and must not import %s with a dot: its functions could not be told apart", f.pkg, p)
		default:
			f.imports[spec.Name.Name] = p
		}
	}
}

// forbidden finds the rule against an import: the path itself or one above it. net/netip
// holds values and reaches nothing.
func forbidden(p string) (reason, at string) {
	if p == "net/netip" {
		return "", ""
	}
	for at = p; at != "."; at = path.Dir(at) {
		if reason = forbiddenImports[at]; reason != "" {
			return reason, at
		}
	}
	return "", ""
}

// checkNode looks for goroutines, the clock and global randomness.
func (f *file) checkNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		f.reportf(n.Pos(), "%s is passive and must not start goroutines", f.pkg)
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			f.checkMention(n.Pos(), f.imports[x.Name], n.Sel.Name)
		}
	}
	return true
}

func (f *file) checkMention(at token.Pos, pkg, name string) {
	switch pkg {
	case "time":
		if slices.Contains(clock, name) {
			f.reportf(at, "%s is passive and must not mention time.%s: time is handed in", f.pkg, name)
		}
	case "math/rand", "math/rand/v2":
		if !slices.Contains(seeded, name) {
			f.reportf(at, "%s is passive and must not mention rand.%s: it uses the global generator", f.pkg, name)
		}
	}
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has accepted it, so this does not happen
	}
	return p
}

// packageName is the name an import without one of its own goes by: the last part
// of the path that is not a version.
func packageName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		return path.Base(path.Dir(p))
	}
	return base
}
