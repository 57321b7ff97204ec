package score

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Values holds what is known of a page, by term. NaN means that a value is missing.
type Values [Terms]float64

// A Function is what pages are scored by.
type Function struct {
	Needs   // the terms that it uses
	text    string
	program []op
	parts   []part // the summands, if there are several

	// Rules give the term location: DefaultRules, unless others are set before its first use.
	Rules *Rules
	// Imported gives the term imported; nil means that all pages lack it.
	Imported *Imported
}

// A part is a summand of a function.
type part struct {
	text    string
	program []op
	minus   bool
}

// longest is the most bytes of an expression.
const longest = 4096

// An Error reports what is wrong with an expression.
type Error struct {
	Column int // of the first character in question, from 1
	What   string
	Name   string   // that is unknown, or ""
	Known  []string // names that there are in its place
}

func (e *Error) Error() string {
	if e.Column == 0 {
		return e.What
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.What)
}

// Compile returns the function that a text describes. docs/score.md describes the language. Here
// a bare name means the value of the term, as journals and configurations of crawls have it: what
// users write goes through Explicit. An error is an *Error.
func Compile(text string) (*Function, error) {
	node, err := parse(text)
	if err != nil {
		return nil, err
	}
	f := &Function{text: text, Rules: DefaultRules()}
	c := &compiler{f: f}
	if _, err = c.node(node); err == nil {
		err = c.tooLarge(node)
	}
	if err != nil {
		return nil, err
	}
	f.program = c.program
	if f.parts = c.summands(node, false); len(f.parts) < 2 {
		f.parts = nil
	}
	return f, nil
}

// Default returns the function of those who name none: a weighted sum of quantiles, where less
// depth is better.
func Default() *Function {
	f, err := Compile("0.5*q(pagerank) + 0.2*q(sites_in) + 0.2*q(backlinks) + 0.1*(1 - q(depth))")
	if err != nil {
		panic(err) // the text is a constant
	}
	return f
}

// TopicExpression is a score for a crawl with a topic: the combined order that Cho, Garcia-Molina
// and Page 1998, end of section 7, found effective if similarity and backlinks both count. It is
// made of IR', the text of links, and the distance to pages known to be hot.
const TopicExpression = "0.3*q(pagerank) + 0.4*similarity + 0.3*(3 - (hot_distance ?? 3))/3"

// String returns the expression.
func (f *Function) String() string { return f.text }

// Eval returns the result for a page with these values. Quantiles may be nil if the function
// uses none. If an operation has no finite result, such as a division by 0, the result is 0 and
// ok is false. The result may be outside of 0 to 1: Clamp makes a score of it.
func (f *Function) Eval(v *Values, q *Quantiles) (result float64, ok bool) {
	return run(f.program, v, q)
}

// Clamp returns the score that a result of Eval means: the nearest number from 0 to 1. Orders
// use the result itself, because of two pages above 1 the higher one is still the better.
func Clamp(result float64) float64 { return min(1, max(0, result)) }

// A Part is a summand of a result.
type Part struct {
	Text  string
	Value float64
}

// Parts returns the summands of the result for a page: only the whole expression if it is no
// sum.
func (f *Function) Parts(v *Values, q *Quantiles) (list []Part) {
	if f.parts == nil {
		whole, _ := f.Eval(v, q)
		return []Part{{f.text, whole}}
	}
	for _, p := range f.parts {
		x, _ := run(p.program, v, q)
		if p.minus {
			x = -x
		}
		list = append(list, Part{p.text, x})
	}
	return list
}

// parse returns the syntax tree of a text. All functions of the parser's language are disabled.
func parse(text string) (ast.Node, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &Error{What: "it is empty"}
	}
	if len(text) > longest {
		return nil, &Error{What: fmt.Sprintf("it has %d bytes, and %d are the most", len(text), longest)}
	}
	config := conf.CreateNew()
	for name := range config.Builtins {
		config.Disabled[name] = true
	}
	tree, err := parser.ParseWithConfig(text, config)
	var wrong *file.Error
	switch {
	case errors.As(err, &wrong):
		return nil, &Error{Column: wrong.From + 1, What: wrong.Message}
	case err != nil:
		return nil, &Error{What: err.Error()}
	}
	return tree.Node, nil
}

// A kind is the type of a part of an expression.
type kind bool

const (
	number kind = false
	truths kind = true // true and false, which count as 1 and 0 in arithmetic
)

// compiler writes the program of a syntax tree.
type compiler struct {
	f       *Function
	words   []string // the names of a Condition; nil: those of the terms
	program []op
	depth   int // of the stack here
	high    int // and at most
}

// emit appends an operation that changes the height of the stack.
func (c *compiler) emit(o op, change int) (at int) {
	c.depth += change
	c.high = max(c.high, c.depth)
	c.program = append(c.program, o)
	return len(c.program) - 1
}

// land makes a jump lead to the next operation.
func (c *compiler) land(at int) { c.program[at].to = uint16(len(c.program)) }

func (c *compiler) tooLarge(n ast.Node) error {
	if c.high > deepest || len(c.program) > math.MaxUint16 {
		return wrongf(n, "it is nested too deeply")
	}
	return nil
}

func wrongf(n ast.Node, format string, args ...any) error {
	return &Error{Column: n.Location().From + 1, What: fmt.Sprintf(format, args...)}
}

// node compiles a part of the tree.
func (c *compiler) node(n ast.Node) (kind, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		c.emit(op{code: push, arg: float64(n.Value)}, 1)
		return number, nil
	case *ast.FloatNode:
		if n.Value-n.Value != 0 {
			return number, wrongf(n, "the number is too large")
		}
		c.emit(op{code: push, arg: n.Value}, 1)
		return number, nil
	case *ast.BoolNode:
		c.emit(op{code: push, arg: truth(n.Value)}, 1)
		return truths, nil
	case *ast.IdentifierNode:
		return number, c.name(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.choice(n)
	case *ast.CallNode:
		return number, c.call(n)
	case *ast.StringNode:
		return number, wrongf(n, "%q is a text, and there are only numbers", n.Value)
	}
	return number, wrongf(n, "%s is not part of the language: it has numbers, terms, + - * /, comparisons, and, or, not, ? :, ?? and the functions %s", n, strings.Join(functions(), ", "))
}

// name compiles a term.
func (c *compiler) name(n *ast.IdentifierNode) error {
	t, ok := c.term(n.Value)
	if !ok {
		known := c.words
		if known == nil {
			known = names()
		}
		return &Error{Column: n.Location().From + 1, What: fmt.Sprintf("unknown term %q", n.Value), Name: n.Value, Known: known}
	}
	c.load(t, false)
	return nil
}

// term returns the term with a name.
func (c *compiler) term(name string) (Term, bool) {
	if c.words == nil {
		return termOf(name)
	}
	i := slices.Index(c.words, name)
	return Term(max(0, i)), i >= 0
}

// load pushes a term, or its quantile.
func (c *compiler) load(t Term, place bool) {
	if place {
		c.f.places |= 1 << t
		c.emit(op{code: quantile, term: t}, 1)
		return
	}
	c.f.raws |= 1 << t
	code := raw
	if c.words != nil {
		code = bare
	}
	c.emit(op{code: code, term: t}, 1)
}

// want compiles an operand of a kind. A number is never true or false.
func (c *compiler) want(n ast.Node, k kind) error {
	got, err := c.node(n)
	if err == nil && k == truths && got != truths {
		return wrongf(n, "%s is a number, and true or false is needed: compare it, as in %s > 0", n, n)
	}
	return err
}

func (c *compiler) unary(n *ast.UnaryNode) (kind, error) {
	switch n.Operator {
	case "+":
		return number, c.want(n.Node, number)
	case "-":
		err := c.want(n.Node, number)
		c.emit(op{code: negate}, 0)
		return number, err
	case "!", "not":
		err := c.want(n.Node, truths)
		c.emit(op{code: not}, 0)
		return truths, err
	}
	return number, wrongf(n, "the operator %s is not part of the language", n.Operator)
}

// operators returns the operation of each operator. In those of > and >= the operands are
// swapped.
func operators() map[string]op {
	return map[string]op{
		"+": {code: add}, "-": {code: subtract}, "*": {code: multiply}, "/": {code: divide},
		"<": {code: less}, "<=": {code: lessEqual}, ">": {code: less}, ">=": {code: lessEqual},
		"==": {code: equal}, "!=": {code: notEqual},
	}
}

func (c *compiler) binary(n *ast.BinaryNode) (kind, error) {
	switch n.Operator {
	case "and", "&&":
		return truths, c.both(n, true)
	case "or", "||":
		return truths, c.both(n, false)
	case "??":
		return number, c.otherwise(n)
	}
	o, ok := operators()[n.Operator]
	if !ok {
		return number, wrongf(n, "the operator %s is not part of the language", n.Operator)
	}
	left, right := n.Left, n.Right
	if strings.HasPrefix(n.Operator, ">") {
		left, right = right, left
	}
	if err := c.want(left, number); err != nil {
		return number, err
	}
	if err := c.want(right, number); err != nil {
		return number, err
	}
	c.emit(o, -1)
	return o.code >= less && o.code <= notEqual, nil
}

// both compiles and (true) or or (false). The right side is evaluated only if it matters.
func (c *compiler) both(n *ast.BinaryNode, and bool) error {
	if err := c.want(n.Left, truths); err != nil {
		return err
	}
	if !and {
		c.emit(op{code: not}, 0)
	}
	skip := c.emit(op{code: jumpFalse}, -1)
	if err := c.want(n.Right, truths); err != nil {
		return err
	}
	end := c.emit(op{code: jump}, -1)
	c.land(skip)
	c.emit(op{code: push, arg: truth(!and)}, 1)
	c.land(end)
	return nil
}

// otherwise compiles term ?? x, which is x if the term is missing.
func (c *compiler) otherwise(n *ast.BinaryNode) error {
	t, place, ok := c.reads(n.Left)
	if !ok {
		return wrongf(n, "before ?? there must be a term, or q of one: nothing else can be missing")
	}
	found := c.emit(op{code: jumpKnown, term: t}, 0)
	if err := c.want(n.Right, number); err != nil {
		return err
	}
	end := c.emit(op{code: jump}, -1)
	c.land(found)
	c.load(t, place)
	c.land(end)
	return nil
}

// reads reports whether n is a term, its value or its quantile.
func (c *compiler) reads(n ast.Node) (t Term, place, ok bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		t, ok = c.term(n.Value)
		return t, false, ok
	case *ast.CallNode:
		if name, is := n.Callee.(*ast.IdentifierNode); is && chooses(name.Value) && len(n.Arguments) == 1 {
			t, _, ok = c.reads(n.Arguments[0])
			_, called := n.Arguments[0].(*ast.CallNode)
			return t, name.Value == "q", ok && !called
		}
	}
	return 0, false, false
}

// choice compiles cond ? x : y.
func (c *compiler) choice(n *ast.ConditionalNode) (kind, error) {
	if err := c.want(n.Cond, truths); err != nil {
		return number, err
	}
	no := c.emit(op{code: jumpFalse}, -1)
	one, err := c.node(n.Exp1)
	if err != nil {
		return number, err
	}
	end := c.emit(op{code: jump}, -1)
	c.land(no)
	two, err := c.node(n.Exp2)
	c.land(end)
	return one && two, err
}

// functions returns the names of the functions.
func functions() []string { return []string{"q", "raw", "min", "max", "abs", "sqrt", "log"} }

// chooses reports whether a function says how a term is meant: as its quantile or as its value.
func chooses(function string) bool { return function == "q" || function == "raw" }

// call compiles the call of a function.
func (c *compiler) call(n *ast.CallNode) error {
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || !slices.Contains(functions(), name.Value) {
		return &Error{Column: n.Callee.Location().From + 1, What: fmt.Sprintf("unknown function %q", n.Callee.String()), Name: n.Callee.String(), Known: functions()}
	}
	switch name.Value {
	case "q", "raw":
		t, place, ok := c.reads(n)
		if name, is := soleName(n); is && !ok {
			return c.name(name)
		}
		if !ok {
			return wrongf(n, "%s needs one term, as in %s(pagerank)", name.Value, name.Value)
		}
		c.load(t, place)
		return nil
	case "min":
		return c.fold(n, least)
	case "max":
		return c.fold(n, most)
	}
	if len(n.Arguments) != 1 {
		return wrongf(n, "%s needs one number", name.Value)
	}
	err := c.want(n.Arguments[0], number)
	c.emit(op{code: map[string]code{"abs": absolute, "sqrt": root, "log": logarithm}[name.Value]}, 0)
	return err
}

// soleName returns the argument of a call that has one, if it is a name.
func soleName(n *ast.CallNode) (name *ast.IdentifierNode, ok bool) {
	if len(n.Arguments) == 1 {
		name, ok = n.Arguments[0].(*ast.IdentifierNode)
	}
	return name, ok
}

// fold compiles a function of several numbers.
func (c *compiler) fold(n *ast.CallNode, o code) error {
	if len(n.Arguments) == 0 {
		return wrongf(n, "%s needs numbers", n.Callee)
	}
	for i, arg := range n.Arguments {
		if err := c.want(arg, number); err != nil {
			return err
		}
		if i > 0 {
			c.emit(op{code: o}, -1)
		}
	}
	return nil
}

// summands compiles the summands of a tree that was compiled without error.
func (c *compiler) summands(n ast.Node, minus bool) []part {
	if sum, ok := n.(*ast.BinaryNode); ok && (sum.Operator == "+" || sum.Operator == "-") {
		return append(c.summands(sum.Left, minus), c.summands(sum.Right, minus != (sum.Operator == "-"))...)
	}
	own := &compiler{f: &Function{}}
	if _, err := own.node(n); err != nil {
		return nil
	}
	return []part{{n.String(), own.program, minus}}
}
