package main

import (
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/lab/oracle"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/score/files"
)

const (
	cacheAuto = "auto"
	cacheNone = "none"
)

func addCacheFlag(f *pflag.FlagSet, dir *string) {
	f.StringVar(dir, "oracle-cache", cacheAuto, "directory where the importance of graphs with 100,000 links or more is kept; auto: below that of this user for such files; none: it is computed in each run")
}

// storeOf returns where importance is kept, nil for nowhere.
func storeOf(u *console.UI, dir string) (*oracle.Store, error) {
	if dir == cacheNone {
		return nil, nil
	}
	if dir == cacheAuto {
		var err error
		if dir, err = oracle.DefaultDir(); err != nil {
			return nil, nil // this user has no place for it
		}
	}
	tell := func(verb string) func(file, hash string) {
		return func(file, hash string) { u.Verbosef("importance %s %s, sha256 %s", verb, file, hash) }
	}
	return &oracle.Store{Dir: dir, Least: oracle.DefaultLeast, Used: tell("from"), Kept: tell("kept in")}, nil
}

// settleOracle lets the importance of --oracle take the place of that of the papers.
func (o *labOptions) settleOracle(u *console.UI) (err error) {
	if o.Store, err = storeOf(u, o.cache); err != nil || o.oracle == "" {
		return err
	}
	src := &oracle.Source{Name: o.oracle, Store: o.Store, Note: u.Notef}
	if !oracle.IsName(o.oracle) && !exists(o.oracle) {
		if src.Function, err = score.Compile(files.Explicit(o.oracle, "")); err != nil {
			return console.WithHint(explainScore(u, "--oracle", o.oracle, err), "it takes %s, a file of values, or an expression such as 0.7*pagerank+0.3*backlinks", console.OrList(rank.MetricNames()))
		}
		if err := files.Check("", "", src.Function); err != nil {
			return explainFiles(u, "", err)
		}
	}
	o.Take(src)
	return nil
}

// writeFindings writes the page of all findings so far, and returns its last word.
func (o *labOptions) writeFindings(u *console.UI) (verdict string, err error) {
	if o.Found == nil {
		return "", nil
	}
	out, err := result.Create(o.findings, u.Stdout)
	if err != nil {
		return "", graphs.HintDir(err, o.findings)
	}
	defer out.Discard()
	rep := o.Found.Report(o.Places)
	if err := rep.WriteMarkdown(out, func(int) string { return "" }); err != nil {
		return "", out.Wrap(err)
	}
	return rep.Verdict, out.Commit()
}
