package bv

// Compact holds the parameters of fitted lists: the smallest lists of which one at random
// is still read in a few microseconds.
var Compact = Params{Window: 15, MaxRef: 5, MinInterval: 4, ZetaK: 3}

// A FittedEncoder turns lists into a chunk of fitted lists. It may be used again after Reset.
type FittedEncoder struct {
	Encoder
	book      *Codebook // nil: lists are only counted
	guess     *Codebook // what the choice of references goes by
	tally     Tally
	bestCodes []symbol
	tryCodes  []symbol
}

// NewFittedEncoder returns an encoder for a chunk whose first list is that of page first.
// Without a codebook it only counts.
func NewFittedEncoder(p Params, book *Codebook, first uint32) *FittedEncoder {
	e := &FittedEncoder{Encoder: *NewEncoder(p, first), book: book, guess: book}
	if book == nil {
		e.guess = firstGuess()
	}
	return e
}

// Tally returns the counts of the numbers of all lists so far.
func (e *FittedEncoder) Tally() *Tally { return &e.tally }

// Add appends the list of the next page: ids strictly ascending.
func (e *FittedEncoder) Add(list []uint32) {
	n := len(e.chunk.Starts)
	e.chunk.Starts = append(e.chunk.Starts, e.w.bits)
	e.chunk.Links += int64(len(list))
	slot := n % len(e.recent)
	e.recent[slot] = append(e.recent[slot][:0], list...)
	ref := e.chooseFitted(e.chunk.First+uint32(n), n, list)
	e.depth[slot] = 0
	if ref > 0 {
		e.depth[slot] = e.depth[(n-ref)%len(e.recent)] + 1
	}
	for _, s := range e.bestCodes {
		if e.book == nil {
			e.tally[s.kind][tokenOf(s.value)]++
		} else {
			e.book.write(&e.w, s)
		}
	}
}

// chooseFitted sets e.bestCodes to the cheapest way to write the list and returns its reference.
func (e *FittedEncoder) chooseFitted(x uint32, n int, list []uint32) (ref int) {
	e.best.make(list, nil, e.p)
	e.bestCodes = e.best.symbols(e.bestCodes[:0], x, len(list), 0, e.p.MinInterval)
	if len(list) == 0 {
		return 0
	}
	cost := e.costOf(e.bestCodes)
	for r := 1; r <= min(e.p.Window, n); r++ {
		slot := (n - r) % len(e.recent)
		if e.depth[slot] >= e.p.MaxRef || len(e.recent[slot]) == 0 {
			continue
		}
		e.try.make(list, e.recent[slot], e.p)
		e.tryCodes = e.try.symbols(e.tryCodes[:0], x, len(list), r, e.p.MinInterval)
		if c := e.costOf(e.tryCodes) + refPenalty + depthPenalty*e.depth[slot] + blockPenalty*len(e.try.blocks); c < cost {
			cost, ref = c, r
			e.bestCodes, e.tryCodes = e.tryCodes, e.bestCodes
		}
	}
	return ref
}

func (e *FittedEncoder) costOf(codes []symbol) (bits int) {
	for _, s := range codes {
		bits += e.guess.cost(s)
	}
	return bits
}

// symbols appends the numbers that make a list of page x.
func (d *diff) symbols(to []symbol, x uint32, degree, ref, minInterval int) []symbol {
	if degree == 0 {
		return append(to, symbol{kindRef, 0})
	}
	to = append(to, symbol{kindRef, uint32(ref + 1)})
	if ref == 0 {
		to = append(to, symbol{kindAlone, uint32(d.extras - 1)})
	} else {
		to = append(d.blockSymbols(to), symbol{kindExtras, uint32(d.extras)})
	}
	if minInterval > 0 && d.extras >= minInterval {
		to = d.runSymbols(to, x, minInterval)
	}
	prev := int64(x)
	for i, v := range d.residuals {
		if i == 0 {
			to = append(to, symbol{kindLink, uint32(int2nat(int64(v) - prev))})
		} else {
			to = append(to, symbol{kindGap, uint32(int64(v) - prev - 1)})
		}
		prev = int64(v)
	}
	return to
}

func (d *diff) blockSymbols(to []symbol) []symbol {
	to = append(to, symbol{kindBlocks, uint32(len(d.blocks))})
	for i, b := range d.blocks {
		to = append(to, symbol{blockKind(i), uint32(b - min(i, 1))})
	}
	return to
}

// blockKind returns the kind of the length of copy block i.
func blockKind(i int) kind {
	switch {
	case i == 0:
		return kindFirst
	case i%2 == 1:
		return kindSkip
	}
	return kindCopy
}

func (d *diff) runSymbols(to []symbol, x uint32, minInterval int) []symbol {
	to = append(to, symbol{kindRuns, uint32(len(d.intervals))})
	prev := int64(x)
	for i, v := range d.intervals {
		if i == 0 {
			to = append(to, symbol{kindRunFirst, uint32(int2nat(int64(v.left) - prev))})
		} else {
			to = append(to, symbol{kindRunGap, uint32(int64(v.left) - prev - 1)})
		}
		to = append(to, symbol{kindRunLength, uint32(v.len - minInterval)})
		prev = int64(v.left) + int64(v.len)
	}
	return to
}
