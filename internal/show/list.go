package show

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// AddFields adds a row for each field of a struct that has a tag: its label, its value and
// a remark. So one struct is the result of a verb as JSON and as text.
//
//	Pages    int64   `json:"pages" show:"pages"`
//	Dangling int64   `json:"dangling" show:"dangling" remark:"{%Pages} of the pages have no out-links"`
//	Bytes    int64   `json:"bytes" show:"size,bytes"`
//	Seconds  float64 `json:"seconds" show:"time,seconds"`
//	Dropped  int64   `json:"dropped" show:"left out,omitzero"`
//	Sites    int     `json:"sites" show:"sites,if=Known"`
//	Known    bool    `json:"known" show:"sites,unless" remark:"not known"`
//
// With if=, a field is shown only if another is not zero; with unless, a dash is shown if it
// is false itself.
// Fields of embedded structs come in their place. In a remark {Name} is the value of
// another field, {Name: thing} a number of things as Counted writes it, {%Name} the share that this field has of it, and {/Name} or {/Name.3} this
// field divided by it, with one or three decimals. A remark that divides by zero is left
// out.
func (l *List) AddFields(result any) {
	v := reflect.Indirect(reflect.ValueOf(result))
	l.addFields(v, v)
}

func (l *List) addFields(v, whole reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous && v.Field(i).Kind() == reflect.Struct {
			l.addFields(v.Field(i), whole)
			continue
		}
		if label, option, ok := tagged(f); ok && wanted(option, v.Field(i), whole) {
			l.Add(label, format(v.Field(i), option), remark(f.Tag.Get("remark"), v.Field(i), whole))
		}
	}
}

// tagged returns the label of a field and the option behind it.
func tagged(f reflect.StructField) (label, option string, ok bool) {
	tag, ok := f.Tag.Lookup("show")
	label, option, _ = strings.Cut(tag, ",")
	return label, option, ok
}

// wanted reports whether a field is to be shown.
func wanted(option string, v, whole reflect.Value) bool {
	name, conditional := strings.CutPrefix(option, "if=")
	switch {
	case conditional:
		return !whole.FieldByName(name).IsZero()
	case option == "unless":
		return v.IsZero()
	}
	return !strings.HasSuffix(option, "omitzero") || !v.IsZero()
}

// Rows returns a list of all elements of a slice of structs: the columns are their tagged
// fields.
func Rows[T any](rows []T) *List {
	t := reflect.TypeFor[T]()
	l := NewList()
	for i := range t.NumField() {
		if label, _, ok := tagged(t.Field(i)); ok {
			l.rows[0] = append(l.rows[0], label)
		}
	}
	for _, row := range rows {
		var cells []any
		v := reflect.ValueOf(row)
		for i := range t.NumField() {
			if _, option, ok := tagged(t.Field(i)); ok {
				cells = append(cells, format(v.Field(i), option))
			}
		}
		l.Add(cells...)
	}
	return l
}

// format writes a value: whole numbers in groups of three digits, others with three
// decimals, lists without brackets.
func format(v reflect.Value, option string) string {
	switch {
	case v.CanUint():
		v = reflect.ValueOf(int64(v.Uint()))
	case v.CanFloat() && strings.HasPrefix(option, "seconds"):
		return Duration(time.Duration(v.Float() * float64(time.Second)))
	}
	switch {
	case v.CanInt() && strings.HasPrefix(option, "bytes"):
		return Bytes(v.Int())
	case v.CanInt():
		return Grouped(v.Int())
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'f', 3, 64)
	case option == "unless":
		return "-"
	}
	return strings.Trim(fmt.Sprint(v.Interface()), "[]")
}

var placeholder = regexp.MustCompile(`\{([%/]?)(\w+)(?:\.(\d))?(?:: (\w+))?\}`)

// remark fills the placeholders of a remark about v.
func remark(text string, v, whole reflect.Value) string {
	undefined := false
	text = placeholder.ReplaceAllStringFunc(text, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		other := whole.FieldByName(parts[2])
		if thing := parts[4]; parts[1] == "" && thing != "" {
			return Counted(int64(number(other)), thing)
		}
		if parts[1] == "" {
			return format(other, "")
		}
		if other.IsZero() {
			undefined = true
			return ""
		}
		ratio := number(v) / number(other)
		if parts[1] == "%" {
			return fmt.Sprintf("%.1f %%", 100*ratio)
		}
		decimals, _ := strconv.Atoi(cmp.Or(parts[3], "1"))
		return strconv.FormatFloat(ratio, 'f', decimals, 64)
	})
	if undefined {
		return ""
	}
	return text
}

func number(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// A List prints aligned columns: numbers to the right, text to the left.
//
//	l := show.NewList("site", "pages")
//	l.Add("http://example.org", show.Grouped(1200))
//	l.Print(os.Stdout)
type List struct {
	rows [][]string // the first is the heading, empty for none
}

// NewList returns a list without rows.
func NewList(heading ...string) *List {
	for i := range heading {
		heading[i] = Line(heading[i])
	}
	return &List{rows: [][]string{heading}}
}

// Add appends a row, which may have fewer cells than others.
func (l *List) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Line(fmt.Sprint(c))
	}
	l.rows = append(l.rows, row)
}

// Print writes the list. Columns are two spaces apart; no line ends in spaces.
func (l *List) Print(w io.Writer) error {
	rows := l.rows
	if len(rows[0]) == 0 {
		rows = rows[1:]
	}
	_, err := io.WriteString(w, strings.Join(append(Align(rows, l.right()), ""), "\n"))
	return err
}

// right reports for each column whether it holds numbers only.
func (l *List) right() (right []bool) {
	for r, row := range l.rows {
		for i, cell := range row {
			if i == len(right) {
				right = append(right, len(l.rows) > 1)
			}
			if r > 0 && !isNumber(cell) {
				right[i] = false
			}
		}
	}
	return right
}

// isNumber reports whether a cell is a number, with or without a unit: it begins with a
// digit after a sign and has at most one more word ("20.1 links a page" is a remark). An
// empty cell and a dash are in place of a number.
func isNumber(cell string) bool {
	digits := strings.TrimLeft(cell, "+-~<>")
	return digits == "" || digits[0] >= '0' && digits[0] <= '9' && strings.Count(digits, " ") < 2
}
