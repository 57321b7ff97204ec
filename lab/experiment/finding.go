package experiment

import (
	"fmt"
	"strings"
)

// A Finding states whether a claim of a paper holds at one place, with the numbers that
// show it.
type Finding struct {
	Place   string
	Holds   bool
	Numbers string
	Lacks   string // why the claim cannot be tested there; then nothing else counts
}

// Found returns a finding with its numbers.
func Found(holds bool, format string, args ...any) Finding {
	return Finding{Holds: holds, Numbers: fmt.Sprintf(format, args...)}
}

// verdicts returns one sentence on several claims.
func verdicts(claims []string, all [][]Finding) string {
	s := strings.TrimSuffix(verdict(claims[0], all[0]), ".")
	for i, claim := range claims[1:] {
		f := verdict(claim, all[i+1])
		s += "; further: " + strings.ToLower(f[:1]) + strings.TrimSuffix(f[1:], ".")
	}
	return s + "."
}

// verdict returns the sentence on a claim over all places.
func verdict(claim string, all []Finding) string {
	var yes, no, lack []string
	for _, f := range all {
		switch {
		case f.Lacks != "":
			lack = append(lack, f.Place+" ("+f.Lacks+")")
		case f.Holds:
			yes = append(yes, f.Place+" ("+f.Numbers+")")
		default:
			no = append(no, f.Place+" ("+f.Numbers+")")
		}
	}
	s := judged(claim, yes, no)
	if len(lack) > 0 {
		s += "; not tested on " + strings.Join(lack, ", ")
	}
	return s + "."
}

// judged returns the part of a verdict about places where the claim can be tested.
func judged(claim string, yes, no []string) string {
	n := len(yes) + len(no)
	worlds := fmt.Sprintf("all %d worlds", n)
	if n == 2 {
		worlds = "both worlds"
	}
	switch {
	case n == 0:
		return "Could not be tested here: " + claim
	case len(no) == 0 && n == 1:
		return fmt.Sprintf("Holds: %s: %s", claim, yes[0])
	case len(no) == 0:
		return fmt.Sprintf("Holds on %s: %s: %s", worlds, claim, strings.Join(yes, ", "))
	case len(yes) == 0 && n == 1:
		return fmt.Sprintf("Does not hold: %s: against it %s", claim, no[0])
	case len(yes) == 0:
		return fmt.Sprintf("Holds on none of %d worlds: %s: against it %s", n, claim, strings.Join(no, ", "))
	}
	return fmt.Sprintf("Holds on %d of %d worlds: %s: %s; but not on %s", len(yes), n, claim, strings.Join(yes, ", "), strings.Join(no, ", "))
}
