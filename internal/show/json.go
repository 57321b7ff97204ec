package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteJSON writes everything but the curves, indented: a table is an array with
// one object to a row. Numbers are exact; NaN and infinity are null.
func (r *Report) WriteJSON(w io.Writer) error {
	sections := []any{}
	for _, s := range r.Sections {
		sections = append(sections, s.object())
	}
	whole := object{
		{"title", r.Title}, {"verdict", r.Verdict}, {"intro", append([]string{}, r.Intro...)},
		{"header", headerObject(r.Header)}, {"sections", sections},
	}
	if err := JSON(w, whole, "  "); err != nil {
		return fmt.Errorf("write summary of %q: %w", r.Title, err)
	}
	return nil
}

// An object is a JSON object whose members keep their order, which those of a map
// would not.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, fmt.Errorf("%q: %w", m.key, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func headerObject(fields []Field) object {
	names, out := uniqueNames{}, object{}
	for _, f := range fields {
		out = append(out, member{names.unique(f.Name), f.Value})
	}
	return out
}

// object leaves out the parts that the section lacks.
func (s *Section) object() object {
	out := object{{"title", s.Title}}
	if s.Text != "" {
		out = append(out, member{"text", s.Text})
	}
	if s.Bars != nil {
		bars := []any{}
		for _, b := range s.Bars.Bars {
			bars = append(bars, object{{"label", b.Label}, {"value", jsonNumber(b.Value)}, {"note", b.Note}})
		}
		out = append(out, member{"bars", bars})
	}
	if s.Table != nil {
		out = append(out, member{"columns", s.Table.columns()}, member{"table", s.Table.rows()})
	}
	return out
}

// keys returns the names of the columns in JSON, each only once.
func (t *Table) keys() []string {
	names := uniqueNames{}
	keys := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		key := c.Key
		if key == "" {
			key = strings.Join(strings.Fields(strings.ToLower(c.Name)), "_")
		}
		keys[i] = names.unique(key)
	}
	return keys
}

// columns returns the names and units of the keys.
func (t *Table) columns() []object {
	out := []object{}
	for i, key := range t.keys() {
		out = append(out, object{{"key", key}, {"name", t.Columns[i].Name}, {"unit", t.Columns[i].Unit}})
	}
	return out
}

func (t *Table) rows() []object {
	out, keys := []object{}, t.keys()
	for _, row := range t.Rows {
		o := object{}
		for i, key := range keys {
			o = append(o, member{key, cell(row, i).json()})
		}
		out = append(out, o)
	}
	return out
}

func (c Cell) json() any {
	switch {
	case c.number:
		return jsonNumber(c.value)
	case c.shown == "":
		return nil
	}
	return c.shown
}

func jsonNumber(v float64) any {
	if !isFinite(v) {
		return nil
	}
	return v
}

// uniqueNames are the members that an object has already.
type uniqueNames map[string]bool

// unique returns the name, followed by a number if it was there before.
func (u uniqueNames) unique(name string) string {
	key := name
	for n := 2; u[key]; n++ {
		key = fmt.Sprintf("%s_%d", name, n)
	}
	u[key] = true
	return key
}
