package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/hcp"
	"hcp/internal/pack"
)

type skillCmd struct {
	sessionFlag
	Pack string `arg:"" optional:"" help:"Pack id (default: the leads of all active packs)."`
	Full bool   `help:"The whole Skill."`
	JSON bool   `help:"As JSON." name:"json"`
}

// skill is the --json shape (cli.md).
type skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Lead        string `json:"lead"`
	Full        string `json:"full,omitempty"`
}

func (c *skillCmd) Run(env *Env, status *int) error {
	s, d := openStore(env, c.Session, "")
	if d != nil {
		return refused(d)
	}
	list, d := s.skills(c.Pack, c.Full)
	if d != nil {
		return refused(d)
	}
	if c.JSON {
		if c.Pack != "" {
			*status = env.printValue(list[0], hcp.ExitOK)
		} else {
			*status = env.printValue(list, hcp.ExitOK)
		}
		return nil
	}
	for _, k := range list {
		text := k.Full
		if text == "" {
			text = fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n\n%s\n", k.Name, k.Description, k.Lead)
		}
		env.print(hcp.Printable(text, "\n\t"))
	}
	return nil
}

// skills are the Skill of one pack, or of every active pack that has one.
func (s *store) skills(id string, full bool) ([]skill, *hcp.Denial) {
	ids := []string{id}
	if id == "" {
		var err error
		if ids, err = s.active(); err != nil {
			return nil, unreadable(err)
		}
	}
	list := []skill{}
	for _, one := range ids {
		p, d := s.mustPack(one)
		if d != nil {
			if id == "" {
				continue
			}
			return nil, d
		}
		text, err := s.skillText(p)
		switch {
		case err == nil:
			list = append(list, parseSkill(text, full))
		case id != "" && notExist(err):
			return nil, hcp.NoSkill(id)
		case id != "":
			return nil, unreadable(err)
		}
	}
	return list, nil
}

func (s *store) skillText(p *pack.Pack) (string, error) {
	if p.Root == "" {
		data, err := fs.ReadFile(s.env.Bundled, adapter.BuiltinPack+"/SKILL.md")
		return string(data), err
	}
	const most = 1 << 20
	data, err := hcp.ReadTrusted(filepath.Join(p.Root, "SKILL.md"), most)
	return string(data), err
}

// parseSkill splits front matter, lead (what comes before the first table or
// heading) and the rest.
func parseSkill(text string, full bool) skill {
	k := skill{}
	body := text
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if front, after, ok := strings.Cut(rest, "\n---"); ok {
			body = after
			for line := range strings.SplitSeq(front, "\n") {
				name, value, _ := strings.Cut(line, ":")
				switch strings.TrimSpace(name) {
				case "name":
					k.Name = unquote(value)
				case "description":
					k.Description = unquote(value)
				}
			}
		}
	}
	k.Lead = lead(body)
	if full {
		k.Full = text
	}
	return k
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// lead is a Skill's opening paragraphs: a title line is skipped, the first
// table or further heading ends it.
func lead(body string) string {
	var out []string
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(line, "#") {
			if len(out) == 0 || strings.TrimSpace(strings.Join(out, "")) == "" {
				continue
			}
			break
		}
		if strings.HasPrefix(line, "|") {
			break
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// skillAnswer is hcp.skill of the built-in pack.
func (s *store) skillAnswer(_ context.Context, args hcp.Args) (json.RawMessage, *hcp.Denial) {
	id, _ := hcp.CLIText(args.Get("pack"))
	flag := args.Get("full")
	word, _ := hcp.CLIText(flag)
	full := word == "--full" || word == "true"
	list, d := s.skills(id, full)
	if d != nil {
		return nil, d
	}
	var v any = list
	if id != "" {
		v = list[0]
	}
	line, err := marshal(v)
	if err != nil {
		return nil, hcp.SandboxDenied("%s", hcp.Reason(errors.New("cannot write that as JSON")))
	}
	return line, nil
}
