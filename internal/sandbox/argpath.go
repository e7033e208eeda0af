package sandbox

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hcp/internal/hcp"
)

const workspaceRef = "workspace:"

// token is one word of the child's argv before it is known where the jail is.
type token struct {
	text   string // what stands before the path; the whole word when inJail is false
	path   string // clean, relative to the jail, slashes; "." is the jail
	inJail bool
	slash  bool // the reference ended in a slash
	output bool // value of --output or -o: written back
}

// planArgs applies the path rules to tokens that came from an argument (R-11,
// It looks at words only; the kernel, or os.Root, decides later.
func (p *Plan) planArgs() ([]token, *hcp.Denial) {
	tokens := make([]token, 0, len(p.spec.Args))
	for _, a := range p.spec.Args {
		if strings.IndexByte(a.Text, 0) >= 0 {
			return nil, hcp.SandboxDenied("argument holds a NUL byte")
		}
		if !a.FromArg {
			tokens = append(tokens, token{text: a.Text})
			continue
		}
		a.ValueAt = max(0, min(a.ValueAt, len(a.Text)))
		if host := hostPath(a); host != "" {
			return nil, p.hostDenial(host)
		}
		t, d := p.planToken(a)
		if d != nil {
			return nil, d
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

func (p *Plan) planToken(a Arg) (token, *hcp.Denial) {
	flag, start := a.Flag, 0
	if eq := strings.IndexByte(a.Text, '='); eq > 0 && a.Text[0] == '-' && !a.AfterEnd && (flag == "" || flag == a.Text[:eq]) {
		flag, start = a.Text[:eq], eq+1
	}
	output := flag == "--output" || flag == "-o"
	if at := workspaceAt(a, start); at >= 0 {
		rel, ok := inside(a.Text[at+len(workspaceRef):])
		if !ok {
			return token{}, hcp.PathLeaves()
		}
		return jailToken(a.Text[:at], rel, a.Text, output), nil
	}
	if flag == "" || !slices.Contains(p.spec.FileFlags, flag) {
		return token{text: a.Text}, nil
	}
	return p.fileValue(a.Text, start, output)
}

// workspaceAt finds where "workspace:" starts a value, or -1: at the flag's or
// the argument's value, with an "@" in front, or as "key=@workspace:…".
func workspaceAt(a Arg, start int) int {
	starts := [...]int{start, start}
	if v := a.ValueAt; v > 0 && strings.IndexByte("=@", a.Text[v-1]) >= 0 {
		starts[1] = v
	}
	for _, at := range starts {
		for at < len(a.Text) && a.Text[at] == '@' {
			at++
		}
		if strings.HasPrefix(a.Text[at:], workspaceRef) {
			return at
		}
	}
	if i := strings.Index(a.Text, "=@"+workspaceRef); i >= 0 {
		return i + 2
	}
	return -1
}

// fileValue is a file_flags value without a scheme: a relative one is a jail
// path, except where the child stands in the caller's own folder.
func (p *Plan) fileValue(text string, start int, output bool) (token, *hcp.Denial) {
	at := start
	if len(text) > at+1 && text[at] == '@' {
		at++
	}
	v := text[at:]
	if v == "" || v == "-" || p.spec.Native && p.spec.Mode == ModeNone {
		return token{text: text}, nil
	}
	if isFileURL(v) {
		return token{}, hcp.PathLeaves()
	}
	if v[0] == '/' {
		if !p.ownFolder(v) {
			return token{}, hcp.PathLeaves()
		}
		return token{text: text}, nil
	}
	if p.spec.Mode == ModeProject {
		rel, err := filepath.Rel(p.project, filepath.Join(p.cwd, v))
		if err != nil || !filepath.IsLocal(rel) {
			return token{}, hcp.PathLeaves()
		}
		return token{text: text}, nil
	}
	rel, ok := inside(v)
	if !ok {
		return token{}, hcp.PathLeaves()
	}
	if isURL(v) {
		return token{text: text}, nil
	}
	return jailToken(text[:at], rel, text, output), nil
}

// ownFolder tells whether an absolute file_flags value names something in the
// folder that the child works in; any other would leave it.
func (p *Plan) ownFolder(file string) bool {
	root := ""
	switch p.spec.Mode {
	case ModeProject:
		root = p.project
	case ModeWorkspace, ModeNone:
		root = p.spec.Workspace
	}
	rel, err := filepath.Rel(root, path.Clean(file))
	return root != "" && err == nil && filepath.IsLocal(rel)
}

func jailToken(head, rel, text string, output bool) token {
	return token{text: head, path: rel, inJail: true, slash: strings.HasSuffix(text, "/"), output: output}
}

// inside cleans a path below a jail; ok is false when it would not stay there.
func inside(ref string) (rel string, ok bool) {
	if strings.HasPrefix(ref, "/") {
		return "", false
	}
	rel = path.Clean(ref)
	return rel, filepath.IsLocal(rel)
}

// isURL tells whether a value has a scheme that is nothing of ours.
func isURL(v string) bool {
	i := strings.Index(v, "://")
	return i > 0 && only(v[:i], "+-.")
}

func isFileURL(v string) bool {
	return len(v) >= 5 && strings.EqualFold(v[:5], "file:")
}

// hostPath gives the host-absolute path under one of the four roots that a
// token names in some spelling, or "". It looks where a program would
// start to read one: at the word, at the value, behind "=", "," and a short
// flag, each with any "@", "<" or ">" in front.
func hostPath(a Arg) string {
	if h := hostPathAt(a.Text); h != "" {
		return h
	}
	if h := hostPathAt(a.Text[a.ValueAt:]); h != "" {
		return h
	}
	if len(a.Text) > 2 && a.Text[0] == '-' && a.Text[1] != '-' {
		if h := hostPathAt(a.Text[2:]); h != "" {
			return h
		}
	}
	query := urlQuery(a.Text[a.ValueAt:])
	for i := 0; i < len(a.Text); i++ {
		if c := a.Text[i]; c != '=' && c != ',' {
			continue
		}
		if query >= 0 && i > a.ValueAt+query && strings.HasPrefix(a.Text[i+1:], "/") {
			continue // "?next=/home/x" of a web address
		}
		if h := hostPathAt(a.Text[i+1:]); h != "" {
			return h
		}
	}
	return ""
}

// urlQuery gives the offset of the "?" in a web address, or -1.
func urlQuery(v string) int {
	for _, scheme := range [...]string{"http://", "https://"} {
		if len(v) > len(scheme) && strings.EqualFold(v[:len(scheme)], scheme) {
			return strings.IndexByte(v, '?')
		}
	}
	return -1
}

func hostPathAt(s string) string {
	s = strings.TrimLeft(s, "@<>")
	if !isFileURL(s) {
		return underHostRoot(s)
	}
	s = unescape(s[5:])
	if h := underHostRoot("/" + strings.TrimLeft(s, "/")); h != "" && strings.HasPrefix(s, "/") {
		return h // file:/etc/x, file:///etc/x, and file://etc/x as a sloppy reader takes it
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return underHostRoot(rest[i:]) // file://localhost/etc/x
		}
	}
	return ""
}

func underHostRoot(s string) string {
	if !strings.HasPrefix(s, "/") {
		return ""
	}
	clean := path.Clean(s)
	probe := clean
	if runtime.GOOS == "darwin" { // one disk, other spellings; letters of either case
		probe = strings.TrimPrefix(strings.ToLower(probe), "/system/volumes/data")
		probe = strings.TrimPrefix(probe, "/private")
	}
	for _, root := range [...]string{"/etc", "/home", "/root", "/Users", "/users"} {
		if root == "/users" && runtime.GOOS != "darwin" {
			continue
		}
		if probe == root || strings.HasPrefix(probe, root+"/") {
			return clean
		}
	}
	return ""
}

// unescape undoes percent-encoding where it is well formed.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, ok1 := unhex(s[i+1])
			lo, ok2 := unhex(s[i+2])
			if ok1 && ok2 {
				b = append(b, hi<<4|lo)
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// hostDenial is the refusal, with the spelling that would work where there is
// one.
func (p *Plan) hostDenial(host string) *hcp.Denial {
	d := hcp.HostPath()
	if rel, ok := below(p.spec.Workspace, host); ok {
		return d.WithHint("name it %s%s", workspaceRef, rel)
	}
	if p.spec.Mode == ModeProject {
		if _, ok := below(p.project, host); ok {
			if rel, err := filepath.Rel(p.cwd, host); err == nil {
				return d.WithHint("name it by its relative path: %s", rel)
			}
		}
	}
	return d
}

// below gives file relative to dir when it lies in dir or is dir.
func below(dir, file string) (rel string, ok bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	return rel, err == nil && filepath.IsLocal(rel)
}
