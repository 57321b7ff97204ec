package frontier

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestOptions: what makes no sense is refused, and the message names it.
func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"the delay is negative (-1s)":                       {Delay: -time.Second},
		"the delay of small sites is negative":              {SmallDelay: -1},
		"the limit of the delay by download time":           {FactorMax: -1},
		"the back-off is negative":                          {BackOff: -1},
		"the limit of back-off is negative":                 {BackOffMax: -1},
		"the time of a slow answer is negative":             {Slow: -1},
		"a site cannot be slow after 0 slow answers":        {Slow: 1},
		"the delay of addresses is negative":                {AddressDelay: -1},
		"the delay factor (-1)":                             {Factor: -1},
		"the delay factor (NaN)":                            {Factor: math.NaN()},
		"the delay factor (+Inf)":                           {Factor: math.Inf(1)},
		"the number of pages per connection is negative":    {PerConnection: -1},
		"requests at a time to an address is negative (-2)": {AddressCap: -2},
		"a batch of 0 pages has none":                       {Mode: Thesis},
		"the least number of active fetchers is negative":   {MinActive: -1},
		"the share of a site in a batch (1.5)":              {SiteShare: 1.5},
		"the share of a site in a batch (NaN)":              {SiteShare: math.NaN()},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := new(Options).Check(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}

// TestModes: names of modes can be parsed, others are refused with the list of them.
func TestModes(t *testing.T) {
	for i, name := range ModeNames() {
		var m Mode
		if err := m.Set(name); err != nil || m != Mode(i) || m.String() != name {
			t.Errorf("mode %q is %v (%v)", name, m, err)
		}
	}
	if err := new(Mode).Set("thessis"); err == nil || !strings.Contains(err.Error(), "thesis") {
		t.Errorf("error %v", err)
	}
}
