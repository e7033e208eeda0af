package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"hcp/internal/pack"
)

// ownLine is a line of hcp itself, read as far as it is typed.
type ownLine struct {
	node   *kong.Node
	given  []string            // plain words behind the command
	flags  map[string][]string // values of the flags typed so far
	waits  *kong.Flag          // its value comes next; nil: none does
	ended  bool                // behind "--"
	astray bool                // a word names no command
}

// ownWords completes hcp's own line from the model that parses it.
func (c *completion) ownWords() answer {
	parser, err := newParser(c.env, &commands{}, func(int) {})
	if err != nil {
		return answer{}
	}
	line := readOwn(parser.Model.Node, c.words)
	name, _, eq := strings.Cut(c.last, "=")
	switch {
	case line.astray:
		return answer{}
	case line.waits != nil:
		return c.ownValue(line, line.waits.Value, "")
	case !line.ended && eq && strings.HasPrefix(name, "-"):
		if f := line.flag(name); f != nil && !f.IsBool() {
			return c.ownValue(line, f.Value, name+"=")
		}
		return answer{}
	case !line.ended && strings.HasPrefix(c.last, "-") && (len(c.last) > 1 || len(line.given) > 0 || len(line.node.Positional) == 0):
		return answer{words: line.openFlags()}
	case len(line.node.Children) > 0:
		return answer{words: subcommands(line.node)}
	}
	return c.ownPositional(line)
}

func readOwn(root *kong.Node, words []string) ownLine {
	line := ownLine{node: root, flags: map[string][]string{}}
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, eq := strings.Cut(w, "=")
		switch {
		case !line.ended && w == "--":
			line.ended = true
		case !line.ended && len(w) > 1 && w[0] == '-':
			f := line.flag(name)
			switch {
			case f == nil:
				continue
			case !eq && !f.IsBool() && i+1 == len(words):
				line.waits = f
			case !eq && !f.IsBool():
				i++
				value = words[i]
			}
			line.flags[f.Name] = append(line.flags[f.Name], value)
		case len(line.node.Children) > 0:
			at := slices.IndexFunc(line.node.Children, func(n *kong.Node) bool { return n.Name == w })
			if at < 0 {
				line.astray = true
				return line
			}
			line.node = line.node.Children[at]
		default:
			line.given = append(line.given, w)
		}
	}
	return line
}

// flag finds a flag by the way it is typed.
func (l *ownLine) flag(typed string) *kong.Flag {
	for _, group := range l.node.AllFlags(false) {
		for _, f := range group {
			if typed == "--"+f.Name || f.Short != 0 && typed == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

func (l *ownLine) openFlags() (list []pack.Choice) {
	for _, group := range l.node.AllFlags(true) {
		for _, f := range group {
			if _, typed := l.flags[f.Name]; !typed || f.IsCumulative() {
				list = append(list, pack.Choice{Word: "--" + f.Name, About: f.Help})
			}
		}
	}
	return list
}

func subcommands(n *kong.Node) (list []pack.Choice) {
	for _, child := range n.Children {
		if !child.Hidden {
			list = append(list, pack.Choice{Word: child.Name, About: child.Help})
		}
	}
	return list
}

func (c *completion) ownPositional(line ownLine) answer {
	at := len(line.given)
	slots := line.node.Positional
	if n := len(slots); n > 0 && at >= n && slots[n-1].IsCumulative() {
		at = n - 1
	}
	if at >= len(slots) {
		return answer{}
	}
	a := c.ownValue(line, slots[at], "")
	a.words = slices.DeleteFunc(a.words, func(w pack.Choice) bool {
		return slots[at].IsCumulative() && slices.Contains(line.given, w.Word)
	})
	return a
}

// ownValue completes one value by what it is: an enum, or one of the few things
// that hcp's arguments and flags are called after.
func (c *completion) ownValue(line ownLine, v *kong.Value, front string) answer {
	var a answer
	if v.Enum != "" {
		a.words = choices(v.EnumSlice())
	} else {
		a = c.named(line, v.Name, strings.TrimPrefix(c.last, front))
	}
	for i := range a.words {
		a.words[i].Word = front + a.words[i].Word
	}
	a.front = front
	return a
}

func choices(words []string) (list []pack.Choice) {
	for _, w := range words {
		list = append(list, pack.Choice{Word: w})
	}
	return list
}

func (c *completion) named(line ownLine, name, typed string) answer {
	switch name {
	case "shell":
		return answer{words: choices([]string{shellBash, shellZsh, shellFish})}
	case "capability":
		return answer{words: choices([]string{"verb.exec.read", "verb.exec.write", "pack.connect"})}
	case "agent":
		return answer{words: choices([]string{agentClaude, agentCodex})}
	case "approval":
		return answer{words: choices([]string{"envelope", "human"})}
	case "file", "result":
		return answer{files: true}
	case "dir":
		return answer{dirs: true}
	}
	s := c.store()
	if s == nil {
		return answer{}
	}
	switch name {
	case "pack":
		return answer{words: s.packChoices(line.node.Path(), typed), dirs: line.node.Name == "check"}
	case "verb":
		return answer{words: s.verbChoices(first(slices.Concat(line.given, line.flags["pack"])...))}
	case "k=v":
		return answer{words: s.pairChoices(line.given, typed)}
	case "session":
		return answer{words: s.sessionChoices()}
	case "to", "principal":
		return answer{words: s.principalChoices()}
	case "id":
		return answer{words: s.waitingChoices(line.node.Name)}
	case "name":
		return answer{words: s.workspaceChoices(line)}
	}
	return answer{}
}
