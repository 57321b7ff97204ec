package main

import (
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/graph/rank"
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

// store returns where importance is kept, nil for nowhere.
func (u *ui) store(dir string) (*oracle.Store, error) {
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
		return func(file, hash string) { u.verbosef("importance %s %s, sha256 %s", verb, file, hash) }
	}
	return &oracle.Store{Dir: dir, Least: oracle.DefaultLeast, Used: tell("from"), Kept: tell("kept in")}, nil
}

// settleOracle lets the importance of --oracle take the place of that of the papers.
func (o *labOptions) settleOracle(u *ui) (err error) {
	if o.Store, err = u.store(o.cache); err != nil || o.oracle == "" {
		return err
	}
	src := &oracle.Source{Name: o.oracle, Store: o.Store, Note: u.notef}
	if !oracle.IsName(o.oracle) && !exists(o.oracle) {
		if src.Function, err = score.Compile(files.Explicit(o.oracle, "")); err != nil {
			return withHint(u.explainScore("--oracle", o.oracle, err), "it takes %s, a file of values, or an expression such as 0.7*pagerank+0.3*backlinks", orList(rank.MetricNames()))
		}
		if err := files.Check("", "", src.Function); err != nil {
			return u.explainFiles("", err)
		}
	}
	o.Take(src)
	return nil
}

// writeFindings writes the page of all findings so far, and returns its last word.
func (o *labOptions) writeFindings(u *ui) (verdict string, err error) {
	if o.Found == nil {
		return "", nil
	}
	out, err := result.Create(o.findings, u.stdout)
	if err != nil {
		return "", hintDir(err, o.findings)
	}
	defer out.Discard()
	rep := o.Found.Report(o.Places)
	if err := rep.WriteMarkdown(out, func(int) string { return "" }); err != nil {
		return "", out.Wrap(err)
	}
	return rep.Verdict, out.Commit()
}
