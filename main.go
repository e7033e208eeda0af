// Command hcp runs command-line tools for people and AI agents as named,
// policed commands. See README.md.
package main

import (
	"embed"
	"io/fs"
	"os"

	"hcp/internal/cli"
	"hcp/internal/sandbox"
)

// The packs that travel in the binary; hcp-cli stays in it.
//
//go:embed all:packs
var packs embed.FS

// What hcp shell-init and hcp completion print.
//
//go:embed shims/*.sh shims/*.bash shims/*.zsh shims/*.fish
var shims embed.FS

// Set by the release script.
var version, commit = "0.1.0-dev", "none"

func main() {
	sandbox.MaybeChild()
	bundled, _ := fs.Sub(packs, "packs") // compiled in: they are there
	snippets, _ := fs.Sub(shims, "shims")
	os.Exit(cli.Main(cli.System(bundled, snippets, cli.Build{Version: version, Commit: commit})))
}
