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

// Set by the release script.
var version, commit = "0.1.0-dev", "none"

func main() {
	sandbox.MaybeChild()
	bundled, _ := fs.Sub(packs, "packs") // compiled in: it is there
	os.Exit(cli.Main(cli.System(bundled, cli.Build{Version: version, Commit: commit})))
}
