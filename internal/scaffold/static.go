package scaffold

import (
	"compress/bzip2"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxManPage  = 4 << 20 // bytes of a page's source
	maxManPages = 400     // pages of one program
)

// StaticTexts reads the help that an install brought along, for
// DiscoverOptions.Texts: man pages, else completions. Nothing is run. nil:
// there is neither.
func StaticTexts(id Identity) map[string]string {
	if pages := manPages(id); len(pages) > 0 {
		return pages
	}
	return completionPages(id)
}

// manPages gives the text of a program's own page under "", and of its
// sub-commands' under their words. Each page ends with a list of the
// sub-commands below it, which man pages seldom have.
func manPages(id Identity) map[string]string {
	if id.ManPage == "" {
		return nil
	}
	root := manFile(id.ManPage)
	if root == "" {
		return nil
	}
	base, section := manName(id.ManPage)
	pages, about := map[string]string{"": root}, map[string]string{}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(id.ManPage), globText(base)+"-*."+section+"*"))
	for _, file := range files[:min(len(files), maxManPages)] {
		name, _ := manName(file)
		text := manFile(file)
		words := synopsisWords(text, base, name)
		if words == "" {
			continue
		}
		_, about[words], _ = strings.Cut(manLead(text), " - ")
		pages[words] = text
	}
	for _, words := range sortedKeys(about) {
		up, _ := cutLast(words)
		for ; pages[up] == ""; up, _ = cutLast(up) {
		}
		word := strings.TrimSpace(strings.TrimPrefix(words, up))
		if strings.Contains(word, " ") {
			continue // nobody would come by here: the command above it has no page
		}
		if !strings.Contains(pages[up], staticCommands) {
			pages[up] += staticCommands
		}
		pages[up] += "  " + word + "    " + about[words] + "\n"
	}
	return pages
}

const staticCommands = "\nCommands:\n"

// cutLast takes the last word off.
func cutLast(words string) (rest, last string) {
	i := strings.LastIndexByte(words, ' ')
	return words[:max(i, 0)], words[i+1:]
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// synopsisWords tells which sub-command a page is about: the words of a usage
// line that, joined by dashes, are the page's name. gh-auth-login is "auth
// login", git-cherry-pick is "cherry-pick", and ssh-keygen is none.
func synopsisWords(text, base, name string) string {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != base {
			continue
		}
		for k := 2; k <= len(words); k++ {
			if strings.Join(words[:k], "-") == name {
				return strings.Join(words[1:k], " ")
			}
		}
	}
	return ""
}

// ManAbout is what a bin's man page says it is; "" without a page, or one that
// says nothing.
func ManAbout(id Identity) string {
	if id.ManPage == "" {
		return ""
	}
	_, about, _ := strings.Cut(manLead(manFile(id.ManPage)), " - ")
	return strings.TrimSpace(about)
}

// manLead is the line under NAME.
func manLead(text string) string {
	_, rest, _ := strings.Cut(text, "NAME\n")
	line, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
	return strings.TrimSpace(line)
}

// manName splits the name of a page's file: gh-pr.1.gz is "gh-pr", "1".
func manName(path string) (name, section string) {
	base := filepath.Base(path)
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".bz2")
	i := strings.LastIndexByte(base, '.')
	if i < 0 {
		return base, ""
	}
	return base[:i], base[i+1:]
}

// manFile gives the text of a page, "" for what can't be read. A page that only
// includes another is that one.
func manFile(path string) string {
	for range 3 {
		source := manSource(path)
		rest, ok := strings.CutPrefix(source, ".so ")
		if !ok {
			return manText(source)
		}
		target, _, _ := strings.Cut(rest, "\n")
		if target = strings.TrimSpace(target); !filepath.IsLocal(target) {
			return ""
		}
		to := filepath.Join(filepath.Dir(filepath.Dir(path)), target)
		if path = to; !isFile(path) {
			path = to + ".gz"
		}
	}
	return ""
}

func manSource(path string) string {
	if !isFile(path) {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var in io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		if in, err = gzip.NewReader(f); err != nil {
			return ""
		}
	case ".bz2":
		in = bzip2.NewReader(f)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxManPage))
	if err != nil {
		return ""
	}
	return string(data)
}

// globText writes a name so that Glob takes it as it is.
func globText(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`*?[\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
