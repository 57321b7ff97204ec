package policy

import (
	"strconv"
	"strings"
)

// Names returns the names of all policies, in the order of Specs.
func Names() []string { return names(Specs()) }

// Canonical returns the policy with all its parameters, so that two texts that mean the
// same policy give the same name: opic and opic/cash=seeds, or remote=0.8 and remote=.80.
// batch is the value of a parameter k that was not given.
func (c *Choice) Canonical(batch int) string {
	text := c.Spec.Name
	for _, p := range c.Spec.Params {
		value := c.Params[p.Name]
		if value == "" && p.Name == "k" {
			value = strconv.Itoa(batch)
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(v, 'g', -1, 64)
		}
		text += "/" + p.Name + "=" + value
	}
	return text
}

// Complete returns how a policy that is being typed may continue: all names, and after a
// slash the parameters that are not there yet.
func Complete(typed string) (out []string) {
	slash := strings.LastIndexByte(typed, '/')
	if slash < 0 {
		return Names()
	}
	before := typed[:slash]
	choice, err := Choose(before)
	if err != nil {
		return nil
	}
	for _, p := range choice.Spec.Params {
		if strings.Contains(before, "/"+p.Name+"=") {
			continue
		}
		if p.Values == nil {
			out = append(out, before+"/"+p.Name+"=")
		}
		for _, v := range p.Values {
			out = append(out, before+"/"+p.Name+"="+v)
		}
	}
	return out
}
