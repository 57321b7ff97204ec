package score

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Explicit returns the expression of a user as Compile takes it. Where terms are mixed, a bare name
// means the quantile of the term, so that weights keep their meaning whatever the unit and however
// the crawl grows: 0.7*pagerank becomes 0.7*q(pagerank). In a comparison it means the value, as in
// site_links > 10. So does the name of a term with a scale of its own. q(...) and raw(...) stay.
// What Explicit returns it does not change again. An error is an *Error.
func Explicit(text string) (string, error) {
	if _, err := Compile(text); err != nil {
		return "", err
	}
	node, err := parse(text)
	if err != nil {
		return "", err
	}
	letters := []rune(text)
	names := mixed(node)
	slices.SortFunc(names, func(a, b *ast.IdentifierNode) int { return b.Location().From - a.Location().From })
	for _, n := range names { // the last first, so that places stay
		at := n.Location().From
		letters = slices.Concat(letters[:at], []rune("q("+n.Value+")"), letters[at+len([]rune(n.Value)):])
	}
	_, err = Compile(string(letters)) // it may have become too long
	return string(letters), err
}

// mixed returns the bare names in a tree that mean quantiles.
func mixed(n ast.Node) (list []*ast.IdentifierNode) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if t, ok := termOf(n.Value); ok && !Table()[t].Scaled {
			list = append(list, n)
		}
	case *ast.UnaryNode:
		return mixed(n.Node)
	case *ast.BinaryNode:
		if slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, n.Operator) {
			return nil
		}
		return append(mixed(n.Left), mixed(n.Right)...)
	case *ast.ConditionalNode:
		return slices.Concat(mixed(n.Cond), mixed(n.Exp1), mixed(n.Exp2))
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok && chooses(name.Value) {
			return nil
		}
		for _, arg := range n.Arguments {
			list = append(list, mixed(arg)...)
		}
	}
	return list
}
