package config

import (
	"path/filepath"
	"strconv"
	"strings"
)

// AppendBinding is `hcp binding set`'s part of hcp.toml: it appends one
// [[bindings]] block of provider file or keyring; everything else stays byte for
// byte as it was. A file that already has one for the same pack, family and
// principal is an error of its own rules.
func AppendBinding(p Places, osUser string, b Binding) error {
	return appendBlock(p, osUser, b.block())
}

// RemoveBinding takes a block away that AppendBinding wrote, and nothing else.
// false: there is none in these very words; one that a person wrote is a
// person's to remove.
func RemoveBinding(p Places, osUser string, b Binding) (bool, error) {
	m, err := loadManaged(p)
	if err != nil {
		return false, err
	}
	found := false
	err = locked(filepath.Dir(p.ConfigFile), func() error {
		old, mode, err := oldFile(p.ConfigFile)
		if err != nil {
			return err
		}
		text, ok := cutBlock(old, b.block())
		if found = ok; !found {
			return nil
		}
		if _, err := build(p, osUser, m, text); err != nil {
			return err
		}
		return replace(p.ConfigFile, []byte(text), mode)
	})
	return found, err
}

// startsTable tells whether nothing more of a block follows: only the end, an
// empty line or the next table.
func startsTable(rest string) bool {
	rest = strings.TrimPrefix(rest, "\r")
	return rest == "" || rest[0] == '\n' || rest[0] == '['
}

func (b Binding) block() string {
	var out strings.Builder
	line := func(name, value string) {
		if value != "" {
			out.WriteString(name + " = " + strconv.Quote(value) + "\n")
		}
	}
	out.WriteString("[[bindings]]\n")
	line("pack", b.Pack)
	line("family", b.Family)
	line("principal", b.Principal)
	line("provider", b.Provider)
	line("path", b.Path)
	line("service", b.Service)
	line("account", b.Account)
	return out.String()
}
