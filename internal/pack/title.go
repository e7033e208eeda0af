package pack

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"hcp/internal/hcp"
)

// maxTitleValue is how many characters of one value a title shows (C-3).
const maxTitleValue = 60

// LiveTitle is the line a host shows while the command runs; false when no
// declared template has all its values (C-3).
func (c *Command) LiveTitle(args hcp.Args) (string, bool) {
	return c.title(c.Title.Live, args, nil)
}

// DoneTitle is the line for a command that ran. result is its JSON result, or
// nil: then templates that need one are passed over.
func (c *Command) DoneTitle(args hcp.Args, result []byte) (string, bool) {
	if !gjson.ValidBytes(result) {
		result = nil
	}
	return c.title(c.Title.Done, args, result)
}

func (c *Command) title(list []string, args hcp.Args, result []byte) (string, bool) {
	for _, tmpl := range list {
		text, ok := fillText(tmpl, func(name string) string {
			if path, is := strings.CutPrefix(name, "result."); is {
				return oneLine(resultText(result, path))
			}
			return oneLine(c.argText(name, args))
		})
		if ok {
			return text, true
		}
	}
	return "", false
}

// PreviewLines are the lines of the card a person sees before a gated write
// (C-5), values in full. A line with a missing value is left out.
func (c *Command) PreviewLines(args hcp.Args) []string {
	var lines []string
	for _, tmpl := range c.Preview {
		text, ok := fillText(tmpl, func(name string) string { return c.argText(name, args) })
		if ok {
			lines = append(lines, text)
		}
	}
	return lines
}

// fillText puts values into a text; false when one is missing.
func fillText(tmpl string, value func(string) string) (string, bool) {
	var b strings.Builder
	for {
		at, name := nextName(tmpl)
		if name == "" {
			b.WriteString(tmpl)
			return b.String(), true
		}
		v := value(name)
		if v == "" {
			return "", false
		}
		b.WriteString(tmpl[:at])
		b.WriteString(v)
		tmpl = tmpl[at+len(name)+4:]
	}
}

// nextName finds the first placeholder: an argument's name, or result. and a
// path. Anything else in braces is text.
func nextName(s string) (at int, name string) {
	for at < len(s) {
		i := strings.Index(s[at:], "{{")
		if i < 0 {
			return 0, ""
		}
		at += i
		end := strings.Index(s[at:], "}}")
		if end < 0 {
			return 0, ""
		}
		if name = s[at+2 : at+end]; titleName(name) {
			return at, name
		}
		at++
	}
	return 0, ""
}

func titleName(name string) bool {
	if path, is := strings.CutPrefix(name, "result."); is {
		return path != "" && !strings.ContainsAny(path, "{}") && !slices.Contains(strings.Split(path, "."), "")
	}
	return name != "" && nameLen(name) == len(name)
}

// TitleNames lists the placeholders of a title or preview template, in order.
func TitleNames(tmpl string) []string {
	var names []string
	for {
		at, name := nextName(tmpl)
		if name == "" {
			return names
		}
		names = append(names, name)
		tmpl = tmpl[at+len(name)+4:]
	}
}

// argText is an argument as it is rendered; "" when it is missing. The
// protocol's own keys are not the command's arguments.
func (c *Command) argText(name string, args hcp.Args) string {
	s := c.Args.Property(name)
	if hcp.Reserved(name) && s == nil {
		return ""
	}
	v := args.Get(name)
	text, ok := hcp.CLIText(v)
	if !ok {
		return ""
	}
	if flags := s.Flags(); flags != nil && v.Kind != hcp.Array {
		text = choose(flags, text)
	}
	return text
}

// resultText reads one field of a JSON result. The path is a plain one: what
// gjson would take for a query, a wildcard or a modifier is a name here.
func resultText(result []byte, path string) string {
	if result == nil {
		return ""
	}
	parts := strings.Split(path, ".")
	for i, p := range parts {
		parts[i] = gjson.Escape(p)
	}
	r := gjson.GetBytes(result, strings.Join(parts, "."))
	if !r.Exists() {
		return ""
	}
	v, err := hcp.ParseJSON([]byte(r.Raw), maxManifestDepth)
	if err != nil {
		return ""
	}
	text, ok := hcp.CLIText(v)
	if !ok {
		return ""
	}
	return text
}

// oneLine flattens a value: each run of white space and control characters is
// one space, and 60 characters are shown.
func oneLine(s string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = true
			continue
		}
		if gap && n > 0 {
			b.WriteByte(' ')
			n++
		}
		gap = false
		if n >= maxTitleValue {
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
