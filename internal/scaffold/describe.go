package scaffold

import (
	"strings"
)

// describe reads what a flag's description says of its value: its type, the
// values it may have, its default, whether it repeats.
func describe(f *Flag) {
	annotations(f)
	pflagType(f)
	if f.Value == ValueOptional && (strings.HasSuffix(f.Metavar, "String") || f.Metavar == "Int" || f.Metavar == "Number") {
		f.Value, f.Repeat = ValueRequired, true // optionator's "[String]" is a list
	}
	if f.Value == ValueNone {
		f.Type, f.Metavar, f.Enum = "boolean", "", nil
		return
	}
	if f.Enum == nil {
		f.Enum = enumOf(f.Metavar, f.Help)
	}
	if f.Default == "" {
		f.Default = defaultOf(f.Help)
	}
	if f.Type == "" || f.Type == "boolean" || f.Type == "string" && f.Metavar != "" {
		f.Type = typeOf(f.Metavar)
	}
	low := strings.ToLower(f.Help)
	for _, w := range []string{"multiple times", "multiple values allowed", "more than once", "be repeated", "repeatable", "can be used multiple", "multiple use"} {
		f.Repeat = f.Repeat || strings.Contains(low, w)
	}
	f.Required = f.Required || strings.Contains(low, "[required]") || strings.Contains(low, "(required)")
	f.joined(low)
}

// joined finds the flag that may also stand bare: "specify multiple times or a
// level using --verbose=n".
func (f *Flag) joined(low string) {
	if f.Value != ValueRequired || !strings.Contains(low, "multiple times") {
		return
	}
	for _, n := range f.Names {
		if strings.Contains(low, n+"="+strings.ToLower(f.Metavar)) && f.Metavar != "" {
			f.Value = ValueOptional
		}
	}
}

// annotations reads the types that yargs prints at a description's end:
// "[string] [choices: "a", "b"] [default: "a"]".
func annotations(f *Flag) {
	for _, a := range []struct {
		mark, typ string
		value     Arity
	}{{"[boolean]", "boolean", ValueNone}, {"[count]", "boolean", ValueNone}, {"[string]", "string", ValueRequired},
		{"[number]", "number", ValueRequired}, {"[array]", "string", ValueRequired}} {
		if !strings.Contains(f.Help, a.mark) {
			continue
		}
		if f.Value == ValueNone || a.value == ValueNone {
			f.Value = a.value
		}
		f.Type = a.typ
		f.Repeat = f.Repeat || a.mark == "[array]" || a.mark == "[count]"
	}
	if end := strings.IndexByte(f.Help, ')'); strings.HasPrefix(f.Help, "(") && end > 0 && f.Value == ValueNone {
		// The manual pages of some write "--debug (boolean)".
		switch f.Help[1:end] {
		case "string", "list", "structure", "map", "blob", "timestamp", "tagged union structure", "document", "json":
			f.Value, f.Type = ValueRequired, "string"
		case "integer", "long", "int":
			f.Value, f.Type = ValueRequired, "integer"
		case "float", "double":
			f.Value, f.Type = ValueRequired, "number"
		}
	}
	if _, typ, ok := strings.Cut(f.Help, " type: "); ok && f.Value == ValueNone && strings.Contains(typ, "default: ") && !strings.HasPrefix(typ, "bool") {
		f.Value, f.Type = ValueRequired, "string" // gflags
		if strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint") {
			f.Type = "integer"
		}
	}
	if f.Value == ValueNone && (strings.Contains(f.Help, "[choices:") || strings.Contains(f.Help, ". one of: ") || strings.Contains(f.Help, ". one or more: ")) {
		f.Value, f.Type = ValueRequired, "string"
	}
}

// pflagType reads pflag's name for a type, which stands in place of a metavar.
func pflagType(f *Flag) {
	switch f.Metavar {
	case "int", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
		f.Type = "integer"
	case "float", "float32", "float64":
		f.Type = "number"
	case "count":
		f.Value, f.Repeat = ValueNone, true
	case "strings", "stringArray", "stringSlice", "ints", "stringToString", "stringToInt":
		f.Repeat = true
	}
}

// typeOf gives the JSON Schema type that a metavar's name stands for.
func typeOf(metavar string) string {
	switch metavar {
	case "INT", "INTEGER", "N", "NUM", "n", "num", "integer", "int", "INTEGER RANGE", "COUNT", "count":
		return "integer"
	case "FLOAT", "NUMBER", "number", "float", "FLOAT RANGE":
		return "number"
	}
	return "string"
}

// enumOf finds the values that a flag's metavar or description lists.
func enumOf(metavar, help string) []string {
	if strings.Contains(metavar, "|") && !strings.ContainsAny(metavar, "<>[]=…. ") {
		if list := values(metavar, "|"); list != nil && lower(list) {
			return list
		}
	}
	low := strings.ToLower(help)
	for _, mark := range []string{"[possible values:", "[choices:", "possible values: ", "<options: ", "one of: ", "one or more: ", "one of (", "valid values: ", "choices: ", "supported values: "} {
		i := strings.Index(low, mark)
		if i < 0 || len(low) != len(help) {
			continue
		}
		rest := help[i+len(mark):]
		if strings.HasPrefix(strings.TrimSpace(rest), "- ") {
			return bulleted(rest)
		}
		return values(listEnd(rest), ",|")
	}
	return alternatives(help)
}

// alternatives finds "{open|closed|all}" and "(a|b)" in a description.
func alternatives(help string) []string {
	for _, pair := range []string{"{}", "()"} {
		i := strings.IndexByte(help, pair[0])
		if i < 0 || i > 200 || i > 0 && help[i-1] != ' ' {
			continue
		}
		end := strings.IndexByte(help[i:], pair[1])
		if end < 0 || strings.ContainsAny(help[i+1:i+end], " ([{<:") || !strings.Contains(help[i:i+end], "|") {
			continue
		}
		if list := values(help[i+1:i+end], "|"); lower(list) {
			return list
		}
	}
	return nil
}

func lower(list []string) bool {
	for _, v := range list {
		if isCaps(v) && len(v) > 1 && !isDigit(v[0]) {
			return false
		}
	}
	return true
}

// listEnd cuts a list of values at the bracket or the sentence that ends it.
func listEnd(s string) string {
	s = strings.TrimLeft(s, " ([{")
	if i := strings.IndexAny(s, "])}>;"); i >= 0 {
		s = s[:i]
	}
	for _, end := range []string{". ", " default: "} {
		s, _, _ = strings.Cut(s, end)
	}
	return strings.TrimSuffix(s, ".")
}

// values cuts a list; nil when what is between the separators is not values.
func values(s, seps string) []string {
	var out []string
	for _, v := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(seps, r) }) {
		v = strings.Trim(strings.TrimPrefix(strings.TrimSpace(v), "or "), "\"'`{}<>* ")
		if v == "" || len(v) > 40 || strings.ContainsAny(v, " ()[]") {
			return nil
		}
		out = appendNew(out, v)
	}
	if len(out) == 0 || len(out) > 60 {
		return nil
	}
	return out
}

// bulleted reads clap's long list: "- always: Always - never: Never".
func bulleted(s string) []string {
	var out []string
	for _, part := range strings.Split(" "+strings.TrimSpace(s), " - ")[1:] {
		v := part
		if i := strings.IndexAny(part, ": "); i >= 0 {
			v = part[:i]
		}
		if v == "" || len(v) > 40 {
			return nil
		}
		out = appendNew(out, v)
	}
	return out
}

// defaultOf finds the default that a description names.
func defaultOf(help string) string {
	for _, mark := range []string{"[default: ", "(default: ", "(default = ", "(default \"", "[default is ", "(default is ", "(default ", "(=", "Defaults to `", "# Default: "} {
		i := strings.Index(help, mark)
		if i < 0 {
			continue
		}
		rest := help[i+len(mark):]
		end := strings.IndexAny(rest, "])`")
		if strings.HasPrefix(rest, "[") || end < 0 {
			return ""
		}
		if strings.HasSuffix(mark, "\"") {
			end = strings.IndexByte(rest, '"')
		}
		if end < 0 {
			return ""
		}
		return strings.Trim(rest[:end], "\"' ")
	}
	return ""
}
