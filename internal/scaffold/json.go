package scaffold

import (
	"regexp"
	"slices"
	"strings"
)

// fieldsToken stands for the value of a "--json fields" flag.
const fieldsToken = "{{fields}}"

// SelectJSON fills JSON and Fields of every command of t from what its help
// proves (wrap.md, stage 6): nil where nothing does, because a flag that a
// program does not know breaks the command.
func SelectJSON(t *Tool) {
	for _, c := range t.Commands {
		c.JSON, c.Fields = nil, ""
		if f := jsonFlag(&c.Page); f != nil && !(t.ID.Name == "go" && strings.Join(c.Path, " ") == "version") { // its short help leaves out that it wants -m too
			c.JSON = jsonTokens(f)
			if slices.Contains(c.JSON, fieldsToken) {
				c.Fields = jsonFields(c.Page.Text)
			}
		} else if jsonByDefault(t, c) {
			c.JSON = []string{}
		}
	}
}

// jsonFlag finds the flag that selects JSON; one made for it before one that
// chooses among forms.
func jsonFlag(p *Page) *Flag {
	inUsage := func(f *Flag) bool {
		return f.Value == ValueRequired && len(f.Enum) == 0 && slices.ContainsFunc(f.Names, func(n string) bool { return isFormatName(n) && usageHasJSON(p.Text, n) })
	}
	for _, fits := range []func(*Flag) bool{isJSONSwitch, isFormat, inUsage} {
		for i := range p.Flags {
			if fits(&p.Flags[i]) && !needsAnother(p.Text, &p.Flags[i]) {
				return &p.Flags[i]
			}
		}
	}
	return nil
}

// needsAnother: "if flag -json is specified without -m, … reports an error".
func needsAnother(text string, f *Flag) bool {
	return slices.ContainsFunc(f.Names, func(n string) bool {
		return strings.Contains(text, n+" is specified without ") || strings.Contains(text, n+" requires -") || strings.Contains(text, n+" only works with -")
	})
}

// usageHasJSON: --reporter=<default|json|github> in a usage line that wraps.
func usageHasJSON(text, name string) bool {
	for _, open := range []string{"=<", " <", "={", " {", "=(", " (", "=[", " ["} {
		_, rest, ok := strings.Cut(text, name+open)
		if end := strings.IndexAny(rest, ">})]"); ok && end > 0 && end < 400 && strings.Contains(rest[:end], "|") && listsJSON(rest[:end]) {
			return true
		}
	}
	return false
}

// isJSONSwitch: --json, -json or --json-output, when it is about output.
func isJSONSwitch(f *Flag) bool {
	if !slices.ContainsFunc(f.Names, func(n string) bool {
		n = strings.ToLower(strings.TrimLeft(n, "-"))
		return n == "json" || n == "json-output" || n == "output-json" || n == "as-json" || n == "dump-json" || n == "print-json" || n == "show-json" || n == "emit-json" ||
			n == "j" && strings.HasPrefix(strings.ToLower(f.Help), "same as --json")
	}) {
		return false
	}
	help := strings.ToLower(f.Help)
	if takesJSON(help) {
		return false
	}
	switch f.Value {
	case ValueRequired:
		return namesFields(f)
	default:
		return help == "" || speaksOfOutput(help)
	}
}

// takesJSON: the words of a flag whose JSON goes in, or into a file.
func takesJSON(help string) bool {
	for _, w := range []string{"request body", "http post", "body of", "payload", "json body", "send json", "from json", "from a json", "json input", "input json",
		"parse input", "as input", "input as json", "json file to read", "read json", "json file", "to file", "to a file", "into file", "json data to", "json string to", "path to", "request data", "treat input", "input is json", "interpret", "provide json", "post data"} {
		if strings.Contains(help, w) && !strings.HasPrefix(help, "print") {
			return true
		}
	}
	return false
}

func speaksOfOutput(help string) bool {
	for _, w := range []string{"output", "print", "format", "display", "show", "emit", "return", "json", "machine", "report", "render", "dump", "write", "result", "list"} {
		if strings.Contains(help, w) {
			return true
		}
	}
	return false
}

// namesFields: --json that wants the fields to show.
func namesFields(f *Flag) bool {
	return strings.Contains(strings.ToLower(f.Metavar+" "+f.Help), "field")
}

// isFormat: a flag that chooses the form of output and knows json.
func isFormat(f *Flag) bool {
	if f.Value == ValueNone || !slices.ContainsFunc(f.Names, isFormatName) {
		return false
	}
	if slices.ContainsFunc(f.Enum, isJSONWord) {
		return !takesJSON(strings.ToLower(f.Help)) || slices.ContainsFunc(f.Enum, isForm)
	}
	if len(f.Enum) > 1 { // it lists what it knows, and json is not there
		return false
	}
	if listsJSON(f.Metavar) {
		return true
	}
	help := strings.ToLower(f.Help)
	switch {
	case !listsJSON(help):
		return false
	case strings.Contains(help, "json file") && !strings.Contains(help, "format"), strings.Contains(help, "input format"):
		return false
	}
	return true
}

func isFormatName(n string) bool {
	switch strings.ToLower(strings.TrimLeft(n, "-")) {
	case "o", "output", "format", "output-format", "outputformat", "output-type", "output-style", "reporter", "report-format", "out-format", "outfmt", "fmt", "list-format",
		"print-format", "write-out", "message-format", "display", "style", "formatter", "report", "result-format", "log-format-out", "encoding", "serialization":
		return true
	}
	return false
}

func isJSONWord(v string) bool { return strings.EqualFold(strings.Trim(v, `"'`), "json") }

// listsJSON tells whether json stands in a text as a word of its own.
func listsJSON(text string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }) {
		if w == "json" {
			return true
		}
	}
	return false
}

// jsonTokens are the argv tokens that make f select JSON, -o before the long
// name as people type it.
func jsonTokens(f *Flag) []string {
	name := longFirst(f.Names)[0]
	if isJSONSwitch(f) {
		if !strings.HasPrefix(name, "--") { // -j[son]
			name = f.Names[0]
		}
		for _, n := range f.Names {
			if strings.HasPrefix(n, "--") && strings.Contains(strings.ToLower(n), "json") {
				name = n
				break
			}
		}
		if f.Value == ValueRequired {
			return []string{name, fieldsToken}
		}
		return []string{name}
	}
	if f.Value == ValueOptional {
		return []string{name + "=json"}
	}
	if slices.Contains(f.Names, "-o") {
		name = "-o"
	}
	return []string{name, "json"}
}

// jsonFields takes the fields that a page lists under "JSON FIELDS".
func jsonFields(text string) string {
	m := regexp.MustCompile(`(?im)^\s*json fields:?[ \t]*\n((?:[ \t]+\S.*\n?)+)`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	fields := regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.]*`).FindAllString(m[1], -1)
	return strings.Join(fields[:min(len(fields), 40)], ",")
}

// jsonByDefault: the description, or the flags that shape it, say that output
// is JSON, and no flag selects it.
func jsonByDefault(t *Tool, c *Command) bool {
	said := strings.ToLower(firstSaid(c.Page.Summary) + "\n" + firstSaid(c.Listed.Help))
	if len(c.Path) == 0 && (strings.Contains(said, "json processor") || strings.Contains(said, "json query")) {
		return true
	}
	for _, w := range []string{"in json", "as json", "json format", "json output", "outputs json", "output json", "prints json", "machine-readable format", "machine readable format", "to json"} {
		if strings.Contains(said, w) {
			return !strings.Contains(said, "json file") && !strings.Contains(said, "from json")
		}
	}
	other, speaks := false, false // "--csv Output CSV", "--nl Output newline-delimited JSON": without them, JSON
	for i := range c.Page.Flags {
		f := &c.Page.Flags[i]
		help := strings.ToLower(f.Help)
		other = other || f.Value == ValueNone && slices.Contains(f.Names, "--csv")
		speaks = speaks || f.Value == ValueNone && strings.HasPrefix(help, "output") && listsJSON(help)
		if f.Value == ValueNone && (strings.Contains(help, "pretty printed json") || strings.Contains(help, "pretty-printed json") || strings.Contains(help, "pretty-print json") ||
			strings.Contains(help, "pretty-print the json") || strings.Contains(help, "indent the json") || strings.Contains(help, "compact json") || strings.Contains(help, "minify json")) {
			return true
		}
	}
	return other && speaks
}
