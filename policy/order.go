package policy

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// The types of package order, which those who use policies need.
type (
	Facts     = order.Facts
	Board     = order.Board
	Env       = order.Env
	Prior     = order.Prior
	Oracle    = order.Oracle
	Policy    = order.Policy
	Spec      = order.Spec
	Param     = order.Param
	Params    = order.Params
	Member    = order.Member
	Factor    = order.Factor
	Appraisal = order.Appraisal
	TermValue = order.TermValue

	ValueError = order.ValueError
)

// Optional interfaces of policies.
type (
	Seeder     = order.Seeder
	Taker      = order.Taker
	Dropper    = order.Dropper
	Listener   = order.Listener
	Admitter   = order.Admitter
	Revisiter  = order.Revisiter
	Worker     = order.Worker
	Mixer      = order.Mixer
	Sampler    = order.Sampler
	Loader     = order.Loader
	Scorer     = order.Scorer
	Noter      = order.Noter
	Exchanger  = order.Exchanger
	Teacher    = order.Teacher
	Foreteller = order.Foreteller
	Leveler    = order.Leveler
	Sharer     = order.Sharer
	Explainer  = order.Explainer
	Valuer     = order.Valuer
)

// Errors of Check, for what a world may lack.
var (
	ErrOracle = order.ErrOracle
	ErrURLs   = order.ErrURLs
	ErrPrior  = order.ErrPrior
	ErrTopic  = order.ErrTopic
)

// Hash mixes a seed and further numbers into one: see [order.Hash].
func Hash(seed uint64, n ...uint64) uint64 { return order.Hash(seed, n...) }

// Adopt adds the columns of a policy to a set: see [order.Adopt].
func Adopt(set *graph.Set, p Policy) { order.Adopt(set, p) }
