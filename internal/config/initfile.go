package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hcp/internal/hcp"
)

// InitFile writes the first hcp.toml: the owner by name, with explicit grants to
// read every pack, and to write and connect on the packs named (the bundled
// ones; nil: none). An existing file, of whatever kind, is not touched, and
// created is false.
func InitFile(p Places, osUser string, packs []string) (created bool, err error) {
	for _, id := range packs {
		if !hcp.ValidID(id) {
			return false, &SpecError{hcp.Quote(id) + " is not a pack_id"}
		}
	}
	if _, err := os.Lstat(p.ConfigFile); err == nil {
		return false, nil
	}
	m, err := loadManaged(p)
	if err != nil {
		return false, err
	}
	if err := m.checkStore(p); err != nil {
		return false, err
	}
	text := firstFile(ownerID(osUser), packs)
	if _, err := build(p, osUser, m, text); err != nil {
		return false, err
	}
	dir := filepath.Dir(p.ConfigFile)
	if err := makeDir(dir); err != nil {
		return false, err
	}
	err = locked(dir, func() error { created, err = create(p.ConfigFile, text); return err })
	return created, err
}

// create puts a new file in its place; a link, unlike a rename, cannot replace
// what an editor has put there in the meantime.
func create(path, text string) (bool, error) {
	var exists bool
	link := func(temp, path string) error {
		err := os.Link(temp, path)
		if exists = errors.Is(err, fs.ErrExist); err != nil && !exists {
			return err
		}
		return os.Remove(temp)
	}
	write := func(f *os.File) error { _, err := f.WriteString(text); return err }
	err := viaTemp(path, 0o600, write, link)
	return err == nil && !exists, err
}

// firstFile is the text that `hcp init` writes.
func firstFile(owner string, packs []string) string {
	var b strings.Builder
	b.WriteString(firstHead)
	b.WriteString("[principal]\nid = \"" + owner + "\"\n")
	b.WriteString("\n# Who may do what. With no [[grants]] at all you could read and nothing else.\n")
	b.WriteString("# A [[denies]] of the same form beats every grant.\n\n")
	grant := func(why, capability string, packs []string) {
		b.WriteString("# " + why + "\n" + GrantSpec{Principal: owner, Capability: capability, Packs: packs}.block() + "\n")
	}
	grant("You may run the commands that read, of every activated pack.", hcp.CapRead, []string{"*"})
	if len(packs) > 0 {
		grant("You may run the commands that write, of the packs that came with hcp.", hcp.CapWrite, packs)
		grant("You may connect them to their services.", hcp.CapConnect, packs)
	}
	b.WriteString(firstTail)
	return b.String()
}

const firstHead = `# The configuration of hcp, written by "hcp init". It is yours: hcp only ever
# appends to it, and only on "hcp grant" and the like. hcp.toml.example in the
# source lists every key. After an edit, "hcp doctor" says what it makes of it.
# The file must stay yours alone to write, or hcp refuses to act on it.
version = 1

# You, who run commands when no token is presented.
`

const firstTail = `# An agent with a secret and grants of its own is set up, and taken back, with:
#   hcp init --agent claude
# More grants are best made with:
#   hcp grant verb.exec.write --to agent:claude --pack ledger --verb transfer --approval human
`
