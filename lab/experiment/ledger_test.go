package experiment

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/show"
)

// TestLedger has a claim of each kind, and the interval of scripts/outside.py.
func TestLedger(t *testing.T) {
	yes, no := Finding{Place: "a", Holds: true, Numbers: "1"}, Finding{Place: "b", Numbers: "2"}
	lack := Finding{Place: "c", Lacks: "no sites"}
	l := &Ledger{}
	e := &Experiment{Name: "cho98-x", Claims: []string{"some", "all", "none", "untold"}}
	l.Add(e, &Run{Report: &show.Report{}, Findings: [][]Finding{{yes, no, lack}, {yes}, {no}, {lack}}})
	l.Add(&Experiment{Name: "cho98-y", What: "a histogram"}, &Run{Report: &show.Report{Verdict: "It is so."}, Findings: [][]Finding{nil}})
	l.Fail("cho98-z", errors.New("broken"))
	rep := l.Report(nil)
	if want := "Of 4 claims 1 hold on every world that can tell, 1 on some, 1 on none; 1 cannot be told here."; rep.Verdict != want {
		t.Errorf("verdict %q, want %q", rep.Verdict, want)
	}
	var b bytes.Buffer
	if err := rep.WriteMarkdown(&b, func(int) string { return "" }); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 of 2 (9 to 91 %)", "a (1)", "b (2)", "c (no sites)", "It is so.", "cho98-z: broken"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not have %q:\n%s", want, b.String())
		}
	}
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{3, 7, 0.15821985525146973, 0.7495416354723429}, {0, 2, 0, 0.6576197724933469}} {
		if low, high := wilson(c.k, c.n); math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%d of %d: %v to %v, want %v to %v", c.k, c.n, low, high, c.low, c.high)
		}
	}
	(*Ledger)(nil).Add(e, nil)
	(*Ledger)(nil).Fail("", nil)
}
