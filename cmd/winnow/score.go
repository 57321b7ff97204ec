package main

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/spelling"
	"github.com/winnow-crawler/winnow/lab/oracle"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/score/files"
)

// scoreOptions are the flags that say what pages are worth.
type scoreOptions struct {
	text, file    string // the expression, or a file with it
	values, rules string // files for the terms imported and location
}

// addFlags adds the flags with the help that the keys of a crawl have.
func (o *scoreOptions) addFlags(f *pflag.FlagSet) {
	c := config.Default()
	for _, flag := range []struct {
		key   string
		value *string
	}{{files.KeyScore, &o.text}, {files.KeyFile, &o.file}, {files.KeyValues, &o.values}, {files.KeyRules, &o.rules}} {
		k, _ := c.Key(flag.key)
		f.StringVar(flag.value, k.Flag(), "", flagHelp(&c, k))
	}
}

// function returns the function of --score or --score-file, nil if there is none.
func (o *scoreOptions) function(u *console.UI) (*score.Function, error) {
	if o.text != "" && o.file != "" {
		return nil, bothScores(u)
	}
	f, err := files.Function(files.Explicit(o.text, ""), o.file)
	if err != nil {
		return nil, explainFiles(u, o.text, err)
	}
	if f != nil {
		o.text = f.String()
	}
	return f, nil
}

func bothScores(u *console.UI) error {
	return console.WithHint(console.Usagef("--score and --score-file are both given"), "try: %s", u.WithoutFlag("--score-file"))
}

// explainFiles adds to an error about an expression, given by --score or a file, or about its
// values and rules what can be done about it.
func explainFiles(u *console.UI, text string, err error) error {
	var at *files.Error
	var wrong *score.Error
	var file *fs.PathError
	switch {
	case !errors.As(err, &at):
	case errors.As(err, &file):
		return console.WithHint(err, "to do without it try: %s", u.WithoutFlag("--"+strings.ReplaceAll(at.Key, "_", "-")))
	case errors.As(err, &wrong) && at.Key == files.KeyScore:
		return explainScore(u, "--score", text, at.Err)
	case errors.As(err, &wrong):
		return explainScore(u, "", "", console.Usagef("%w", err))
	case at.Hint != "":
		return console.WithHint(console.Usagef("%w", err), "%s", at.Hint)
	}
	return err
}

// explainScore adds to the error of an expression, given by a flag, what can be done about it.
func explainScore(u *console.UI, flag, text string, err error) error {
	var wrong *score.Error
	if !errors.As(err, &wrong) {
		return err
	}
	if flag != "" {
		err = console.Usagef("%s: %w", flag, err)
	}
	near, ok := spelling.Nearest(wrong.Name, wrong.Known)
	switch {
	case wrong.Name != "" && ok && flag != "":
		letters := []rune(text)
		right := string(letters[:wrong.Column-1]) + near + string(letters[wrong.Column-1+len([]rune(wrong.Name)):])
		return console.WithHint(err, "try: %s", u.WithFlag(flag, right))
	case wrong.Name != "" && ok:
		return console.WithHint(err, "did you mean %s?", near)
	case wrong.Name != "":
		return console.WithHint(err, "there are %s", strings.Join(wrong.Known, ", "))
	}
	if flag == "--stop-when" {
		return console.WithHint(err, "a condition is such as importance >= 0.9 or pages >= 1000")
	}
	return console.WithHint(err, "an expression is such as 0.7*pagerank + 0.3*(site_links > 10)")
}

// readScores reads --score, an --oracle that is an expression, and what they need.
func (o *simOptions) readScores(u *console.UI) (err error) {
	if o.stop != "" {
		if o.setting.Stop, err = advise.CompileStop(o.stop); err != nil {
			return explainScore(u, "--stop-when", o.stop, err)
		}
	}
	if o.setting.Score, err = o.score.function(u); err != nil {
		return err
	}
	switch {
	case slices.Contains(append(oracle.Names(), oracleNone, ""), o.oracle) || exists(o.oracle):
	default:
		f, err := score.Compile(files.Explicit(o.oracle, ""))
		if err == nil {
			o.combined = f
		} else if strings.ContainsAny(o.oracle, "*+(") {
			return explainScore(u, "--oracle", o.oracle, err)
		}
	}
	in := &o.score
	if err = files.Check(in.values, in.rules, o.setting.Score, o.combined); err == nil {
		err = files.Provide(in.values, in.rules, o.setting.Score, o.combined)
	}
	return explainFiles(u, "", err)
}

// settleScore lets the flag that was given count: an expression, or a file with one. last is the
// expression that the crawl had, which means what it meant.
func (c *crawling) settleScore(last string) error {
	c.config.Score = files.Explicit(c.config.Score, last)
	text, file := c.opt.flags.Changed("score"), c.opt.flags.Changed("score-file")
	switch {
	case text && file:
		return bothScores(c.u)
	case text:
		c.config.ScoreFile = ""
	case file:
		c.config.Score = ""
	}
	return nil
}

// checkScore reads the expression with its values and rules before anything is made. A crawl that
// is resumed needs no file.
func (c *crawling) checkScore() error {
	k := &c.config
	f, err := files.Function(k.Score, k.ScoreFile)
	switch {
	case err != nil || f == nil:
	case c.resume:
		err = files.CheckValues(k.ImportValues, f)
	default:
		err = files.Check(k.ImportValues, k.LocationRules, f)
	}
	if err == nil {
		err = files.Provide(k.ImportValues, k.LocationRules, f)
	}
	if c.resume && errors.Is(err, os.ErrNotExist) && !c.opt.flags.Changed("score-file") {
		return nil
	}
	if err == nil && f != nil && !ordersByScore(k.Policy) && !ordersByScore(k.SitePolicy) && !k.Planned() {
		c.u.Notef("policy %s does not use --score: it is shown by winnow explain, and weighs visits with --revisit", k.Policy)
	}
	return explainFiles(c.u, k.Score, err)
}

// hangups returns a channel that demands another look at the files of the score on SIGHUP, nil if
// there are none, and a function that ends it.
func hangups(c *config.Config) (<-chan struct{}, func()) {
	if c.ScoreFile+c.ImportValues+c.LocationRules == "" {
		return nil, func() {}
	}
	signals, reload, end := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-signals:
			case <-end:
				return
			}
			select {
			case reload <- struct{}{}:
			case <-end:
				return
			}
		}
	}()
	return reload, func() { signal.Stop(signals); close(end) }
}

// ordersByScore reports whether a policy, or a part of it, is score.
func ordersByScore(name string) bool {
	c, err := policy.Choose(name)
	return err == nil && (c.Spec.Name == "score" || slices.ContainsFunc(c.Parts, func(p policy.Part) bool { return p.Spec.Name == "score" }))
}
