package pack

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hcp/internal/hcp"
)

// Validate holds args to the command's schema (formats.md): between step 6 and
// the mint. A scalar is judged by how it is written, so that "5" and 5 are the
// same on both faces (T-2).
func (p *Pack) Validate(c *Command, args hcp.Args) *hcp.Denial {
	t := p.templateOf(c)
	for _, m := range args {
		if !hcp.Reserved(m.Name) && !t.declares(m.Name) {
			return t.unknownArg(m.Name)
		}
	}
	if d := t.missing(args); d != nil {
		return d
	}
	for _, m := range args {
		s := c.Args.Property(m.Name)
		if s == nil || t.absent(m.Name, m.Value) {
			continue
		}
		if why := s.judge(m.Value); why != "" {
			return hcp.InvalidArgs("%s %s", showName(m.Name), why)
		}
	}
	return nil
}

// argNames are the argument names that the command knows, in order.
func (t *template) argNames() []string {
	var list []string
	add := func(name string) {
		if !slices.Contains(list, name) && !hcp.Reserved(name) {
			list = append(list, name)
		}
	}
	if t.args != nil {
		for _, p := range t.args.Properties {
			add(p.Name)
		}
		for _, name := range t.args.Required {
			add(name)
		}
	}
	for _, name := range t.names {
		add(name)
	}
	return list
}

func (t *template) declares(name string) bool {
	return slices.Contains(t.names, name) || t.args.Property(name) != nil || t.args.Requires(name)
}

func (t *template) unknownArg(name string) *hcp.Denial {
	d := hcp.InvalidArgs("unknown argument %s", showName(name))
	known := t.argNames()
	switch near := hcp.Nearest(name, known); {
	case near != "":
		d.Hint = "did you mean " + near + "?"
	case len(known) > 0:
		d.Hint = "arguments: " + strings.Join(known, ", ")
	default:
		d.Hint = "the command takes no arguments"
	}
	return d
}

// judge says what is wrong with a value that is there; "" when nothing is.
func (s *Schema) judge(v hcp.Value) string {
	if s == nil {
		return ""
	}
	if flags := s.Flags(); flags != nil && v.Kind != hcp.Array && v.Kind != hcp.Object {
		text, _ := hcp.CLIText(v)
		if picked := choose(flags, text); picked == "" || slices.Contains(flags, picked) {
			return ""
		}
		return "is not one of " + strings.Join(flags, ", ")
	}
	if s.List() {
		return s.judgeItems(v)
	}
	if !s.fits(v) {
		return "is not " + s.wanted()
	}
	return s.judgeText(v)
}

// judgeItems: one value from k=v is a list of one element.
func (s *Schema) judgeItems(v hcp.Value) string {
	items := []hcp.Value{v}
	if v.Kind == hcp.Array {
		items = v.Items
	}
	for _, it := range items {
		if why := s.Items.judge(it); why != "" && !hcp.IsMissing(it) {
			return "holds a value that " + why
		}
		if why := s.judgeText(it); why != "" && !hcp.IsMissing(it) {
			return "holds a value that " + why
		}
	}
	return ""
}

func (s *Schema) fits(v hcp.Value) bool {
	if len(s.Types) == 0 {
		return true
	}
	for _, t := range s.Types {
		switch {
		case t == "object" && v.Kind == hcp.Object, t == "null" && v.Kind == hcp.Null:
			return true
		case v.Kind == hcp.Object || v.Kind == hcp.Array:
		case t == "string",
			t == "boolean" && (written(v) == "true" || written(v) == "false"),
			t == "number" && isNumber(written(v)),
			t == "integer" && isInteger(written(v)):
			return true
		}
	}
	return false
}

func (s *Schema) wanted() string {
	words := make([]string, len(s.Types))
	for i, t := range s.Types {
		words[i] = "a " + t
		if strings.ContainsRune("aio", rune(t[0])) {
			words[i] = "an " + t
		}
	}
	return strings.Join(words, " or ")
}

// written is a scalar as the caller wrote it.
func written(v hcp.Value) string {
	if v.Kind == hcp.Bool {
		return strconv.FormatBool(v.Bool)
	}
	return v.Text
}

// judgeText applies what looks at the text a value is rendered as, because that
// is what the program gets to see.
func (s *Schema) judgeText(v hcp.Value) string {
	text, ok := hcp.CLIText(v)
	if !ok {
		return "" // Render refuses it with better words
	}
	if len(s.Enum) > 0 {
		if texts := s.enumTexts(); !slices.Contains(texts, text) {
			return "is not one of " + strings.Join(quoteOdd(texts), ", ")
		}
	}
	if s.Pattern != "" {
		re, err := regexp.Compile(s.Pattern)
		if err != nil {
			return "cannot be checked: its pattern is broken"
		}
		if !re.MatchString(text) {
			return "does not match " + showText(s.Pattern)
		}
	}
	if !isNumber(written(v)) {
		return ""
	}
	if s.Minimum != "" && compare(written(v), s.Minimum) < 0 {
		return "is below " + s.Minimum
	}
	if s.Maximum != "" && compare(written(v), s.Maximum) > 0 {
		return "is above " + s.Maximum
	}
	return ""
}

func quoteOdd(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = showText(s)
	}
	return out
}

// showText leaves a harmless one-line text bare in an error.
func showText(s string) string {
	q := strconv.Quote(s)
	if s == "" || strings.ContainsRune(s, ' ') || q[1:len(q)-1] != s && !strings.ContainsRune(s, '\\') || len(s) > 256 {
		return hcp.Quote(s)
	}
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return hcp.Quote(s)
		}
	}
	return s
}

// maxExponent keeps exact arithmetic on a hostile "1e999999999" small. No
// double reaches it.
const maxExponent = 400

// isNumber tells whether text is a JSON number that a program could read.
func isNumber(text string) bool {
	s := strings.TrimPrefix(text, "-")
	mant, exp, hasExp := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mant, exp, hasExp = s[:i], s[i+1:], true
	}
	whole, frac, dot := strings.Cut(mant, ".")
	if !digits(whole) || len(whole) > 1 && whole[0] == '0' || dot && !digits(frac) {
		return false
	}
	if !hasExp {
		return !dot || finite(text)
	}
	if exp != "" && (exp[0] == '+' || exp[0] == '-') {
		exp = exp[1:]
	}
	n, err := strconv.Atoi(exp)
	return digits(exp) && err == nil && n <= maxExponent && finite(text)
}

func finite(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(f, 0)
}

// isInteger follows JSON Schema: 5.0 is an integer.
func isInteger(text string) bool {
	if digits(strings.TrimPrefix(text, "-")) {
		return isNumber(text)
	}
	return isNumber(text) && rat(text).IsInt()
}

// rat is exact: 2^53+1 must not pass a maximum of 2^53.
func rat(number string) *big.Rat {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// compare orders two numbers that isNumber accepts.
func compare(a, b string) int { return rat(a).Cmp(rat(b)) }
