package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/score/files"
)

// scoreOptions are the flags that say what pages are worth.
type scoreOptions struct {
	text, file    string // the expression, or a file with it
	values, rules string // files for the terms imported and location
}

func (o *scoreOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.text, "score", "", "expression by which the policy score orders pages, such as '0.7*q(pagerank) + 0.3*(site_links > 10)'; selects that policy unless --policy is given (docs/score.md)")
	f.StringVar(&o.file, "score-file", "", "file with the expression of --score")
	f.StringVar(&o.values, "import-values", "", `file of "URL, prefix, site or host TAB value" for the term imported`)
	f.StringVar(&o.rules, "location-rules", "", `file of rules such as "+1 suffix .edu" for the term location`)
}

// function returns the function of --score or --score-file, nil if there is none.
func (o *scoreOptions) function(u *ui) (*score.Function, error) {
	if o.file == "" {
		if o.text == "" {
			return nil, nil
		}
		f, err := score.Compile(o.text)
		return f, u.explainScore("--score", o.text, err)
	}
	if o.text != "" {
		return nil, withHint(usagef("--score and --score-file are both given"), "try: %s", u.withoutFlag("--score-file"))
	}
	text, err := os.ReadFile(o.file)
	if err != nil {
		return nil, fmt.Errorf("--score-file: %w", err)
	}
	f, err := score.Compile(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("--score-file %s: %w", o.file, u.explainScore("", "", err))
	}
	o.text = f.String()
	return f, nil
}

// explainScore adds to the error of an expression, given by a flag, what can be done about it.
func (u *ui) explainScore(flag, text string, err error) error {
	var wrong *score.Error
	if !errors.As(err, &wrong) {
		return err
	}
	if flag != "" {
		err = usagef("%s: %w", flag, err)
	}
	near, ok := nearest(wrong.Name, wrong.Known)
	switch {
	case wrong.Name != "" && ok && flag != "":
		letters := []rune(text)
		right := string(letters[:wrong.Column-1]) + near + string(letters[wrong.Column-1+len([]rune(wrong.Name)):])
		return withHint(err, "try: %s", u.withFlag(flag, right))
	case wrong.Name != "" && ok:
		return withHint(err, "did you mean %s?", near)
	case wrong.Name != "":
		return withHint(err, "there are %s", strings.Join(wrong.Known, ", "))
	}
	return withHint(err, "an expression is such as 0.7*q(pagerank) + 0.3*(site_links > 10)")
}

// provide gives the functions the values and rules of the files.
func (o *scoreOptions) provide(fs ...*score.Function) error {
	fs = slices.DeleteFunc(fs, func(f *score.Function) bool { return f == nil })
	uses := func(t score.Term) bool {
		return slices.ContainsFunc(fs, func(f *score.Function) bool { return f.Uses(t) })
	}
	switch {
	case o.values != "" && !uses(score.Import):
		return usagef("--import-values: no expression has the term %s", score.Import)
	case o.rules != "" && !uses(score.Location):
		return usagef("--location-rules: no expression has the term %s", score.Location)
	case o.values == "" && uses(score.Import):
		return withHint(usagef("the term %s needs values", score.Import), "give them with --import-values FILE")
	}
	values, err := files.Imported(o.values)
	if err != nil {
		return fmt.Errorf("--import-values: %w", err)
	}
	rules, err := files.Rules(o.rules)
	if err != nil {
		return fmt.Errorf("--location-rules: %w", err)
	}
	for _, f := range fs {
		if f.Imported = values; rules != nil {
			f.Rules = rules
		}
	}
	return nil
}

// readScores reads --score, an --oracle that is an expression, and what they need.
func (o *simOptions) readScores(u *ui) (err error) {
	if o.setting.Score, err = o.score.function(u); err != nil {
		return err
	}
	switch {
	case slices.Contains([]string{measure.PageRankMetric, measure.BacklinksMetric, oracleNone, ""}, o.oracle) || exists(o.oracle):
	default:
		f, err := score.CompilePlaces(o.oracle)
		if err == nil {
			o.combined = f
		} else if strings.ContainsAny(o.oracle, "*+(") {
			return u.explainScore("--oracle", o.oracle, err)
		}
	}
	return o.score.provide(o.setting.Score, o.combined)
}

// ordersByScore reports whether a policy, or a part of it, is score.
func ordersByScore(name string) bool {
	c, err := policy.Choose(name)
	return err == nil && (c.Spec.Name == "score" || slices.ContainsFunc(c.Parts, func(p policy.Part) bool { return p.Spec.Name == "score" }))
}
