package score

import (
	"math"
	"testing"
)

// TestExplicit: a bare name is a quantile where it is mixed and a value where it is compared.
func TestExplicit(t *testing.T) {
	for text, want := range map[string]string{
		"0.7*pagerank + 0.3*(site_links > 10)":            "0.7*q(pagerank) + 0.3*(site_links > 10)",
		"q(pagerank) + raw(depth)/10":                     "q(pagerank) + raw(depth)/10",
		"-depth":                                          "-q(depth)",
		"max(backlinks, 3) > 5 ? cash : 0":                "max(backlinks, 3) > 5 ? q(cash) : 0",
		"(depth < 5 and backlinks/site_pages > 2) * cash": "(depth < 5 and backlinks/site_pages > 2) * q(cash)",
		"imported ?? 0.5":                                 "q(imported) ?? 0.5",
		"log(1 + backlinks) + min(cash, 1)":               "log(1 + q(backlinks)) + min(q(cash), 1)",
		TopicExpression:                                   TopicExpression,
		"near_duplicate == 1 ? 0 : similarity":            "near_duplicate == 1 ? 0 : similarity",
		"(pagerank)+pagerank":                             "(q(pagerank))+q(pagerank)",
	} {
		got, err := Explicit(text)
		if err != nil || got != want {
			t.Errorf("%s means %s, %v; want %s", text, got, err, want)
		}
		if again, err := Explicit(got); err != nil || again != got {
			t.Errorf("%s means %s, %v", got, again, err)
		}
	}
	for _, text := range []string{"0.5*pagerang", "raw(1)", "raw(q(pagerank))", ""} {
		if got, err := Explicit(text); err == nil {
			t.Errorf("%s means %s", text, got)
		}
	}
}

// TestRaw: raw(x) is the value, also with ??.
func TestRaw(t *testing.T) {
	f, err := Compile("raw(depth)/2 + (raw(imported) ?? 7)")
	if err != nil {
		t.Fatal(err)
	}
	v := Values{Depth: 3, Import: math.NaN()}
	if got, ok := f.Eval(&v, nil); !ok || got != 8.5 {
		t.Errorf("%v, %v", got, ok)
	}
	if f.UsesQuantile(Depth) || f.UsesQuantile(Import) {
		t.Error("it uses quantiles")
	}
}
