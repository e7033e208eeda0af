// Command isatty is the bare program with github.com/mattn/go-isatty linked and
// not used: what a library costs every call.
package main

import (
	"os"
	"os/exec"

	isatty "github.com/mattn/go-isatty"
)

var keep any = isatty.IsTerminal

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil || keep == nil {
		os.Exit(1)
	}
}
